import { addDays, toIso } from '../../../calendar/days.ts'
import { UsageError } from '../../../errors.ts'
import { bookedAtSql, rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import type { Act } from '../audit-chain.ts'
import { appendAct } from '../audit-log.ts'
import type { EvictOrder, Evicted } from '../by-hand.ts'
import { all, first, run } from '../steps.ts'
import type { Steps } from '../steps.ts'
import { closeReading, noCounts, openReading } from '../window/ledger-table.ts'
import type { UpkeepDialect } from './upkeep-dialect.ts'

const COLUMN = { shopId: 'shop_id', companyId: 'company_id' } as const

/**
 * Takes rows of another shop out of a store, with their lines, versions and dead letters, and an
 * entry in the audit log; inside a transaction. A dry run only reads. A reading without records
 * stands for it in the story of the store, and a version without content in each minute that was
 * booked: by these the books are seen to have changed.
 */
export function* evictShop(
  dialect: UpkeepDialect,
  order: EvictOrder,
  streams: readonly Stream[],
  actOf: (evicted: Evicted) => Act,
): Steps<Evicted> {
  const timeZone = yield* refuseOwn(order)
  const speaking = streams.filter(({ columns }) => COLUMN[order.field] in columns)
  yield* run('SAVEPOINT evicting')
  const parts: Part[] = []
  for (const stream of speaking) parts.push(yield* evictFrom(dialect, order, stream))
  if (order.dryRun) yield* run('ROLLBACK TO evicting')
  const silent: string[] = []
  for (const stream of streams)
    if (!speaking.includes(stream) && (yield* hasRows(order.store, stream)))
      silent.push(stream.name)
  const evicted = {
    store: order.store,
    streams: parts.flatMap(({ stream, rows, versions, deadLetters }) =>
      rows + versions + deadLetters > 0 ? [{ stream, rows, versions, deadLetters }] : [],
    ),
    windows: parts.flatMap(({ windows }) => windows),
    bookedMinutes: parts.flatMap(({ bookedMinutes }) => bookedMinutes),
    timeZone,
    givenOut: yield* givenOutOf(order.store),
    silent,
  }
  if (!order.dryRun) yield* appendAct(actOf(evicted), dialect.lastAuditNumberSql)
  return evicted
}

type Part = Evicted['streams'][number] & Pick<Evicted, 'windows' | 'bookedMinutes'>

function* evictFrom(dialect: UpkeepDialect, order: EvictOrder, stream: Stream): Steps<Part> {
  const { store, owner } = order
  const table = rowTable(stream.name)
  const isForeign = `store_id = @store AND ${COLUMN[order.field]} = @owner`
  const given = { store, owner, stream: stream.name }
  const bookedMinutes = yield* bookedMinutesOf(`${table} WHERE ${isForeign}`, stream, given)
  const windows = yield* doubtWindows(`${table} WHERE ${isForeign}`, order, stream)
  for (const child of Object.keys(stream.children))
    yield* run(
      `DELETE FROM ${rowTable(child)} WHERE rid IN (SELECT rid FROM ${table} WHERE ${isForeign})`,
      given,
    )
  const rows = yield* run(`DELETE FROM ${table} WHERE ${isForeign}`, given)
  const isForeignRaw = `store_id = @store AND stream = @stream
    AND ${dialect.fieldOf('raw', order.field)} = @owner`
  const removeFrom = (name: string): Steps<number> =>
    run(`DELETE FROM ${name} WHERE ${isForeignRaw}`, given)
  const versions = yield* removeFrom('versions')
  const deadLetters = (yield* removeFrom('dead_letters')) + (yield* removeFrom('discarded_letters'))
  if (rows > 0) yield* leaveTrace(order, stream, bookedMinutes)
  return { stream: stream.name, rows, versions, deadLetters, windows, bookedMinutes }
}

function* bookedMinutesOf(rows: string, { bookedAt }: Stream, given: object): Steps<number[]> {
  if (bookedAt === undefined) return []
  const found = yield* all<{ ms: number }>(
    `SELECT DISTINCT ms
     FROM (SELECT ${bookedAtSql(bookedAt)} / 60000 * 60000 AS ms FROM ${rows}) AS booked
     WHERE ms IS NOT NULL ORDER BY ms`,
    given,
  )
  return found.map(({ ms }) => ms)
}

/** All that overlap a reading by which one of the rows came, or was seen last. */
function* doubtWindows(
  rows: string,
  { store, field, owner }: EvictOrder,
  { name }: Stream,
): Steps<Evicted['windows']> {
  const given = { store, owner, stream: name }
  const held = `store_id = @store AND stream = @stream AND EXISTS (
    SELECT 1 FROM readings r
    WHERE r.batch IN (SELECT batch FROM ${rows} UNION SELECT first_batch FROM ${rows})
      AND r.window_start < windows.window_end AND r.window_end > windows.window_start)`
  const found = yield* all<{ windows: number; from: string; to: string }>(
    `SELECT count(*) AS windows, min(window_start) AS "from", max(window_end) AS "to"
     FROM windows WHERE ${held} HAVING count(*) > 0`,
    given,
  )
  const evidence = JSON.stringify({
    reason: 'ROWS_OF_ANOTHER_SHOP',
    detail: `rows of ${field} ${owner} were taken out`,
  })
  yield* run(`UPDATE windows SET status = 'unproven', evidence = @evidence WHERE ${held}`, {
    ...given,
    evidence,
  })
  return found.map(part => ({ stream: name, ...part }))
}

function* leaveTrace(
  { store, nowMs }: EvictOrder,
  { name, bookedAt }: Stream,
  bookedMinutes: readonly number[],
): Steps<void> {
  const readAt = toIso(nowMs)
  const [first = nowMs, last = nowMs] = [bookedMinutes.at(0), bookedMinutes.at(-1)]
  const window = { start: toIso(first), end: toIso(last) }
  const reading = { store, stream: name, window, readAt, status: 'evicted' } as const
  const batch = yield* openReading(reading)
  yield* closeReading(`${store} ${name}`, batch, noCounts(0))
  for (const ms of bookedMinutes)
    yield* run(
      `INSERT INTO versions (stream, store_id, id, from_batch, to_batch, modified, gone_at, raw)
       VALUES (@name, @store, 'evicted', @batch, @batch, NULL, @nowMs, @raw)`,
      { name, store, batch, nowMs, raw: JSON.stringify({ [bookedAt![0]!]: ms }) },
    )
}

function* hasRows(store: string, { name }: Stream): Steps<boolean> {
  const sql = `SELECT 1 AS one FROM ${rowTable(name)} WHERE store_id = @store LIMIT 1`
  return (yield* first(sql, { store })) !== undefined
}

/** Journals and files; a range once. */
function* givenOutOf(store: string): Steps<Evicted['givenOut']> {
  const ranges = yield* all<{ from: string; to: string | null }>(
    `SELECT from_day AS "from", to_day AS "to" FROM given_files WHERE store_id = @store
     UNION SELECT day, NULL FROM journal_entries WHERE store_id = @store`,
    { store },
  )
  const known = ranges.map(({ from, to }) => `${from} ${to ?? addDays(from, 1)}`)
  return [...new Set(known)].toSorted().map(range => {
    const [from, to] = range.split(' ') as [string, string]
    return { from, to }
  })
}

/** Answers the zone of the store. */
function* refuseOwn({ store, field, owner }: EvictOrder): Steps<string> {
  const known = yield* first<{ own: string | null; timeZone: string }>(
    `SELECT ${COLUMN[field]} AS own, time_zone AS "timeZone" FROM stores WHERE store_id = @store`,
    { store },
  )
  if (known === undefined)
    throw new UsageError(`there is no store ${store} in the database`, 'tillage store list')
  if (known.own !== owner) return known.timeZone
  throw new UsageError(
    `${owner} is the ${field} of ${store} itself: these rows are its own; nothing was changed`,
    'tillage store list says whom each store stands for.',
  )
}
