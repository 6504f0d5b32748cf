import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { SampledRow } from '../../destination/rows.ts'
import { rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import type { Schema } from '../schema.ts'
import { livingRows } from './living-rows.ts'

/** Numbers tried with one question. */
const AT_ONCE = 1000
const MOST_QUESTIONS = 200

/**
 * Draws living rows, each with the same chance, without reading the table: numbers are drawn from
 * those that occur, and kept if they are a living row of the store. Fewer than asked for come where
 * there are not so many.
 */
export async function drawRows(
  db: Kysely<Schema>,
  store: string,
  stream: Stream,
  { count, random }: { count: number; random: () => number },
): Promise<number[]> {
  const { first, last } = await numbersOf(db, stream)
  if (first === null || last === null) return []
  const chosen = new Set<number>()
  for (let question = 0; question < MOST_QUESTIONS && chosen.size < count; question++) {
    const tried = Array.from(
      { length: AT_ONCE },
      () => first + Math.floor(random() * (last - first + 1)),
    )
    const living = new Set(
      (await rowsNumbered(db, store, stream, tried)).map(({ number }) => number),
    )
    for (const number of tried) if (chosen.size < count && living.has(number)) chosen.add(number)
    // A small table was tried from end to end, many times over.
    if (last - first < AT_ONCE / 20) break
  }
  return [...chosen]
}

interface Numbers {
  first: number | null
  last: number | null
}

async function numbersOf(db: Kysely<Schema>, stream: Stream): Promise<Numbers> {
  const table = sql.table(rowTable(stream.name))
  const { rows } = await sql<Numbers>`
    SELECT
      (SELECT min(rid) FROM ${table}) AS first,
      (SELECT max(rid) FROM ${table}) AS last`.execute(db)
  return rows[0]!
}

/** Those of the numbered rows that are still alive. */
export async function rowsNumbered(
  db: Kysely<Schema>,
  store: string,
  stream: Stream,
  numbers: readonly number[],
): Promise<SampledRow[]> {
  const found = await sql<SampledRow>`
    SELECT r.rid AS number, r.id, r.${sql.ref(stream.cursor)} AS modified
    FROM ${sql.table(rowTable(stream.name))} r
    WHERE r.rid IN (
        SELECT CAST(value AS bigint) FROM json_each(${JSON.stringify(numbers)}))
      AND ${livingRows(stream, store)}`.execute(db)
  return found.rows
}
