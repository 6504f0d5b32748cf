import type { Kysely } from 'kysely'
import type { Schedules } from '../destination/schedules.ts'
import type { Statements } from './connection.ts'
import type { Schema } from './schema.ts'

/** The table `schedules`. */
export const createSchedules = (db: Kysely<Schema>, writer: Statements): Schedules => ({
  async all() {
    const rows = await db.selectFrom('schedules').selectAll().orderBy('schedule_id').execute()
    return rows.map(row => ({
      id: row.schedule_id,
      kind: row.kind,
      store: row.store_id,
      facts: JSON.parse(row.settings) as unknown,
      since: row.since,
      pausedAt: row.paused_at ?? undefined,
      note: row.note ?? undefined,
    }))
  },
  async keep({ id, kind, store, facts, since, pausedAt, note }) {
    const row = {
      kind,
      store_id: store,
      settings: JSON.stringify(facts),
      since,
      paused_at: pausedAt ?? null,
      note: note ?? null,
    }
    const statement = db
      .insertInto('schedules')
      .values({ schedule_id: id, ...row })
      .onConflict(conflict => conflict.column('schedule_id').doUpdateSet(row))
    await writer.execute(statement.compile())
  },
  async pause(id, pausedAt, note) {
    const statement = db
      .updateTable('schedules')
      .set({ paused_at: pausedAt ?? null, note: note ?? null })
      .where('schedule_id', '=', id)
    await writer.execute(statement.compile())
  },
  async forget(id) {
    await writer.execute(db.deleteFrom('schedules').where('schedule_id', '=', id).compile())
  },
})
