import type Database from 'better-sqlite3'
import type { GivenOut } from '../../destination/given-out.ts'

/** The acts by which people say that a journal was imported. */
export const postingActsIn = (
  database: Database.Database,
): Pick<GivenOut, 'recordPostingAct' | 'postingActs'> => ({
  recordPostingAct: act =>
    void database
      .prepare(
        `INSERT INTO posting_acts (store_id, day, revision, event, ref, by_name, reason, at)
         VALUES (@store, @day, @revision, @event, @ref, @by, @reason, @at)`,
      )
      .run(act),
  postingActs: store =>
    database
      .prepare(
        `SELECT store_id AS store, day, revision, event, ref, by_name AS by, reason, at
         FROM posting_acts WHERE store_id = ? ORDER BY id`,
      )
      .all(store) as ReturnType<GivenOut['postingActs']>,
})
