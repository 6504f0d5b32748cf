import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { KnownRun, RunKind, Runs } from '../destination/runs.ts'
import type { Statements } from './connection.ts'
import type { Schema } from './schema.ts'

const asRun = (row: Schema['runs']): KnownRun => ({
  kind: row.kind,
  store: row.store_id,
  day: row.day,
  dueAt: row.due_at,
  deadlineAt: row.deadline_at ?? undefined,
  startedAt: row.started_at,
  finishedAt: row.finished_at ?? undefined,
  outcome: row.outcome,
  attempts: row.attempts,
  detail: row.detail,
})

/** The table `runs`. */
export const createRuns = (db: Kysely<Schema>, writer: Statements): Runs => ({
  async begin({ kind, store, day, dueAt, deadlineAt, startedAt }) {
    const begun = {
      started_at: startedAt,
      finished_at: null,
      outcome: 'running' as const,
      detail: '',
    }
    const key = { kind, store_id: store, day }
    const due = { due_at: dueAt, deadline_at: deadlineAt ?? null }
    const statement = db
      .insertInto('runs')
      .values({ ...key, ...due, attempts: 1, ...begun })
      .onConflict(conflict =>
        conflict
          .columns(['kind', 'store_id', 'day'])
          .doUpdateSet(({ eb }) => ({ ...begun, attempts: eb('runs.attempts', '+', 1) }))
          .where('runs.outcome', '<>', 'done'),
      )
    await writer.execute(statement.compile())
  },
  async note({ kind, store, day }, { detail, outcome, at }) {
    const ended = outcome === undefined ? {} : { outcome, finished_at: at }
    const statement = db
      .insertInto('runs')
      .values({
        kind,
        store_id: store,
        day,
        due_at: at,
        deadline_at: null,
        started_at: at,
        finished_at: null,
        outcome: 'running',
        attempts: 1,
        detail,
        ...ended,
      })
      .onConflict(conflict =>
        conflict
          .columns(['kind', 'store_id', 'day'])
          .doUpdateSet({ detail, ...ended })
          .where('runs.outcome', '<>', 'done'),
      )
    await writer.execute(statement.compile())
  },
  newest: (kind, store, limit) => newestRuns(db, { kind, store, limit }),
  newestOfEach: limit => newestOfEach(db, limit),
})

async function newestRuns(
  db: Kysely<Schema>,
  { kind, store, limit }: { kind: RunKind; store: string; limit: number },
): Promise<KnownRun[]> {
  const runs = db
    .selectFrom('runs')
    .selectAll()
    .where('kind', '=', kind)
    .where('store_id', '=', store)
    .orderBy('day', 'desc')
    .limit(limit)
  return (await runs.execute()).map(asRun)
}

/** From the day on that so many are not older than. */
async function newestOfEach(db: Kysely<Schema>, limit: number): Promise<KnownRun[]> {
  const { rows } = await sql<Schema['runs']>`
    SELECT r.* FROM (
      SELECT kind, store_id, (
        SELECT o.day FROM runs o WHERE o.kind = k.kind AND o.store_id = k.store_id
        ORDER BY o.day DESC LIMIT 1 OFFSET ${limit - 1}
      ) AS since
      FROM (SELECT DISTINCT kind, store_id FROM runs) AS k
    ) AS each
    JOIN runs r ON r.kind = each.kind AND r.store_id = each.store_id
      AND r.day >= coalesce(each.since, '')
    ORDER BY r.day DESC`.execute(db)
  return rows.map(asRun)
}
