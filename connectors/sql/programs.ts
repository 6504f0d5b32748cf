import type { Kysely } from 'kysely'
import type { Program, Programs } from '../destination/programs.ts'
import type { Statements } from './connection.ts'
import type { Schema } from './schema.ts'

/** The table `programs`. */
export const createPrograms = (db: Kysely<Schema>, writer: Statements): Programs => ({
  async keep({ machine, pid, processStarted, at, settings, problem = null }) {
    const row = {
      process_started: processStarted,
      at,
      settings: JSON.stringify(settings),
      problem,
    }
    const statement = db
      .insertInto('programs')
      .values({ machine, pid, ...row })
      .onConflict(conflict => conflict.columns(['machine', 'pid']).doUpdateSet(row))
    await writer.execute(statement.compile())
  },
  async all() {
    const rows = await db.selectFrom('programs').selectAll().orderBy('at').execute()
    return rows.map(
      ({ machine, pid, process_started: processStarted, at, settings, problem }): Program => ({
        machine,
        pid,
        processStarted,
        at,
        settings: JSON.parse(settings) as Program['settings'],
        problem: problem ?? undefined,
      }),
    )
  },
  async forget({ machine, pid }) {
    const statement = db
      .deleteFrom('programs')
      .where('machine', '=', machine)
      .where('pid', '=', pid)
    await writer.execute(statement.compile())
  },
})
