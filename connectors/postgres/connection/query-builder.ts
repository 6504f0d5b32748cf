import { Kysely, PostgresDialect } from 'kysely'
import type { Schema } from '../../sql/schema.ts'
import type { Connections } from './connections.ts'

/** Kysely on these connections. */
export const kyselyOn = (connections: Connections): Kysely<Schema> =>
  new Kysely<Schema>({ dialect: new PostgresDialect({ pool: { ...connections, options: {} } }) })
