import type { Kysely } from 'kysely'
import type { KnownRun, RunKind, Runs } from '../destination/runs.ts'
import type { Schema } from './schema.ts'
import type { Statements } from './statements.ts'

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
  async note({ kind, store, day }, { detail, outcome, finishedAt }) {
    const ended = outcome === undefined ? {} : { outcome, finished_at: finishedAt ?? null }
    const statement = db
      .updateTable('runs')
      .set({ detail, ...ended })
      .where('kind', '=', kind)
      .where('store_id', '=', store)
      .where('day', '=', day)
      .where('outcome', '<>', 'done')
    await writer.execute(statement.compile())
  },
  newest: (kind, store, limit) => newestRuns(db, { kind, store, limit }),
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
