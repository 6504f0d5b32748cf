/** Milliseconds of work, however much of it at once. */
export interface BusyMs {
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
  /** Since this was made. */
  readonly soFar: BusyMs
}

export function createBusy(clock: () => number = () => performance.now()): Busy {
  const [api, writer, either] = [createMeter(clock), createMeter(clock), createMeter(clock)]
  return {
    asking: request => either.during(() => api.during(request)),
    writing: work => either.during(() => writer.during(work)),
    get soFar() {
      return { api: api.busyMs(), writer: writer.busyMs(), either: either.busyMs() }
    },
  }
}

interface Meter {
  during<T>(work: () => Promise<T>): Promise<T>
  busyMs(): number
}

function createMeter(clock: () => number): Meter {
  let underWay = 0
  let sinceMs = 0
  let endedMs = 0
  return {
    async during(work) {
      if (underWay++ === 0) sinceMs = clock()
      try {
        return await work()
      } finally {
        if (--underWay === 0) endedMs += clock() - sinceMs
      }
    },
    busyMs: () => (underWay === 0 ? endedMs : endedMs + clock() - sinceMs),
  }
}

/** Which share of the time between two looks each was at work, from 0 to 1. */
export function busyShares(before: BusyMs, after: BusyMs, tookMs: number): BusyMs {
  const share = (name: keyof BusyMs): number =>
    Math.round((100 * (after[name] - before[name])) / Math.max(1, tookMs)) / 100
  return { api: share('api'), writer: share('writer'), either: share('either') }
}
