import type Sqlite from 'better-sqlite3'
import { toIso } from '../../../calendar/days.ts'
import { UsageError } from '../../../errors.ts'
import type { Evicted, EvictOrder } from '../../sql/by-hand.ts'
import { closeReading, noCounts, openReading } from '../../sql/window/readings.ts'
import { bookedAtSql } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import { literal, quote, rowTable } from '../connection/sql-text.ts'
import { stepsOn } from '../connection/steps.ts'

const COLUMN = { shopId: 'shop_id', companyId: 'company_id' } as const

/**
 * Takes rows of another shop out of a store, with their lines, versions and dead letters; inside a
 * transaction. A reading without records stands for it in the story of the store, and a version
 * without content in each minute that was booked: by these the books are seen to have changed.
 */
export function takeShopOut(
  connection: Sqlite.Database,
  order: EvictOrder,
  streams: readonly Stream[],
): Evicted {
  const timeZone = refuseOwn(connection, order)
  const speaking = streams.filter(({ columns }) => COLUMN[order.field] in columns)
  connection.exec('SAVEPOINT evicting')
  const parts = speaking.map(stream => evictFrom(connection, order, stream))
  if (order.dryRun) connection.exec('ROLLBACK TO evicting')
  return {
    store: order.store,
    streams: parts.flatMap(({ stream, rows, versions, deadLetters }) =>
      rows + versions + deadLetters > 0 ? [{ stream, rows, versions, deadLetters }] : [],
    ),
    windows: parts.flatMap(({ windows }) => windows),
    bookedMinutes: parts.flatMap(({ bookedMinutes }) => bookedMinutes),
    timeZone,
    givenOut: givenOutOf(connection, order.store),
    silent: streams
      .filter(stream => !speaking.includes(stream) && hasRows(connection, order.store, stream))
      .map(({ name }) => name),
  }
}

type Part = Evicted['streams'][number] & Pick<Evicted, 'windows' | 'bookedMinutes'>

function evictFrom(connection: Sqlite.Database, order: EvictOrder, stream: Stream): Part {
  const { store, owner } = order
  const table = rowTable(stream.name)
  const isForeign = `store_id = @store AND ${COLUMN[order.field]} = @owner`
  const given = { store, owner, stream: stream.name }
  const bookedMinutes = bookedMinutesOf(connection, `${table} WHERE ${isForeign}`, stream, given)
  const windows = doubtWindows(connection, `${table} WHERE ${isForeign}`, order, stream)
  for (const child of Object.keys(stream.children))
    connection
      .prepare(
        `DELETE FROM ${rowTable(child)} WHERE rid IN (SELECT rid FROM ${table} WHERE ${isForeign})`,
      )
      .run(given)
  const rows = connection.prepare(`DELETE FROM ${table} WHERE ${isForeign}`).run(given).changes
  const isForeignRaw = `store_id = @store AND stream = @stream
    AND CASE WHEN json_valid(raw) THEN raw ->> ${literal(`$.${order.field}`)} END = @owner`
  const removeFrom = (name: string): number =>
    connection.prepare(`DELETE FROM ${name} WHERE ${isForeignRaw}`).run(given).changes
  const versions = removeFrom('versions')
  const deadLetters = removeFrom('dead_letters') + removeFrom('discarded_letters')
  if (rows > 0) leaveTrace(connection, order, stream, bookedMinutes)
  return { stream: stream.name, rows, versions, deadLetters, windows, bookedMinutes }
}

function bookedMinutesOf(
  connection: Sqlite.Database,
  rows: string,
  { bookedAt }: Stream,
  given: object,
): number[] {
  if (bookedAt === undefined) return []
  const minute = `${bookedAtSql(bookedAt)} / 60000 * 60000`
  return connection
    .prepare<object, number>(
      `SELECT DISTINCT ${minute} AS ms FROM ${rows} AND ms IS NOT NULL ORDER BY ms`,
    )
    .pluck()
    .all(given)
}

/** All that overlap a reading by which one of the rows came, or was seen last. */
function doubtWindows(
  connection: Sqlite.Database,
  rows: string,
  { store, field, owner }: EvictOrder,
  { name }: Stream,
): Evicted['windows'] {
  const given = { store, owner, stream: name }
  const held = `store_id = @store AND stream = @stream AND EXISTS (
    SELECT 1 FROM readings r
    WHERE r.batch IN (SELECT batch FROM ${rows} UNION SELECT first_batch FROM ${rows})
      AND r.window_start < windows.window_end AND r.window_end > windows.window_start)`
  const found = connection
    .prepare<object, { windows: number; from: string; to: string }>(
      `SELECT count(*) AS windows, min(window_start) AS "from", max(window_end) AS "to"
       FROM windows WHERE ${held} HAVING count(*) > 0`,
    )
    .all(given)
  const evidence = JSON.stringify({
    reason: 'ROWS_OF_ANOTHER_SHOP',
    detail: `rows of ${field} ${owner} were taken out`,
  })
  connection
    .prepare(`UPDATE windows SET status = 'unproven', evidence = @evidence WHERE ${held}`)
    .run({ ...given, evidence })
  return found.map(part => ({ stream: name, ...part }))
}

function leaveTrace(
  connection: Sqlite.Database,
  { store, nowMs }: EvictOrder,
  { name, bookedAt }: Stream,
  bookedMinutes: readonly number[],
): void {
  const run = stepsOn(connection)
  const readAt = toIso(nowMs)
  const [first = nowMs, last = nowMs] = [bookedMinutes.at(0), bookedMinutes.at(-1)]
  const window = { start: toIso(first), end: toIso(last) }
  const batch = run(openReading({ store, stream: name, window, readAt, status: 'evicted' }))
  run(closeReading(`${store} ${name}`, batch, noCounts(0)))
  const insert = connection.prepare(
    `INSERT INTO versions (stream, store_id, id, from_batch, to_batch, modified, gone_at, raw)
     VALUES (?, ?, 'evicted', ?, ?, NULL, ?, ?)`,
  )
  for (const ms of bookedMinutes)
    insert.run(name, store, batch, batch, nowMs, JSON.stringify({ [bookedAt![0]!]: ms }))
}

const hasRows = (connection: Sqlite.Database, store: string, { name }: Stream): boolean =>
  connection.prepare(`SELECT 1 FROM ${rowTable(name)} WHERE store_id = ? LIMIT 1`).get(store) !==
  undefined

/** Journals and files; a range once. */
const givenOutOf = (connection: Sqlite.Database, store: string): Evicted['givenOut'] =>
  connection
    .prepare<object, Evicted['givenOut'][number]>(
      `SELECT from_day AS "from", to_day AS "to" FROM given_files WHERE store_id = @store
       UNION SELECT day, date(day, '+1 day') FROM journal_entries WHERE store_id = @store`,
    )
    .all({ store })

/** Answers the zone of the store. */
function refuseOwn(connection: Sqlite.Database, { store, field, owner }: EvictOrder): string {
  const known = connection
    .prepare<[string], { own: string | null; timeZone: string }>(
      `SELECT ${quote(COLUMN[field])} AS own, time_zone AS "timeZone"
       FROM stores WHERE store_id = ?`,
    )
    .get(store)
  if (known === undefined)
    throw new UsageError(`there is no store ${store} in the database`, 'tillage store list')
  if (known.own !== owner) return known.timeZone
  throw new UsageError(
    `${owner} is the ${field} of ${store} itself: these rows are its own; nothing was changed`,
    'tillage store list says whom each store stands for.',
  )
}
