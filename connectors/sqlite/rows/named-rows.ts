import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { NamedRow } from '../../destination/rows.ts'
import type { Schema } from '../../sql/schema.ts'
import { bookedAtSql } from '../../stream-sql.ts'
import { columnName } from '../../stream.ts'
import type { Stream } from '../../stream.ts'

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
export async function namedRows(db: Kysely<Schema>, asked: Named): Promise<NamedRow[]> {
  const columns = ['id', ...(asked.stream.knownBy ?? []).map(columnName)]
  const found: NamedRow[] = []
  for (const column of columns) {
    const { rows } = await rowsWith(db, column, asked)
    const known = new Set(found.map(({ store, id }) => `${store} ${id}`))
    found.push(
      ...rows
        .filter(({ store, id }) => !known.has(`${store} ${id}`))
        .map(row => ({ ...row, column, isGone: row.isGone === 1 })),
    )
  }
  return found.slice(0, MOST)
}

const rowsWith = (db: Kysely<Schema>, column: string, { stores, stream, word, within }: Named) =>
  sql<Omit<NamedRow, 'column' | 'isGone'> & { isGone: number }>`
    SELECT store_id AS store, id, ${sql.ref(column)} AS text, deleted_at IS NOT NULL AS "isGone",
      ${stream.bookedAt === undefined ? sql`NULL` : sql.raw(bookedAtSql(stream.bookedAt))}
        AS "bookedMs"
    FROM ${sql.table(stream.name)}
    WHERE store_id IN (SELECT value FROM json_each(${JSON.stringify(stores)}))
      AND ${
        within
          ? sql`instr(lower(${sql.ref(column)}), lower(${word})) > 0`
          : sql`lower(${sql.ref(column)}) = lower(${word})`
      }
    LIMIT ${MOST}`.execute(db)
