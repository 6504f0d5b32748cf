import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { OutboundPlan } from '../destination/outbound.ts'
import type { ReadingTotal, Totals } from '../destination/totals.ts'
import type { Schema } from './schema.ts'

/** Over `readings`, `runs`, `dead_letters` and what is remembered of writes. */
export const countedTotals = (db: Kysely<Schema>): Omit<Totals, 'bytes' | 'freeBytes'> => ({
  async readings(after) {
    const { rows } = await sql<ReadingTotal & { newest: number }>`
      SELECT store_id AS store, stream, status, count(*) AS readings, max(batch) AS newest,
        ${sumOf('inserted')} AS "inserted",
        ${sumOf('updated')} AS "updated",
        ${sumOf('unchanged')} AS "unchanged",
        ${sumOf('duplicate')} AS "duplicate",
        ${sumOf('deadLettered')} AS "deadLettered"
      FROM readings WHERE batch > ${after} GROUP BY 1, 2, 3`.execute(db)
    const newest = Math.max(after, ...rows.map(row => row.newest))
    return { totals: rows, newest }
  },
  async nights() {
    const { rows } = await sql<{ store: string; outcome: 'done' | 'failed'; nights: number }>`
      SELECT store_id AS store, outcome, count(*) AS nights FROM runs
      WHERE kind = 'nightly' AND outcome IN ('done', 'failed') GROUP BY 1, 2`.execute(db)
    return rows
  },
  async deadLetters() {
    const { rows } = await sql<{ store: string; stream: string; letters: number }>`
      SELECT store_id AS store, stream, count(*) AS letters FROM dead_letters
      GROUP BY 1, 2`.execute(db)
    return rows
  },
  async operations(state) {
    const { rows } = await sql<{ kind: OutboundPlan['kind']; operations: number }>`
      SELECT kind, count(*) AS operations
      FROM outbound_operations JOIN outbound_plans USING (plan) WHERE state = ${state}
      GROUP BY 1`.execute(db)
    return rows
  },
})

/** Of a number in the JSON of the counts. */
const sumOf = (name: string) =>
  sql`CAST(coalesce(sum(CAST(counts ->> ${sql.lit(name)} AS bigint)), 0) AS bigint)`
