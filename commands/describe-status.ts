import { toMinute } from '../calendar/days.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import type { DueLine } from '../schedules/read-due.ts'
import { describeSpan, rowsOf } from './store-status.ts'
import type { StreamStatus } from './store-status.ts'
import { formatTable } from './terminal.ts'
import type { WorkerStanding } from './worker-is-up.ts'

export interface StoreStatus {
  store: string
  /** False: it left the configuration, and its data is still there. */
  configured: boolean
  /** How far this machine's clock was ahead of the API's when the store was read last. */
  clockSkewMs: number
  /** Its zone in the configuration is not that of what was read. */
  isZoneWrong: boolean
  timeZone: string
  attention: string[]
  streams: StreamStatus[]
}

export interface Status {
  database: string
  worker: WorkerStanding
  stores: StoreStatus[]
  due: DueLine[]
}

/** As `status --json` answers. */
export const statusAsJson = ({ database, worker, due, stores }: Status): string =>
  JSON.stringify({
    database,
    workerIsUp: worker.isUp ?? null,
    due,
    stores: stores.map(({ store, configured, clockSkewMs, timeZone, attention }) => ({
      store,
      configured,
      clockSkewMs,
      timeZone,
      attention,
    })),
    streams: stores.flatMap(store => store.streams),
  })

/** One line a store, or every stream; and what is due, with who would start it. */
export function describeStatus(
  { stores, due }: Status,
  everyStream: boolean,
  worker: readonly string[],
): string {
  const parts = [describeStores(stores)]
  if (everyStream) parts.push(...stores.filter(hasStreams).map(describeStreams))
  if (due.length > 0) parts.push(describeDue(due))
  if (due.length > 0) parts.push(...worker)
  if (!everyStream) parts.push('  Every stream: tillage status --all')
  return parts.join('\n\n')
}

/** A store that was never read and left the configuration has nothing to show. */
const hasStreams = (store: StoreStatus): boolean => store.configured || rowsOf(store.streams) > 0

const BOOKED = streams.find(({ bookedAt }) => bookedAt !== undefined)!.name

const describeStores = (stores: readonly StoreStatus[]): string =>
  formatTable(
    ['store', 'rows', `${BOOKED} proven (store time)`, 'needs attention'],
    stores.map(({ store, timeZone, attention, streams: all }) => [
      store,
      rowsOf(all),
      describeSpan(
        all.find(({ stream }) => stream === BOOKED)!,
        timeZone,
      ),
      attention.length === 0 ? 'nothing' : attention.join('; '),
    ]),
    { below: 'needs attention' },
  )

const describeStreams = ({ store, timeZone, streams: all }: StoreStatus): string =>
  formatTable(
    [store, 'rows', 'proven (store time)', 'unproven', 'rejected', 'findings', 'last read (UTC)'],
    all.map(one => [
      one.stream,
      one.rows,
      describeProven(one, timeZone),
      one.unproven,
      one.deadLetters,
      one.findings,
      one.lastReadAt === null ? 'never' : toMinute(one.lastReadAt),
    ]),
    { minor: ['last read (UTC)', 'findings', 'rejected'] },
  )

const isDated = (name: string): boolean =>
  streams.find(stream => stream.name === name)?.windowing !== 'full-refresh'

const describeList = ({ lastReadAt, watermark }: StreamStatus): string =>
  lastReadAt === null || watermark === null ? 'nothing' : `whole, ${toMinute(lastReadAt)}Z`

function describeProven(one: StreamStatus, timeZone: string): string {
  if (!one.offered) return 'not offered by the API'
  return isDated(one.stream) ? describeSpan(one, timeZone) : describeList(one)
}

const describeDue = (due: readonly DueLine[]): string =>
  formatTable(
    ['schedule', 'day', 'due (UTC)', 'ready by (UTC)', 'stands', 'why'],
    due.map(({ schedule, day, dueAt, deadlineAt, standing, detail }) => [
      schedule,
      day,
      toMinute(dueAt),
      deadlineAt === null ? '' : toMinute(deadlineAt),
      standing,
      detail,
    ]),
    { minor: ['ready by (UTC)'], below: 'why' },
  )
