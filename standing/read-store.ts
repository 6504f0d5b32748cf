import { describeClock } from '../audit/clocks.ts'
import { openClocks } from '../audit/confirmation.ts'
import type { BooksPlace } from '../books/books-place.ts'
import { daysBeforeNewChart } from '../books/changed-chart.ts'
import { namedDays } from '../books/changed-days.ts'
import { unpostedDays } from '../books/unposted-days.ts'
import { DAY_MS, fromIso, toIso } from '../calendar/days.ts'
import { describeAnotherChart } from '../commands/books/another-chart.ts'
import { countOf } from '../commands/terminal/number.ts'
import type { Attempt } from '../connectors/destination/attempts.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import type { KnownRun } from '../connectors/destination/runs.ts'
import { TillageError } from '../errors.ts'
import { sidesOf } from '../exports/journal/entry.ts'
import { entryOf } from '../exports/posting-history.ts'
import { amountText } from '../money/amount.ts'
import type { WaitingPlan } from '../outbound/waiting-plans.ts'
import { keptSkewMs } from '../reading/api-time.ts'
import type { ReconcileStanding } from '../reconcile/alarm.ts'
import { earlyNights } from '../schedules/early-nights.ts'
import { withEndedRuns } from '../schedules/ended-runs.ts'
import { LOOK_BACK_MS } from '../schedules/read-due.ts'
import type { DueLine } from '../schedules/read-due.ts'
import { heldDay } from './held-day.ts'
import { judgePlans } from './judge-plans.ts'
import { judgeReading } from './judge-reading.ts'
import type { ReadingFacts } from './judge-reading.ts'
import { judgeRuns } from './judge-runs.ts'
import { judgeBusiness } from './judge-store.ts'
import type { BusinessFacts, RestatedNight } from './judge-store.ts'
import { inOrder, noticeOf } from './notice.ts'
import type { Notice } from './notice.ts'
import { readStreams } from './read-stream.ts'
import { rowsOf } from './stream-status.ts'
import type { StreamStatus } from './stream-status.ts'

/** How one store stands, and what is known of its lists. */
export interface StoreStanding {
  store: string
  /** False: it left the configuration, and its data is still there. */
  configured: boolean
  clockSkewMs: number
  /** Its zone in the configuration is not that of what was read. */
  isZoneWrong: boolean
  timeZone: string
  streams: StreamStatus[]
  attempt: Attempt | undefined
  /** The worst first. */
  notices: Notice[]
}

/** What is known of a store's plans; they are opened by whoever asks. */
export interface KnownPlans {
  waiting: readonly WaitingPlan[]
  reconcile: ReconcileStanding | undefined
}

export interface StoreQuestion {
  store: string
  nowMs: number
  /** Of all stores. */
  due: readonly DueLine[]
  /** The newest days of each kind (`newestRuns`); of all stores. */
  runs: readonly KnownRun[]
  /** The workflows that are under way; undefined: nobody knows. */
  open?: readonly string[] | undefined
  plans: KnownPlans
  /** Whether rows are counted, and journals of changed days computed; what asks each minute: no. */
  countsRows?: boolean
  computesDays?: boolean
}

/** Everything that is known of how a store stands, judged: the same for whoever tells it. */
export async function readStore(
  place: BooksPlace,
  question: StoreQuestion,
): Promise<StoreStanding> {
  const { config, database } = place
  const { store, plans, nowMs } = question
  const streams = await readStreams(database, store, { countsRows: question.countsRows ?? true })
  const zoneProblem = await findZoneProblem(database, store)
  const clockSkewMs = (await keptSkewMs(database.behaviours, store)) ?? 0
  const attempt = await database.attempts.last(store)
  const configured = config.stores.some(({ id }) => id === store)
  const notices = configured
    ? await judgeConfigured(place, question, { streams, attempt, clockSkewMs, zoneProblem })
    : [leftSettings(store, streams)]
  return {
    store,
    configured,
    clockSkewMs,
    isZoneWrong: zoneProblem !== undefined,
    timeZone: await database.zoneOfRows(store),
    streams,
    attempt,
    notices: inOrder([...notices, ...judgePlans(store, plans.waiting, nowMs)]),
  }
}

/** What is said of a store that is configured, but for its plans. */
async function judgeConfigured(
  place: BooksPlace,
  { store, nowMs, due, runs: known, open, plans, computesDays = true }: StoreQuestion,
  read: Omit<ReadingFacts, 'store' | 'runs'>,
): Promise<Notice[]> {
  const newest = known.filter(run => run.store === store).filter(isNewestOfKind)
  const runs = withEndedRuns(newest, { nowMs, open })
  const isZoneRight = read.zoneProblem === undefined
  return [
    ...judgeStoreRuns({ store, due, runs: known, nowMs, open }),
    ...judgeReading({ store, runs, ...read }),
    ...(await judgeItsBooks(place, store, nowMs, {
      plans,
      computesDays: isZoneRight && computesDays,
      runs,
    })),
  ]
}

const leftSettings = (store: string, all: readonly StreamStatus[]): Notice =>
  noticeOf({
    kind: 'left_settings',
    severity: 'hint',
    store,
    text: `is not in the configuration any more; its ${countOf(rowsOf(all), 'row')} are still here`,
  })

/** Nothing is read or given out while the zones differ. */
const findZoneProblem = (database: ReadOnlyDatabase, store: string): Promise<string | undefined> =>
  database.timeZone(store).then(
    () => undefined,
    (error: unknown) =>
      error instanceof TillageError && error.code === 'STORE_ZONE' ? error.message : undefined,
  )

/** How what was due of a store stands, and what somebody triggered. */
export function judgeStoreRuns({
  store,
  due,
  runs,
  ...at
}: Pick<StoreQuestion, 'store' | 'nowMs' | 'due' | 'runs' | 'open'>): Notice[] {
  const ofStore = runs.filter(run => run.store === store)
  return judgeRuns(
    due.filter(line => line.store === store),
    withEndedRuns(runsOfLate(ofStore, at.nowMs), at),
  )
}

/** A backfill is of many days; what failed weeks ago is told of the newest day alone. */
const runsOfLate = (runs: readonly KnownRun[], nowMs: number): KnownRun[] =>
  runs.filter(
    (run, index, all) =>
      fromIso(run.startedAt) > nowMs - LOOK_BACK_MS || isNewestOfKind(run, index, all),
  )

/** Of one store, the newest days first. */
const isNewestOfKind = ({ kind }: KnownRun, index: number, all: readonly KnownRun[]): boolean =>
  all.findIndex(other => other.kind === kind) === index

/** Of a store: a question is answered in seconds. */
const DAYS_COMPUTED = 31

const EVERY_DAY = { from: '0000-01-01', to: '9999-12-31' }

interface Known {
  plans: KnownPlans
  computesDays: boolean
  runs: readonly KnownRun[]
}

async function judgeItsBooks(
  place: BooksPlace,
  store: string,
  nowMs: number,
  { plans, computesDays, runs }: Known,
): Promise<Notice[]> {
  const { config, database } = place
  const charted = await daysBeforeNewChart(config, database.givenOut, store)
  return judgeBusiness({
    store,
    unposted: computesDays
      ? await unpostedDays(place, store, { limit: DAYS_COMPUTED })
      : { days: [], notComputed: 0 },
    unfinished: await database.givenOut.unfinished(store, EVERY_DAY),
    held: heldDays(config.exports, store),
    restated: await restatedDays(database.givenOut, store, runs, nowMs),
    chart: charted.length === 0 ? undefined : describeAnotherChart(store, charted),
    drift: await database.attempts.lastDrift(store),
    reconcile: plans.reconcile,
    clocks: openClocks(config.exports, store).map(clock => ({
      text: `${clock.audit}: ${describeClock(clock, nowMs)}`,
      audit: clock.audit,
      leftMs: Date.parse(clock.dueAt) - nowMs,
      dueAt: clock.dueAt,
    })),
    earlyNight: earlyNights(config).find(early => early.store === store)?.warning,
  })
}

/** A night's revisions are told for a day. */
async function restatedDays(
  givenOut: BooksPlace['database']['givenOut'],
  store: string,
  runs: readonly KnownRun[],
  nowMs: number,
): Promise<RestatedNight[]> {
  const revised = await givenOut.revisedSince(store, toIso(nowMs - DAY_MS))
  const revisions = revised.map(({ entry, ...one }) => ({
    ...one,
    amount: amountText(sidesOf(entryOf(entry).lines).debit),
  }))
  return runs
    .filter(({ kind }) => kind === 'nightly')
    .map(({ day, startedAt, finishedAt = toIso(nowMs) }) => ({
      night: day,
      revisions: revisions.filter(one => one.at >= startedAt && one.at <= finishedAt),
    }))
    .filter(one => one.revisions.length > 0)
}

/** Days that were given out lately, and whose checks hold their journal back. */
const heldDays = (exports: string, store: string): BusinessFacts['held'] =>
  namedDays(exports, store, DAYS_COMPUTED).flatMap(day => heldDay(exports, store, day))
