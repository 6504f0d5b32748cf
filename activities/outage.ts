import { MINUTE_MS } from '../calendar/days.ts'

/** The API of a store is gone: since when, why, and when it is asked next. Shown to who waits. */
export interface Outage {
  sinceMs: number
  reason: string
  /** Undefined where nobody waits: not sure yet that it is gone, or given up. */
  nextTryMs: number | undefined
  /** Shared by all windows that wait. */
  end: Promise<OutageEnd>
}

/** It was a single connection; it was an outage and is over; patience is over. */
export type OutageEnd = 'none' | 'back' | 'gone'

/** How long an outage is ridden out where nobody says otherwise. */
export const OUTAGE_PATIENCE_MS = 15 * MINUTE_MS
