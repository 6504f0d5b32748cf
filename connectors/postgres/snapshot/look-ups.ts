import type { LookUp, Snapshot } from '../../destination/snapshot.ts'
import { quoteName } from '../../quote.ts'
import type { Sql } from '../../sql/connection.ts'
import { storedView } from '../schema/stream-views.ts'

/** What is asked of single records. */
export const lookUpsIn = (
  sql: Sql,
  store: string,
): Pick<Snapshot, 'states' | 'lookUp' | 'missingSince'> => ({
  async states(list, id) {
    const found = await sql.all<{ raw: string }>(
      `SELECT raw FROM ${storedView(list)} WHERE store_id = @store AND id = @id
       UNION ALL
       SELECT raw FROM versions WHERE stream = @list AND store_id = @store AND id = @id`,
      { list, store, id },
    )
    return found.map(({ raw }) => raw)
  },
  lookUp: (list, column) => lookUp(sql, store, { view: storedView(list), column }),
  missingSince: list =>
    lookUp(sql, store, { view: 'missing_records', column: 'asked_at', stream: list }),
})

interface Place {
  view: string
  column: string
  stream?: string
}

function lookUp(sql: Sql, store: string, { view, column, stream }: Place): LookUp {
  let isThere: Promise<boolean> | undefined
  const ofStream = stream === undefined ? '' : 'stream = @stream AND'
  return async ids => {
    isThere ??= hasColumn(sql, view, column)
    if (!(await isThere)) return new Map()
    const found = await sql.all<{ id: string; value: unknown }>(
      `SELECT id, ${quoteName(column)} AS value FROM ${view}
       WHERE ${ofStream} store_id = @store AND ${quoteName(column)} IS NOT NULL
         AND id = ANY (CAST(@ids AS text[]))`,
      { store, ids, ...(stream === undefined ? {} : { stream }) },
    )
    return new Map(found.map(({ id, value }) => [id, value]))
  }
}

async function hasColumn(sql: Sql, view: string, column: string): Promise<boolean> {
  const found = await sql.all(
    `SELECT 1 AS one FROM pg_attribute
     WHERE attrelid = to_regclass(@view) AND attname = @column AND NOT attisdropped`,
    { view, column },
  )
  return found.length > 0
}
