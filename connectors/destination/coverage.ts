/**
 * The ledger of windows, as a pure decision: which rows stand after a window was read. It is a
 * partition in time: proven rows never overlap, an unproven row covers only what is not proven, and
 * the newest proof wins.
 */
import { DAY_MS, merge, subtract, watermark } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/days.ts'
import type { Finding } from './findings.ts'

export type WindowStatus = 'proven' | 'unproven'

export interface LedgerRow extends Interval {
  status: WindowStatus
  /** JSON: how it was proven, or why not; counts; when it was read. */
  evidence: string
}

/**
 * The rows that stand once `read` is recorded. A failed reading takes nothing away from an earlier
 * proof.
 */
export function recordWindow(rows: readonly LedgerRow[], read: LedgerRow): LedgerRow[] {
  const cutBy = (row: LedgerRow, others: readonly Interval[]): LedgerRow[] =>
    subtract(row, others).map(part => ({ ...row, ...part }))
  if (read.status === 'proven') return sorted([...rows.flatMap(row => cutBy(row, [read])), read])
  const proven = rows.filter(row => row.status === 'proven')
  const unproven = rows.filter(row => row.status === 'unproven').flatMap(row => cutBy(row, [read]))
  return sorted([...proven, ...unproven, ...cutBy(read, proven)])
}

const sorted = (rows: LedgerRow[]): LedgerRow[] => rows.sort((a, b) => a.startMs - b.startMs)

/**
 * Rows that could have been written by now. One that ends or was read later was written while the
 * clock was ahead, and is treated as if the window had never been read (INV-1).
 */
export const plausibleRows = (rows: readonly LedgerRow[], nowMs: number): LedgerRow[] =>
  rows.filter(row => row.endMs <= nowMs && !(readAtMs(row) > nowMs))

/** When coverage is asked for, and how far back runs read again. */
export interface Freshness {
  nowMs: number
  lookbackMs: number
}

export interface CoveragePart extends Interval {
  status: WindowStatus | 'stale' | 'never read'
  evidence: string | undefined
}

/**
 * What the ledger says of a range: every instant of it is in exactly one part. Stale is what was
 * proven so soon after it happened that late and edited records may have come since, and was not
 * read again for more than a day: a run is due.
 */
export function coverage(
  rows: readonly LedgerRow[],
  range: Interval,
  freshness?: Freshness,
): CoveragePart[] {
  const within = rows.flatMap(row => {
    const startMs = Math.max(row.startMs, range.startMs)
    const endMs = Math.min(row.endMs, range.endMs)
    return startMs < endMs ? [{ ...row, startMs, endMs }] : []
  })
  const holes = subtract(range, within).map(hole => ({
    ...hole,
    status: 'never read' as const,
    evidence: undefined,
  }))
  return [
    ...within.flatMap(row => (freshness === undefined ? [row] : byFreshness(row, freshness))),
    ...holes,
  ].sort((a, b) => a.startMs - b.startMs)
}

/** When a window of the ledger was read; NaN where nobody wrote it down. */
export const readAtMs = ({ evidence }: LedgerRow): number =>
  Date.parse((JSON.parse(evidence) as { readAt?: string }).readAt ?? '')

/** An instant is settled once it was read a whole lookback after it passed. */
const settledUntilMs = (row: LedgerRow, lookbackMs: number): number =>
  Math.min(row.endMs, readAtMs(row) - lookbackMs)

function byFreshness(row: LedgerRow, { nowMs, lookbackMs }: Freshness): CoveragePart[] {
  if (row.status !== 'proven' || !(nowMs - readAtMs(row) > DAY_MS)) return [row]
  const settledMs = Math.max(row.startMs, settledUntilMs(row, lookbackMs))
  return [
    { ...row, endMs: settledMs },
    { ...row, startMs: settledMs, status: 'stale' as const },
  ].filter(({ startMs, endMs }) => startMs < endMs)
}

/** Below this instant everything since the first proven window is proven. */
export const watermarkOf = (rows: readonly LedgerRow[]): number | undefined =>
  watermark(rows.filter(row => row.status === 'proven'))

/**
 * What of a range is still to be read: all that is not proven, and what was read so soon after it
 * happened that it may have changed since, however long ago that reading was. With an endless
 * lookback nothing is settled.
 */
export function toRead(
  rows: readonly LedgerRow[],
  range: Interval,
  lookbackMs: number,
): Interval[] {
  const settled = rows
    .filter(({ status }) => status === 'proven')
    .map(row => ({ startMs: row.startMs, endMs: settledUntilMs(row, lookbackMs) }))
    .filter(row => row.startMs < row.endMs)
  return merge(subtract(range, settled))
}

/**
 * A window that was read and not proven. Where it was proven before, that proof stands in the
 * ledger, and what came since is not known.
 */
export interface FailedReading extends Interval {
  stream: string
  /** ISO, UTC. */
  readAt: string
}

/** What of the failed readings of a stream no later proof covers. */
export function failedAgain(
  failed: readonly FailedReading[],
  rows: readonly LedgerRow[],
): FailedReading[] {
  return failed.flatMap(reading => {
    const failedMs = Date.parse(reading.readAt)
    const since = rows.filter(row => row.status === 'proven' && readAtMs(row) >= failedMs)
    const open = rows.filter(row => row.status === 'unproven')
    return subtract(reading, [...since, ...open]).map(part => ({ ...reading, ...part }))
  })
}

/** Of one stream of a store: what no proof covers that is as new. */
export async function openAgain(
  ledger: { failedReadings(store: string, stream?: string): Promise<FailedReading[]> },
  { store, stream }: { store: string; stream: string },
  rows: readonly LedgerRow[],
): Promise<FailedReading[]> {
  return failedAgain(await ledger.failedReadings(store, stream), rows)
}

/** The rows for whoever reads on, or closes a month: what was not proven again is not proven. */
export const provenStill = (
  rows: readonly LedgerRow[],
  failed: readonly FailedReading[],
): LedgerRow[] =>
  rows.flatMap(row => {
    if (row.status !== 'proven') return [row]
    const open = merge(failed.map(reading => within(reading, row)).filter(isSome))
    return [
      ...subtract(row, open).map(part => ({ ...row, ...part })),
      ...open.map(part => ({ ...row, ...part, status: 'unproven' as const })),
    ]
  })

/** How many windows are not proven, by the ledger or since a later reading failed. */
export const countUnproven = (
  rows: readonly LedgerRow[],
  failed: readonly FailedReading[],
): number => rows.filter(({ status }) => status === 'unproven').length + merge(failed).length

/** The same as parts of a range: where a later reading failed, they are not proven. */
export function withFailedAgain(
  parts: readonly CoveragePart[],
  failed: readonly FailedReading[],
  findings: readonly Finding[],
): CoveragePart[] {
  return parts
    .flatMap(part => {
      if (part.status !== 'proven' && part.status !== 'stale') return [part]
      const open = merge(failed.map(reading => within(reading, part)).filter(isSome))
      return [
        ...subtract(part, open).map(rest => ({ ...part, ...rest })),
        ...open.map(one => ({
          ...part,
          ...one,
          status: 'unproven' as const,
          evidence: why(
            failed.find(reading => isSome(within(reading, one))),
            findings,
          ),
        })),
      ]
    })
    .sort((one, other) => one.startMs - other.startMs)
}

const within = (reading: Interval, part: Interval): Interval => ({
  startMs: Math.max(reading.startMs, part.startMs),
  endMs: Math.min(reading.endMs, part.endMs),
})

const isSome = ({ startMs, endMs }: Interval): boolean => startMs < endMs

/** As the ledger has it of a window that was never proven. */
function why(newest: FailedReading | undefined, findings: readonly Finding[]): string {
  const { readAt } = newest!
  const found = findings.find(({ lastSeenAt }) => lastSeenAt === readAt)
  return JSON.stringify({
    reason: found?.code ?? 'NOT_PROVEN',
    detail: `proven before, and not when it was read again: ${found?.detail ?? 'no reason is known'}`,
    readAt,
  })
}
