import { toIso } from '../calendar/days.ts'
import { watermarkOf } from '../connectors/destination/coverage.ts'
import { countUnproven, failedAgain } from '../connectors/destination/failed-again.ts'
import type { FailedReading } from '../connectors/destination/ledger.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import type { Stream } from '../connectors/stream.ts'
import { NOT_OFFERED } from '../reading/check-offered.ts'
import { isStanding } from './standing-findings.ts'
import { provenParts } from './stream-status.ts'
import type { StreamStatus } from './stream-status.ts'

/** How one list of a store stands; `failed` are the readings of the store that proved nothing. */
export async function readStream(
  database: ReadOnlyDatabase,
  store: string,
  declared: Stream,
  failed: readonly FailedReading[],
): Promise<StreamStatus> {
  const stream = declared.name
  const rows = await database.ledger.windows(store, stream)
  const { span, gaps } =
    declared.windowing === 'full-refresh' ? { span: undefined, gaps: [] } : provenParts(rows)
  const reached = watermarkOf(rows)
  const lastReadAt = await database.ledger.lastReadAt(store, stream)
  const findings = await database.findings.of(store, stream)
  const readings = { lastReadAt, rows }
  const standing = findings.filter(finding => isStanding(finding, readings)).length
  const offered =
    rows.some(({ status }) => status === 'proven') ||
    !findings.some(finding => finding.code === NOT_OFFERED && isStanding(finding, readings))
  const again = failedAgain(
    failed.filter(one => one.stream === stream),
    rows,
  )
  return {
    store,
    stream,
    offered,
    rows: await database.rows.count(store, stream),
    provenFrom: span === undefined ? null : toIso(span.startMs),
    provenUntil: span === undefined ? null : toIso(span.endMs),
    gaps: gaps.map(({ startMs, endMs }) => ({ start: toIso(startMs), end: toIso(endMs) })),
    watermark: reached === undefined ? null : toIso(reached),
    unproven: offered ? countUnproven(rows, again) : 0,
    deadLetters: await database.deadLetters.count(store, declared, {}),
    findings: standing,
    findingsOver: findings.length - standing,
    lastReadAt: lastReadAt ?? null,
  }
}
