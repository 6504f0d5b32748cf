import { sql } from 'kysely'
import type { NamedRow } from '../../destination/rows.ts'
import { bookedAtSql } from '../../stream-sql.ts'
import { columnName } from '../../stream.ts'
import type { Stream } from '../../stream.ts'
import type { RowsPlace } from './living-rows.ts'

/** What is asked for. */
interface Named {
  stores: readonly string[]
  stream: Stream
  word: string
  within: boolean
}

/** More are no answer to who knows a name. */
const MOST = 50

/** Records that are called by a word, the ones with that id first. */
export async function namedRows(place: RowsPlace, asked: Named): Promise<NamedRow[]> {
  const columns = ['id', ...(asked.stream.knownBy ?? []).map(columnName)]
  const found: NamedRow[] = []
  for (const column of columns) {
    const { rows } = await rowsWith(place, column, asked)
    const known = new Set(found.map(({ store, id }) => `${store} ${id}`))
    found.push(
      ...rows
        .filter(({ store, id }) => !known.has(`${store} ${id}`))
        .map(row => ({ ...row, column, isGone: Boolean(row.isGone) })),
    )
  }
  return found.slice(0, MOST)
}

const rowsWith = (
  { db, dialect }: RowsPlace,
  column: string,
  { stores, stream, word, within }: Named,
) =>
  sql<Omit<NamedRow, 'column' | 'isGone'> & { isGone: boolean | 0 | 1 }>`
    SELECT store_id AS store, id, ${sql.ref(column)} AS text, deleted_at IS NOT NULL AS "isGone",
      ${stream.bookedAt === undefined ? sql`NULL` : sql.raw(bookedAtSql(stream.bookedAt))}
        AS "bookedMs"
    FROM ${sql.table(dialect.viewOf(stream.name))}
    WHERE store_id IN (SELECT value FROM json_each(${JSON.stringify(stores)}))
      AND ${
        within
          ? sql`replace(lower(${sql.ref(column)}), lower(${word}), '') <> lower(${sql.ref(column)})`
          : sql`lower(${sql.ref(column)}) = lower(${word})`
      }
    LIMIT ${MOST}`.execute(db)
