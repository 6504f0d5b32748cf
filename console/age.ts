/** A clock that is kept right is put back by less than that, now and then. */
const CORRECTION_MS = 60_000

/** Whether something was lately. A clock that was put back since knows nothing of when it was. */
export const isWithin = (forMs: number, sinceMs: number, nowMs: number): boolean =>
  nowMs - sinceMs > -CORRECTION_MS && nowMs - sinceMs < forMs
