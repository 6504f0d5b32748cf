import { merge, toIso } from '../calendar/days.ts'
import { countUnproven, failedAgain } from '../connectors/destination/coverage.ts'
import type { FailedReading } from '../connectors/destination/coverage.ts'
import type { Finding } from '../connectors/destination/findings.ts'
import { reachedMs, standingOf } from '../connectors/destination/ledger.ts'
import type { LedgerStanding } from '../connectors/destination/ledger.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { NOT_OFFERED } from '../reading/check-offered.ts'
import { isStanding } from './standing-findings.ts'
import type { StreamStatus } from './stream-status.ts'

/** What is known of one list of a store. */
interface StreamFacts {
  standing: LedgerStanding
  findings: readonly Finding[]
  /** Its readings that proved nothing. */
  failed: readonly FailedReading[]
  /** What of them no later proof covers. */
  again: readonly FailedReading[]
  deadLetters: number
  rows: number
}

/**
 * How each list of a store stands. Without `countsRows` nobody wants to know how many rows there
 * are: to count them takes its time.
 */
export async function readStreams(
  database: ReadOnlyDatabase,
  store: string,
  { countsRows }: { countsRows: boolean },
): Promise<StreamStatus[]> {
  const { ledger } = database
  const standings = await ledger.standings(store)
  const findings = Map.groupBy(await database.findings.of(store), ({ stream }) => stream)
  const failures = Map.groupBy(await ledger.failedReadings(store), ({ stream }) => stream)
  const letters = await database.deadLetters.counts(store)
  const all: StreamStatus[] = []
  for (const { name, windowing } of streams) {
    const failed = failures.get(name) ?? []
    const facts = {
      standing: standingOf(standings, name),
      findings: findings.get(name) ?? [],
      failed,
      again: await openOf(ledger, store, failed),
      deadLetters: letters.get(name) ?? 0,
      rows: countsRows ? await database.rows.count(store, name) : 0,
    }
    const status = statusOf(facts)
    all.push({
      store,
      stream: name,
      ...(windowing === 'full-refresh' ? { ...status, ...DATELESS } : status),
    })
  }
  return all
}

/** The whole list is read each time. */
const DATELESS = { provenFrom: null, provenUntil: null, gaps: [] }

/** What of a stream's failed readings no later proof covers. */
async function openOf(
  ledger: ReadOnlyDatabase['ledger'],
  store: string,
  failed: readonly FailedReading[],
): Promise<FailedReading[]> {
  const [first] = failed
  if (first === undefined) return []
  const ranges = merge(failed)
  const around = { startMs: ranges[0]!.startMs, endMs: ranges.at(-1)!.endMs }
  return failedAgain(failed, await ledger.windows(store, first.stream, around))
}

function statusOf(facts: StreamFacts): Omit<StreamStatus, 'store' | 'stream'> {
  const { standing, findings, failed, again, deadLetters, rows } = facts
  const { proven, gaps, unproven, lastReadAt } = standing
  const reached = reachedMs(standing)
  const open = findings.filter(finding => isStanding(finding, standing))
  const offered = proven !== undefined || !open.some(({ code }) => code === NOT_OFFERED)
  return {
    offered,
    rows,
    provenFrom: proven === undefined ? null : toIso(proven.startMs),
    provenUntil: proven === undefined ? null : toIso(proven.endMs),
    gaps: gaps.map(({ startMs, endMs }) => ({ start: toIso(startMs), end: toIso(endMs) })),
    watermark: reached === undefined ? null : toIso(reached),
    unproven: offered ? countUnproven(unproven, again) : 0,
    unprovenSince: firstFailure(unproven, failed, again),
    deadLetters,
    findings: open.length,
    findingsOver: findings.length - open.length,
    lastReadAt: lastReadAt ?? null,
    shapeChanges: open
      .filter(({ code }) => code === 'field_retyped' || code === 'field_missing')
      .map(({ detail, firstSeenAt }) => ({ detail, since: firstSeenAt })),
  }
}

/** When what is not proven was tried in vain first, as far as readings are kept. */
function firstFailure(
  unproven: LedgerStanding['unproven'],
  failed: readonly FailedReading[],
  again: readonly FailedReading[],
): string | null {
  const never = failed.filter(one =>
    unproven.some(({ startMs, endMs }) => one.startMs < endMs && one.endMs > startMs),
  )
  return [...never, ...again].map(({ readAt }) => readAt).toSorted()[0] ?? null
}
