import type { GivenOut, PostingAct } from '../destination/given-out.ts'
import type { Sql } from './connection.ts'

/** The acts by which people say that a journal was imported. */
export const postingActsIn = (sql: Sql): Pick<GivenOut, 'recordPostingAct' | 'postingActs'> => ({
  async recordPostingAct(act) {
    await sql.run(
      `INSERT INTO posting_acts (store_id, day, revision, event, ref, by_name, reason, at)
       VALUES (@store, @day, @revision, @event, @ref, @by, @reason, @at)`,
      act,
    )
  },
  postingActs: store =>
    sql.all<PostingAct>(
      `SELECT store_id AS store, day, revision, event, ref, by_name AS "by", reason, at
       FROM posting_acts WHERE store_id = @store ORDER BY id`,
      { store },
    ),
})
