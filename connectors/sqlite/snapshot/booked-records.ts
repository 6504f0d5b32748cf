import type Database from 'better-sqlite3'
import type { Interval } from '../../../calendar/days.ts'
import type { BookedRecord, LookUp } from '../../destination/snapshot.ts'
import { quoteName } from '../../quote.ts'
import { bookedAtSql } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'

const RECORDS_AT_ONCE = 256

/** Transactions of one store as the books read them. */
export async function* bookedRecords(
  database: Database.Database,
  { name, bookedAt: times }: Stream,
  { store, startMs, endMs }: Interval & { store: string },
): AsyncGenerator<BookedRecord[]> {
  if (times === undefined) throw new Error(`${name} has no business day`)
  const bookedAt = bookedAtSql(times)
  const alive = columnsOf(database, name).includes('deleted_because')
    ? `AND coalesce(deleted_because, '') <> 'absent'`
    : ''
  const ids = database
    .prepare(
      `SELECT id FROM ${quoteName(name)} WHERE store_id = @store ${alive}
       AND ${bookedAt} >= @startMs AND ${bookedAt} < @endMs ORDER BY id`,
    )
    .pluck()
  // Only ids are put in order: records would be sorted with all that they hold.
  const record = database
    .prepare(`SELECT raw, ${bookedAt} FROM ${quoteName(name)} WHERE store_id = ? AND id = ?`)
    .raw()
  const found = ids.iterate({ store, startMs, endMs }) as IterableIterator<string>
  for (const some of inBatches(found, RECORDS_AT_ONCE))
    yield some.map(id => {
      const [raw, bookedMs] = record.get(store, id) as [string, number]
      return { id, raw, bookedMs }
    })
}

interface Place {
  view: string
  column: string
  where?: string
}

export function lookUp(
  database: Database.Database,
  store: string,
  { view, column, where = '' }: Place,
): LookUp {
  if (!columnsOf(database, view).includes(column)) return async () => new Map()
  const value = database
    .prepare(
      `SELECT ${quoteName(column)} FROM ${quoteName(view)}
       WHERE ${where} store_id = ? AND id = ?`,
    )
    .pluck()
  return async ids =>
    new Map(
      ids.flatMap(id => {
        const found = value.get(store, id) ?? undefined
        return found === undefined ? [] : [[id, found]]
      }),
    )
}

export const missingSince = (database: Database.Database, store: string, list: string): LookUp =>
  lookUp(database, store, {
    view: 'missing_records',
    column: 'asked_at',
    where: `stream = '${list}' AND`,
  })

export const statesOf = (
  database: Database.Database,
  store: string,
  list: string,
  id: string,
): string[] =>
  database
    .prepare<unknown[], string>(
      `SELECT raw FROM ${quoteName(list)} WHERE store_id = @store AND id = @id
       UNION ALL
       SELECT raw FROM versions WHERE stream = @list AND store_id = @store AND id = @id`,
    )
    .pluck()
    .all({ list, store, id })

const columnsOf = (database: Database.Database, view: string): string[] =>
  (database.pragma(`main.table_info(${quoteName(view)})`) as { name: string }[]).map(
    ({ name }) => name,
  )

/** What is read one by one, so many at a time. */
export function* inBatches<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let batch: Item[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
