import { DatabaseError } from '../../../errors.ts'
import type { CreatedDatabase } from '../../database-kind.ts'
import { quoteName as quote } from '../../quote.ts'
import { schemaOf } from '../../server-address.ts'
import type { Sql } from '../../sql/connection.ts'
import type { Stream } from '../../stream.ts'
import type { Connections } from '../connection/connections.ts'
import { sqlOn } from '../connection/sql-connection.ts'
import { allSteps, migrate } from './migrate.ts'
import {
  BOOK_RIGHTS,
  makeRole,
  READER,
  readerRights,
  streamRights,
  WORKER,
  workerRights,
} from './rights.ts'

const ROLES = [WORKER, READER]

/**
 * Makes what is missing: the schema, its tables, and the roles, whose rights are given again. Fails
 * with DATABASE_REFUSED, and changes nothing, where this role may not.
 */
export async function create(
  connections: Connections,
  address: string,
  streams: readonly Stream[],
): Promise<CreatedDatabase> {
  const schema = schemaOf(address)
  const sql = sqlOn(connections)
  const missing = await missingIn(sql, schema)
  refuseWithoutRights(connections.place, schema, missing)
  if (!missing.hasSchema) await sql.run(`CREATE SCHEMA IF NOT EXISTS ${quote(schema)}`)
  await migrate(connections, streams)
  await sql.write(async inside => {
    for (const role of missing.roles) await inside.run(makeRole(role))
    for (const statement of rights(schema, streams)) await inside.run(statement)
  })
  return { place: connections.place, owner: missing.user, made: missing.roles, roles: ROLES }
}

/** The same from the beginning, as a text for whoever may run it; nobody is asked anything. */
export function createSql(address: string, streams: readonly Stream[]): string {
  const schema = schemaOf(address)
  const owner = decodeURIComponent(new URL(address).username)
  const toOwner =
    schema === 'public'
      ? [`GRANT USAGE, CREATE ON SCHEMA public TO ${quote(owner)}`]
      : [`CREATE SCHEMA IF NOT EXISTS ${quote(schema)} AUTHORIZATION ${quote(owner)}`]
  return [
    'BEGIN',
    ...ROLES.map(makeRole),
    ...(owner === '' ? [`CREATE SCHEMA IF NOT EXISTS ${quote(schema)}`] : toOwner),
    // What the program changes later belongs to whom it signs in as.
    ...(owner === '' ? [] : [`SET LOCAL ROLE ${quote(owner)}`]),
    `SET LOCAL search_path TO ${quote(schema)}`,
    ...allSteps(streams),
    ...rights(schema, streams),
    'COMMIT',
  ]
    .map(statement => `${statement};\n`)
    .join('')
}

const rights = (schema: string, streams: readonly Stream[]): string[] => [
  ...workerRights(schema),
  ...readerRights(schema),
  ...streams.map(streamRights),
  BOOK_RIGHTS,
]

interface Missing {
  user: string
  roles: string[]
  hasSchema: boolean
  mayMakeRoles: boolean
  mayMakeSchemas: boolean
}

async function missingIn(sql: Sql, schema: string): Promise<Missing> {
  const [found] = await sql.all<Omit<Missing, 'roles'>>(
    `SELECT rolname AS user, to_regnamespace(@schema) IS NOT NULL AS "hasSchema",
       rolsuper OR rolcreaterole AS "mayMakeRoles",
       has_database_privilege(current_database(), 'CREATE') AS "mayMakeSchemas"
     FROM pg_roles WHERE rolname = current_user`,
    { schema: quote(schema) },
  )
  const there = await sql.all<{ rolname: string }>(
    `SELECT rolname FROM pg_roles WHERE rolname IN ('${ROLES.join("', '")}')`,
  )
  const roles = ROLES.filter(role => there.every(({ rolname }) => rolname !== role))
  return { ...found!, roles }
}

function refuseWithoutRights(place: string, schema: string, missing: Missing): void {
  const statements = [
    ...(missing.mayMakeRoles ? [] : missing.roles.map(role => `CREATE ROLE ${role} NOLOGIN;`)),
    ...(missing.hasSchema || missing.mayMakeSchemas
      ? []
      : [`CREATE SCHEMA ${quote(schema)} AUTHORIZATION ${quote(missing.user)};`]),
  ]
  if (statements.length === 0) return
  throw new DatabaseError(
    'DATABASE_REFUSED',
    `${place} does not let the role ${missing.user} make roles or schemas; nothing was changed`,
    {
      remedy:
        `Whoever may do it runs this, then run the same command again: ${statements.join(' ')} ` +
        'Or all of it is run by them: tillage database create --print',
    },
  )
}
