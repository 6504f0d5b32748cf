import type { OutboundRun, OutboundStore } from '../destination/outbound.ts'
import type { Sql, SqlConnection } from './connection.ts'
import { firstOf } from './connection.ts'

/** Runs: the newest of a plan is the only one that may send. */
export const runsIn = (
  sql: SqlConnection,
): Pick<OutboundStore, 'runs' | 'beginRun' | 'renewRun' | 'endRun'> => ({
  runs: plan =>
    sql.all<OutboundRun>(
      `SELECT plan, run, act, "user", host, pid, process_started_at AS "processStartedAt",
         started_at AS "startedAt", alive_until AS "aliveUntil", ended_at AS "endedAt", outcome
       FROM outbound_runs WHERE plan = @plan ORDER BY seq`,
      { plan },
    ),
  beginRun: (run, after) => sql.write(inside => beginRun(inside, run, after)),
  renewRun: (run, until) =>
    sql.write(async inside => {
      const changes = await inside.run(
        `UPDATE outbound_runs SET alive_until = @until
         WHERE run = @run AND ended_at IS NULL AND seq =
           (SELECT max(seq) FROM outbound_runs AS other WHERE other.plan = outbound_runs.plan)`,
        { run, until },
      )
      return changes > 0
    }),
  endRun: (run, at, outcome) =>
    sql.write(async inside => {
      await inside.run(
        `UPDATE outbound_runs SET ended_at = @at, outcome = @outcome
         WHERE run = @run AND ended_at IS NULL`,
        { run, at, outcome },
      )
    }),
})

const newestRun = (
  sql: Sql,
  plan: string,
): Promise<{ run: string; endedAt: string | null } | undefined> =>
  firstOf(
    sql,
    `SELECT run, ended_at AS "endedAt" FROM outbound_runs WHERE plan = @plan
     ORDER BY seq DESC LIMIT 1`,
    { plan },
  )

async function beginRun(sql: Sql, run: OutboundRun, after: string | null): Promise<boolean> {
  if (((await newestRun(sql, run.plan))?.run ?? null) !== after) return false
  await sql.run(
    `INSERT INTO outbound_runs (plan, run, act, "user", host, pid, process_started_at,
       started_at, alive_until, ended_at, outcome)
     VALUES (@plan, @run, @act, @user, @host, @pid, @processStartedAt,
       @startedAt, @aliveUntil, @endedAt, @outcome)`,
    run,
  )
  return true
}

/** It has not ended, and no other one has begun since. */
export async function isUnderWay(sql: Sql, plan: string, run: string): Promise<boolean> {
  const newest = await newestRun(sql, plan)
  return newest?.run === run && newest.endedAt === null
}
