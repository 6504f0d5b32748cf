import { dayOf, dayStart, wallMinute } from '../calendar/clock.ts'
import { fromIso, merge } from '../calendar/days.ts'
import type { Interval } from '../calendar/days.ts'
import { coverage, failedAgain, withFailedAgain } from '../connectors/destination/coverage.ts'
import type { CoveragePart, LedgerRow } from '../connectors/destination/coverage.ts'
import type { Ledger } from '../connectors/destination/ledger.ts'
import { lookbackOf } from '../connectors/destination/lookback.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import { findStream } from '../connectors/partner/streams/index.ts'
import { NOT_OFFERED } from '../reading/check-offered.ts'

/** What is proven of one stream of one store, and what is not. */
export interface StoreCoverage {
  store: string
  stream: string
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

/** Of each of these streams. */
export async function readCoverage(
  database: ReadOnlyDatabase,
  store: string,
  names: readonly string[],
  days: CoveredDays,
): Promise<StoreCoverage[]> {
  const { ledger } = database
  const timeZone = await database.zoneOfRows(store)
  const nowMs = Date.now()
  const findings = Map.groupBy(await database.findings.of(store), ({ stream }) => stream)
  const failures = Map.groupBy(await ledger.failedReadings(store), ({ stream }) => stream)
  const all: StoreCoverage[] = []
  for (const stream of names) {
    const found = findings.get(stream) ?? []
    const { range, rows } = await readRange(ledger, { store, stream, timeZone }, days)
    const lateness = await ledger.lateness(store, stream)
    const lookbackMs = lookbackOf(findStream(stream)!, lateness, nowMs)
    const parts = withFailedAgain(
      coverage(rows, range, { nowMs, lookbackMs }),
      failedAgain(failures.get(stream) ?? [], rows),
      found,
    )
    const offered = !found.some(({ code }) => code === NOT_OFFERED)
    all.push({ store, stream, timeZone, lookbackMs, parts, offered })
  }
  return all
}

/** The asked range, and what the ledger has of it. */
async function readRange(
  ledger: Ledger,
  { store, stream, timeZone }: Pick<StoreCoverage, 'store' | 'stream' | 'timeZone'>,
  { from, to }: CoveredDays,
): Promise<{ range: Interval; rows: LedgerRow[] }> {
  if (from !== undefined && to !== undefined) {
    const range = { startMs: dayStart(from, timeZone), endMs: dayStart(to, timeZone) }
    return { range, rows: await ledger.windows(store, stream, range) }
  }
  const rows = await ledger.windows(store, stream)
  const read = merge(rows)
  const startMs = from === undefined ? (read[0]?.startMs ?? 0) : dayStart(from, timeZone)
  const readUntilMs = Math.max(startMs, read.at(-1)?.endMs ?? 0)
  const endMs = to === undefined ? readUntilMs : dayStart(to, timeZone)
  return { range: { startMs, endMs }, rows }
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
  /**
   * What the database holds of it now; of a list that takes no dates, what the whole list had when
   * it was read. Undefined: it was never read, or nobody wrote it down.
   */
  rows: number | undefined
  readAt: string
  evidence: string
}

/**
 * The parts of one stream, each with its rows. They are counted in the table: the evidence counts
 * those of a whole reading, with days to spare, of which a part may be a small piece.
 */
export async function coverageLines(
  { rows }: Pick<ReadOnlyDatabase, 'rows'>,
  { store, stream: name, timeZone, parts }: StoreCoverage,
): Promise<CoverageLine[]> {
  const stream = findStream(name)!
  const lines = parts.map(part => lineOf(part, timeZone))
  if (stream.windowing === 'full-refresh') return lines
  const counts = await rows.countModified(store, stream, parts)
  return lines.map((line, at) => ({
    ...line,
    rows: line.status === 'never read' ? undefined : counts[at],
  }))
}

function lineOf(
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
