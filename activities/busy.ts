/** Which share of a time each was at work, from 0 to 1. */
export interface BusyShares {
  api: number
  writer: number
  either: number
}

/** How long the API and the writer were at work: fetching should not wait while neither is. */
export interface Busy {
  /** Runs a request, which counts until its answer is there. */
  asking<T>(request: () => Promise<T>): Promise<T>
  /** Runs what the writer is to do, which counts until it has. */
  writing<T>(work: () => Promise<T>): Promise<T>
  /** Milliseconds since the API answered last, while something is asked of it; else 0. */
  silentMs(): number
  /** Starts to measure; asked later, the answer is about the time since then. */
  measure(): () => BusyShares
}

export function createBusy(clock: () => number = () => performance.now()): Busy {
  const api = createMeter(clock)
  const writer = createMeter(clock)
  const either = createMeter(clock)
  return {
    asking: request => either.during(() => api.during(request)),
    writing: work => either.during(() => writer.during(work)),
    silentMs: () => api.silentMs(),
    measure() {
      const shares = {
        api: api.shareFromNow(),
        writer: writer.shareFromNow(),
        either: either.shareFromNow(),
      }
      return () => ({ api: shares.api(), writer: shares.writer(), either: shares.either() })
    },
  }
}

/** Time at work counts once, however much is at work at a time. */
interface Meter {
  during<T>(work: () => Promise<T>): Promise<T>
  shareFromNow(): () => number
  /** Since anything ended, or since the first began of what is at work. */
  silentMs(): number
}

function createMeter(clock: () => number): Meter {
  let underWay = 0
  let sinceMs = 0
  let endedMs = 0
  let heardMs = 0
  const busyMs = (): number => (underWay === 0 ? endedMs : endedMs + clock() - sinceMs)
  return {
    async during(work) {
      if (underWay++ === 0) sinceMs = heardMs = clock()
      try {
        return await work()
      } finally {
        heardMs = clock()
        if (--underWay === 0) endedMs += heardMs - sinceMs
      }
    },
    silentMs: () => (underWay === 0 ? 0 : clock() - heardMs),
    shareFromNow() {
      const [begunMs, busyBeforeMs] = [clock(), busyMs()]
      return () =>
        Math.round((100 * (busyMs() - busyBeforeMs)) / Math.max(1, clock() - begunMs)) / 100
    },
  }
}
