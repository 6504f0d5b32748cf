/** When a request may be sent, so that all processes with one key together keep to its limits. */
export interface Turns {
  /** Waits for the next slot of the key. */
  next(): Promise<void>
  /** The part of a ceiling of requests at once that is left to this process, at least one. */
  shareOf(concurrency: number): number
}

/** Nobody else sends with the key. */
export const ALONE: Turns = { next: async () => {}, shareOf: concurrency => concurrency }

/** What is agreed upon between processes: see `KeyShare` of the destination. */
export interface SharedPace {
  take(order: { slots: number; slotMs: number; nowMs: number }): {
    startMs: number
    sharers: number
  }
}

/** Slots are taken for so long ahead: one by one at twenty a second, ten at two hundred. */
const TAKEN_FOR_MS = 50
/** Where there is no ceiling, only who else sends is asked, once in a while. */
const LOOK_AGAIN_MS = 1_000

/** Slots that were taken and not used are lost: they are not made up for with a burst. */
export function createTurns(pace: SharedPace, ceilingPerSecond: number): Turns {
  const slotMs = 1000 / ceilingPerSecond
  const atOnce = slotMs === 0 ? 1 : Math.max(1, Math.floor(TAKEN_FOR_MS / slotMs))
  let left = 0
  let nextMs = -Infinity
  let sharers = 1

  const takeMore = (nowMs: number): void => {
    const taken = pace.take({ slots: atOnce, slotMs, nowMs })
    sharers = taken.sharers
    left = atOnce
    nextMs = taken.startMs
  }
  const nextSlot = (nowMs: number): number => {
    while (left > 0 && nextMs + slotMs < nowMs) {
      nextMs += slotMs
      left--
    }
    if (left === 0) takeMore(nowMs)
    const slot = nextMs
    nextMs += slotMs
    left--
    return slot
  }
  const look = (nowMs: number): void => {
    if (nowMs < nextMs && nextMs <= nowMs + LOOK_AGAIN_MS) return
    takeMore(nowMs)
    nextMs = nowMs + LOOK_AGAIN_MS
  }

  return {
    shareOf: concurrency => Math.max(1, Math.floor(concurrency / sharers)),
    async next() {
      const nowMs = Date.now()
      if (slotMs === 0) return look(nowMs)
      const waitMs = nextSlot(nowMs) - nowMs
      if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, waitMs))
    },
  }
}
