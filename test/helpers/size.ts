import { HOUR_MS } from '../../calendar/days.ts'

/**
 * `npm run test:long` sets this one switch: every check at full size, which takes an hour or so.
 */
export const LONG = process.env['TILLAGE_LONG'] === '1'

/** How many cases a check tries: few with each commit, all of them on demand. */
export const sized = (few: number, full: number): number => (LONG ? full : few)

/** Ends a test that hangs, and none that is slow because the machine has much else to do. */
export const testLimitMs = (isLong = LONG): number => (isLong ? 3 * HOUR_MS : HOUR_MS / 4)
