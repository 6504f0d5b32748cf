import type { Kysely } from 'kysely'
import { fromIso, toIso } from '../calendar/days.ts'
import type { RunKind } from '../connectors/destination/runs.ts'
import type { SqliteDestination } from '../connectors/sqlite/destination.ts'
import type { Schema } from '../connectors/sqlite/schema.ts'
import type { ScheduleFacts } from './rules/facts.ts'
import type { WantedSchedule } from './wanted-schedules.ts'

/**
 * What Temporal was told last. It is kept in the database, so that `status` knows what is due
 * without a server.
 */
export interface KnownSchedule {
  id: string
  kind: RunKind
  store: string
  facts: ScheduleFacts
  sinceMs: number
  paused: boolean
  note: string | undefined
}

export async function recallSchedules(db: Kysely<Schema>): Promise<KnownSchedule[]> {
  const rows = await db.selectFrom('schedules').selectAll().orderBy('schedule_id').execute()
  return rows.map(row => ({
    id: row.schedule_id,
    kind: row.kind,
    store: row.store_id,
    facts: JSON.parse(row.settings) as ScheduleFacts,
    sinceMs: fromIso(row.since),
    paused: row.paused_at !== null,
    note: row.note ?? undefined,
  }))
}

/**
 * `anew`: it is due at other times from now on, so what was due before does not count as missed.
 */
export async function rememberSchedule(
  { db, execute }: SqliteDestination,
  { id, kind, store, facts }: WantedSchedule,
  now: { sinceMs: number; anew: boolean; paused: boolean; note: string | undefined },
): Promise<void> {
  const row = {
    kind,
    store_id: store,
    settings: JSON.stringify(facts),
    paused_at: now.paused ? toIso(now.sinceMs) : null,
    note: now.note ?? null,
  }
  const since = toIso(now.sinceMs)
  await execute(
    db
      .insertInto('schedules')
      .values({ schedule_id: id, since, ...row })
      .onConflict(conflict =>
        conflict.column('schedule_id').doUpdateSet(now.anew ? { ...row, since } : row),
      )
      .compile(),
  )
}

export async function rememberPaused(
  { db, execute }: SqliteDestination,
  id: string,
  pausedAtMs: number | undefined,
  note: string | undefined,
): Promise<void> {
  await execute(
    db
      .updateTable('schedules')
      .set({ paused_at: pausedAtMs === undefined ? null : toIso(pausedAtMs), note: note ?? null })
      .where('schedule_id', '=', id)
      .compile(),
  )
}

export async function forgetSchedule(
  { db, execute }: SqliteDestination,
  id: string,
): Promise<void> {
  await execute(db.deleteFrom('schedules').where('schedule_id', '=', id).compile())
}
