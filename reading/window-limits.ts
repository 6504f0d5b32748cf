import { MINUTE_MS } from '../calendar/days.ts'
import { TillageError } from '../errors.ts'

/**
 * What one pass through the list of a window may bring, and how long its reading may last. A list
 * without a total that never ends looks like a long one, so the numbers are far above what a week
 * of a store holds: a million records in pages of a dozen, of 10 KB each, go through.
 */
export interface WindowLimits {
  pagesPerWindow: number
  rowsPerWindow: number
  megabytesPerWindow: number
  /** Of all attempts together, without the time between them. */
  minutesPerWindow: number
}

export const WINDOW_LIMITS: WindowLimits = {
  pagesPerWindow: 100_000,
  rowsPerWindow: 2_000_000,
  megabytesPerWindow: 10_000,
  minutesPerWindow: 180,
}

/** What a pass has brought so far. */
export interface WindowUse {
  pages: number
  rows: number
  bytes: number
  /** What the first page and the last one said of how many there are. */
  totals?: { first: number; last: number } | undefined
}

export const startUse = (): WindowUse => ({ pages: 0, rows: 0, bytes: 0 })

/**
 * Fails where a limit is exceeded: the window stays unproven with that reason, the others go on.
 */
export function refuseBeyond(use: WindowUse & { elapsedMs: number }, limits: WindowLimits): void {
  const exceeded = (
    [
      ['pagesPerWindow', use.pages, 'pages'],
      ['rowsPerWindow', use.rows, 'rows'],
      ['megabytesPerWindow', use.bytes / 1_000_000, 'MB'],
      ['minutesPerWindow', use.elapsedMs / MINUTE_MS, 'minutes'],
    ] as const
  ).find(([name, used]) => used > limits[name])
  if (exceeded === undefined) return
  const [name, , unit] = exceeded
  throw new TillageError(
    'WINDOW_TOO_LARGE',
    `the list of this window has no end within ${limits[name]} ${unit} (limits.${name})` +
      `${describeGrowth(use)}; nothing of it was kept`,
    {
      remedy:
        'If the API really has that much, read a shorter range (--from D --to D+1) ' +
        `or raise limits.${name} ` +
        'of the store in tillage.yaml. If not, its list does not end: report it to the provider.',
    },
  )
}

/** A list that grows as fast as it is read never ends, and says so by its total. */
const describeGrowth = ({ totals }: WindowUse): string =>
  totals === undefined || totals.last <= totals.first
    ? ''
    : `: it grows while it is read, from ${totals.first} rows by its own total to ${totals.last}`
