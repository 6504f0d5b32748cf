import { bookedStream } from '../../books/order-journal.ts'
import { wallMinute } from '../../calendar/clock.ts'
import { fromIso, toIso } from '../../calendar/days.ts'
import type { Freshness } from '../../connectors/destination/hints.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import type { DueLine } from '../../schedules/read-due.ts'
import type { Notice } from '../../standing/notice.ts'
import type { StoreStanding } from '../../standing/read-store.ts'
import { describeSpan, rowsOf } from '../../standing/stream-status.ts'
import type { StreamStatus } from '../../standing/stream-status.ts'
import { countOf } from '../terminal/number.ts'
import { fold } from '../terminal/started-as.ts'
import { formatTable } from '../terminal/table.ts'
import { describeProblem } from './worker-is-up.ts'
import type { WorkerStanding } from './worker-is-up.ts'

export interface StoreStatus extends StoreStanding {
  /** What its API was found to let through, where it refused more. */
  pace: { perSecond: number; foundAt: string } | null
}

export interface Status {
  database: string
  worker: WorkerStanding
  /** What is open of the programs that work for it. */
  installation: readonly Notice[]
  stores: StoreStatus[]
  due: DueLine[]
  /** Of the streams that the API's events have told of. */
  freshness: readonly Freshness[]
  nowMs: number
}

/** As `status --json` answers. */
export const statusAsJson = (status: Status): string => {
  const { database, worker, installation, due, stores } = status
  return JSON.stringify({
    database,
    workerIsUp: worker.isUp ?? null,
    stranded: worker.stranded.map(({ workflowId }) => workflowId),
    due,
    notices: [...installation, ...stores.flatMap(store => store.notices)],
    stores: stores.map(store => ({
      store: store.store,
      configured: store.configured,
      clockSkewMs: store.clockSkewMs,
      pace: store.pace,
      timeZone: store.timeZone,
      lastReadAt: lastReadOf(store) ?? null,
      lastAttempt: attemptAsJson(store),
      attention: store.notices.map(({ text }) => text),
    })),
    streams: stores.flatMap(store => store.streams),
    freshness: status.freshness.map(one => freshnessAsJson(one, status.nowMs)),
  })
}

/** When any list of a store was read last; undefined: never. */
const lastReadOf = ({ streams: all }: StoreStatus): string | undefined =>
  all
    .flatMap(({ lastReadAt }) => lastReadAt ?? [])
    .toSorted()
    .at(-1)

const attemptAsJson = ({ attempt }: StoreStatus): object | null =>
  attempt === undefined
    ? null
    : { at: attempt.at, outcome: attempt.outcome, code: attempt.code ?? null }

const freshnessAsJson = (one: Freshness, nowMs: number): object => ({
  store: one.store,
  stream: one.stream,
  lastHintAt: toIso(one.lastHintMs),
  lastReadAt: one.lastReadMs === undefined ? null : toIso(one.lastReadMs),
  secondsBehind: secondsBehind(one, nowMs),
})

/** How long the oldest event waits for its read. */
const secondsBehind = ({ waitingSinceMs }: Freshness, nowMs: number): number =>
  waitingSinceMs === undefined ? 0 : Math.max(0, Math.round((nowMs - waitingSinceMs) / 1000))

/** Below this a stream is as fresh as it can be. */
const BEHIND_SECONDS = 60

const describeFreshness = ({ freshness, nowMs }: Status): string[] =>
  freshness
    .filter(one => secondsBehind(one, nowMs) > BEHIND_SECONDS)
    .map(one =>
      fold(
        `  ${one.store}: events of ${one.stream} wait for ${countOf(secondsBehind(one, nowMs), 'second')}; ` +
          'they are read while tillage up runs',
      ),
    )

/** One line a store, or every stream; and what is due, with who would start it. */
export function describeStatus(status: Status, everyStream: boolean): string {
  const { stores, due, worker, installation } = status
  const parts = [describeStores(stores)]
  if (everyStream) parts.push(...stores.filter(hasStreams).map(describeStreams))
  if (everyStream) parts.push(...stores.flatMap(describePace))
  if (due.length > 0) parts.push(describeDue(due))
  if (due.length > 0) parts.push(...describeProblem(worker))
  if (stores.every(({ notices }) => notices.length === 0)) parts.push('  No store needs attention.')
  parts.push(...installation.map(({ text }) => fold(`  ${text}`)))
  parts.push(...describeFreshness(status))
  parts.push(...describeZones(stores))
  if (!everyStream) parts.push('  Every stream: tillage status --all')
  return parts.join('\n\n')
}

/** How fast a store is asked, where its API sets the pace. */
const describePace = ({ store, pace, timeZone }: StoreStatus): string[] =>
  pace === null
    ? []
    : [
        fold(
          `  The API of ${store} answers about ${pace.perSecond} requests a second and refuses more ` +
            `(found ${wallMinute(fromIso(pace.foundAt), timeZone)}).`,
        ),
      ]

/** Whose clocks all times are of. */
function describeZones(stores: readonly StoreStatus[]): string[] {
  const zones = Map.groupBy(stores, ({ timeZone }) => timeZone)
  const named = [...zones].map(([zone, its]) =>
    zones.size === 1 ? zone : `${zone} (${its.map(({ store }) => store).join(', ')})`,
  )
  return named.length === 0 ? [] : [fold(`  Times are those of the store: ${named.join(', ')}`)]
}

/** A store that was never read and left the configuration has nothing to show. */
const hasStreams = (store: StoreStatus): boolean => store.configured || rowsOf(store.streams) > 0

const BOOKED = bookedStream().name

const describeStores = (stores: readonly StoreStatus[]): string =>
  formatTable(
    ['store', 'rows', `${BOOKED} proven`, 'last read', 'last attempt', 'needs attention'],
    stores.map(one => [
      one.store,
      rowsOf(one.streams),
      describeSpan(
        one.streams.find(({ stream }) => stream === BOOKED)!,
        one.timeZone,
      ),
      minuteOrNever(lastReadOf(one), one.timeZone),
      describeAttempt(one),
      needsAttention(one),
    ]),
    { below: 'needs attention', minor: ['rows'] },
  )

/** So many lists that are not proven have one reason, mostly: an API that went. */
const MANY_LISTS = 4

/** What is open of a store, a line each; many lists that are not proven have one together. */
function needsAttention({ store, notices, streams: all }: StoreStatus): string[] {
  const lists = all.filter(({ unproven }) => unproven > 0)
  if (lists.length < MANY_LISTS) return notices.map(({ text }) => text)
  const windows = lists.reduce((sum, { unproven }) => sum + unproven, 0)
  const together =
    `${countOf(windows, 'window')} of ${lists.length} lists not proven: ` +
    `tillage status --store ${store}`
  return [...new Set(notices.map(({ kind, text }) => (kind === 'unproven' ? together : text)))]
}

const minuteOrNever = (at: string | undefined, timeZone: string): string =>
  at === undefined ? 'never' : wallMinute(fromIso(at), timeZone)

const describeAttempt = ({ attempt, timeZone }: StoreStatus): string =>
  attempt?.outcome === 'failed'
    ? `${wallMinute(fromIso(attempt.at), timeZone)} failed`
    : minuteOrNever(attempt?.at, timeZone)

const describeStreams = ({ store, timeZone, streams: all }: StoreStatus): string =>
  formatTable(
    [store, 'rows', 'proven', 'unproven', 'rejected', 'findings', 'last read'],
    all.map(one => [
      one.stream,
      one.rows,
      describeProven(one, timeZone),
      one.unproven,
      one.deadLetters,
      one.findings,
      one.lastReadAt === null ? 'never' : wallMinute(fromIso(one.lastReadAt), timeZone),
    ]),
    { minor: ['last read', 'findings', 'rejected'] },
  )

const isDated = (name: string): boolean =>
  streams.find(stream => stream.name === name)?.windowing !== 'full-refresh'

const describeList = ({ lastReadAt, watermark }: StreamStatus, timeZone: string): string =>
  lastReadAt === null || watermark === null
    ? 'nothing'
    : `whole, ${wallMinute(fromIso(lastReadAt), timeZone)}`

function describeProven(one: StreamStatus, timeZone: string): string {
  if (!one.offered) return 'not offered by the API'
  return isDated(one.stream) ? describeSpan(one, timeZone) : describeList(one, timeZone)
}

const describeDue = (due: readonly DueLine[]): string =>
  formatTable(
    ['schedule', 'day', 'due', 'ready by', 'stands', 'why'],
    due.map(({ schedule, timeZone, day, dueAt, deadlineAt, standing, detail }) => [
      schedule,
      day,
      wallMinute(fromIso(dueAt), timeZone),
      deadlineAt === null ? '' : wallMinute(fromIso(deadlineAt), timeZone),
      standing,
      detail,
    ]),
    { minor: ['ready by'], below: 'why' },
  )
