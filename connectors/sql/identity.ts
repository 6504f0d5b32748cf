import type { Kysely } from 'kysely'
import type { Identity } from '../destination/identity.ts'
import type { Schema } from './schema.ts'

/** The table `database_identity`. */
export const createIdentity = (db: Kysely<Schema>): Identity => ({
  id: async () =>
    (await db.selectFrom('database_identity').select('id').executeTakeFirstOrThrow()).id,
})
