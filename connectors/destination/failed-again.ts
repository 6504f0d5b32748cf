/**
 * Windows that were read again and not proven, although they were proven before: the earlier proof
 * stands in the ledger, and what came since is not known.
 */
import { merge, subtract } from '../../calendar/interval.ts'
import type { Interval } from '../../calendar/interval.ts'
import { readAtMs } from './coverage.ts'
import type { CoveragePart, LedgerRow } from './coverage.ts'
import type { Finding } from './findings.ts'
import type { FailedReading, Ledger } from './ledger.ts'

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
  ledger: Pick<Ledger, 'failedReadings'>,
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
