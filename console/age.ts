/** Whether something was lately. A clock that was put back since knows nothing of when it was. */
export const isWithin = (forMs: number, sinceMs: number, nowMs: number): boolean =>
  nowMs >= sinceMs && nowMs - sinceMs < forMs
