import type { Kysely } from 'kysely'
import type { Findings } from '../destination/findings.ts'
import type { Schema } from './schema.ts'
import type { Statements } from './statements.ts'

/** The table `findings`, read and written outside of windows. */
export const createFindings = (db: Kysely<Schema>, writer: Statements): Findings => {
  const found = db
    .selectFrom('findings')
    .select(['id', 'store_id as store', 'stream', 'code', 'detail', 'times'])
    .select(['first_seen_at as firstSeenAt', 'last_seen_at as lastSeenAt'])
  return {
    async note({ id, store, stream, code, detail, readAt }) {
      const seen = { detail, last_seen_at: readAt }
      const statement = db
        .insertInto('findings')
        .values({ id, store_id: store, stream, code, times: 1, first_seen_at: readAt, ...seen })
        .onConflict(conflict =>
          conflict
            .column('id')
            .doUpdateSet(({ eb }) => ({ ...seen, times: eb('findings.times', '+', 1) })),
        )
      await writer.execute(statement.compile())
    },
    of(store, stream) {
      const all = found.where('store_id', '=', store).orderBy('stream').orderBy('code')
      return (stream === undefined ? all : all.where('stream', '=', stream)).execute()
    },
    byId: async ids =>
      ids.length === 0 ? [] : found.where('id', 'in', ids).orderBy('code').execute(),
  }
}
