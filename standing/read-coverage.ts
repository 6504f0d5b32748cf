import { dayOf, dayStart, wallMinute } from '../calendar/clock.ts'
import { fromIso } from '../calendar/days.ts'
import { merge } from '../calendar/interval.ts'
import { coverage } from '../connectors/destination/coverage.ts'
import type { CoveragePart } from '../connectors/destination/coverage.ts'
import { openAgain, withFailedAgain } from '../connectors/destination/failed-again.ts'
import { lookbackOf } from '../connectors/destination/lookback.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import { findStream } from '../connectors/partner/streams/index.ts'
import { NOT_OFFERED } from '../reading/check-offered.ts'

/** What is proven of one stream of one store, and what is not. */
export interface StoreCoverage {
  store: string
  timeZone: string
  lookbackMs: number
  /** In the order of time, without overlaps. */
  parts: CoveragePart[]
  /** False: the API, or this partner key, said when it was asked last that it does not have it. */
  offered: boolean
}

/** Store-local days, the second exclusive; without them, all that was ever read. */
export interface CoveredDays {
  from?: string | undefined
  to?: string | undefined
}

export async function readCoverage(
  database: ReadOnlyDatabase,
  store: string,
  stream: string,
  { from, to }: CoveredDays,
): Promise<StoreCoverage> {
  const rows = await database.ledger.windows(store, stream)
  const timeZone = await database.zoneOfRows(store)
  const read = merge(rows)
  const startMs = from === undefined ? (read[0]?.startMs ?? 0) : dayStart(from, timeZone)
  const readUntilMs = Math.max(startMs, read.at(-1)?.endMs ?? 0)
  const endMs = to === undefined ? readUntilMs : dayStart(to, timeZone)
  const nowMs = Date.now()
  const lateness = await database.ledger.lateness(store, stream)
  const lookbackMs = lookbackOf(findStream(stream)!, lateness, nowMs)
  const findings = await database.findings.of(store, stream)
  const parts = withFailedAgain(
    coverage(rows, { startMs, endMs }, { nowMs, lookbackMs }),
    await openAgain(database.ledger, { store, stream }, rows),
    findings,
  )
  const offered = !findings.some(({ code }) => code === NOT_OFFERED)
  return { store, timeZone, lookbackMs, parts, offered }
}

/** Proven; what is stale is, too, and a run is due. */
export const isCovered = ({ parts }: StoreCoverage): boolean =>
  parts.length > 0 && parts.every(({ status }) => status === 'proven' || status === 'stale')

/** What people read of the evidence of a part. */
interface Evidence {
  by?: string
  reason?: string
  detail?: string
  rows?: number
  readAt?: string
}

/** A part of a range in the words that every table has for it; days and times are the store's. */
export interface CoverageLine {
  firstDay: string
  lastDay: string
  status: CoveragePart['status']
  /** Undefined: nobody wrote it down. */
  rows: number | undefined
  readAt: string
  evidence: string
}

export function coverageLine(
  { startMs, endMs, status, evidence }: CoveragePart,
  timeZone: string,
): CoverageLine {
  const known = evidence === undefined ? {} : (JSON.parse(evidence) as Evidence)
  const reasons = [known.reason, known.detail].filter(text => text !== undefined)
  return {
    firstDay: dayOf(startMs, timeZone),
    lastDay: dayOf(endMs - 1, timeZone),
    status,
    rows: known.rows,
    readAt: known.readAt === undefined ? '' : wallMinute(fromIso(known.readAt), timeZone),
    evidence: known.by ?? reasons.join(': '),
  }
}
