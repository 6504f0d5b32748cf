import { toIso } from '../calendar/days.ts'
import { watermarkOf } from '../connectors/destination/coverage.ts'
import type { LedgerRow } from '../connectors/destination/coverage.ts'
import { countUnproven, failedAgain } from '../connectors/destination/failed-again.ts'
import type { FailedReading } from '../connectors/destination/ledger.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import type { Stream } from '../connectors/stream.ts'
import { NOT_OFFERED } from '../reading/check-offered.ts'
import { isStanding } from './standing-findings.ts'
import { provenParts } from './stream-status.ts'
import type { StreamStatus } from './stream-status.ts'

/** Of a store: what all of its lists share. */
export interface AskedStreams {
  store: string
  /** The readings of the store that proved nothing. */
  failed: readonly FailedReading[]
  /** False: nobody wants to know how many rows there are, and to count them takes its time. */
  countsRows: boolean
}

/** How one list of a store stands. */
export async function readStream(
  database: ReadOnlyDatabase,
  declared: Stream,
  { store, failed, countsRows }: AskedStreams,
): Promise<StreamStatus> {
  const stream = declared.name
  const rows = await database.ledger.windows(store, stream)
  const { span, gaps } =
    declared.windowing === 'full-refresh' ? { span: undefined, gaps: [] } : provenParts(rows)
  const reached = watermarkOf(rows)
  const lastReadAt = await database.ledger.lastReadAt(store, stream)
  const findings = await database.findings.of(store, stream)
  const readings = { lastReadAt, rows }
  const standing = findings.filter(finding => isStanding(finding, readings))
  const offered =
    rows.some(({ status }) => status === 'proven') ||
    !findings.some(finding => finding.code === NOT_OFFERED && isStanding(finding, readings))
  const its = failed.filter(one => one.stream === stream)
  const again = failedAgain(its, rows)
  return {
    store,
    stream,
    offered,
    rows: countsRows ? await database.rows.count(store, stream) : 0,
    provenFrom: span === undefined ? null : toIso(span.startMs),
    provenUntil: span === undefined ? null : toIso(span.endMs),
    gaps: gaps.map(({ startMs, endMs }) => ({ start: toIso(startMs), end: toIso(endMs) })),
    watermark: reached === undefined ? null : toIso(reached),
    unproven: offered ? countUnproven(rows, again) : 0,
    unprovenSince: firstFailure(rows, its, again),
    deadLetters: await database.deadLetters.count(store, declared, {}),
    findings: standing.length,
    findingsOver: findings.length - standing.length,
    lastReadAt: lastReadAt ?? null,
    shapeChanges: standing
      .filter(({ code }) => code === 'field_retyped' || code === 'field_missing')
      .map(({ detail, firstSeenAt }) => ({ detail, since: firstSeenAt })),
  }
}

/** When what is not proven was tried in vain first, as far as readings are kept. */
function firstFailure(
  rows: readonly LedgerRow[],
  failed: readonly FailedReading[],
  again: readonly FailedReading[],
): string | null {
  const open = rows.filter(({ status }) => status === 'unproven')
  const never = failed.filter(one =>
    open.some(({ startMs, endMs }) => one.startMs < endMs && one.endMs > startMs),
  )
  return [...never, ...again].map(({ readAt }) => readAt).toSorted()[0] ?? null
}
