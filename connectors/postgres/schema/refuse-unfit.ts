import { DatabaseError } from '../../../errors.ts'
import { quoteName as quote } from '../../quote.ts'
import type { Sql } from '../../sql/connection.ts'
import { STEPS_TABLE, hasTable } from './existing-schema.ts'

/** The server, and what the role may do there, as the server says. */
interface Situation {
  /** `18.1`, and as a number: 180001. */
  version: string
  versionNumber: number
  encoding: string
  role: string
  database: string
  schema: string
  hasSchema: boolean
  mayMakeSchemas: boolean
  mayStage: boolean
  mayUse: boolean
  mayCreate: boolean
}

const OLDEST = 15

/**
 * Fails with DATABASE_REFUSED where the program could not work here: an older server, another
 * encoding, a right that the role lacks. The remedy is the SQL that whoever may must run.
 */
export async function refuseUnfit(sql: Sql, place: string): Promise<void> {
  const situation = await situationOf(sql)
  refuseServer(place, situation)
  const tables = (await hasTable(sql, STEPS_TABLE)) ? await grantsOnTables(sql, situation) : []
  refuseLacking(place, situation, [...grantsOnSchema(situation), ...tables])
}

/** The same for a schema in which tables are to be made: the schema is, where there is none. */
export async function requireSchema(sql: Sql, place: string): Promise<void> {
  const situation = await situationOf(sql)
  refuseServer(place, situation)
  refuseLacking(place, situation, grantsOnSchema(situation))
  if (situation.hasSchema) return
  try {
    await sql.run(`CREATE SCHEMA IF NOT EXISTS ${quote(situation.schema)}`)
  } catch (cause) {
    // Of two that make it at once, one is refused.
    if (!(await situationOf(sql)).hasSchema) throw cause
  }
}

/** Where the role may not look into the schema, nothing seems to be there. */
export async function refuseBlind(sql: Sql, place: string): Promise<void> {
  const situation = await situationOf(sql)
  if (situation.hasSchema && !situation.mayUse)
    refuseLacking(place, situation, grantsOnSchema(situation))
}

const situationOf = async (sql: Sql): Promise<Situation> =>
  (await sql.all<Situation>(SITUATION))[0]!

const SITUATION = `
  SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
    current_setting('server_version_num')::integer AS "versionNumber",
    current_setting('server_encoding') AS encoding,
    current_user::text AS role, current_database()::text AS database, schema,
    namespace IS NOT NULL AS "hasSchema",
    has_database_privilege(current_database(), 'CREATE') AS "mayMakeSchemas",
    has_database_privilege(current_database(), 'TEMPORARY') AS "mayStage",
    coalesce(has_schema_privilege(namespace, 'USAGE'), true) AS "mayUse",
    coalesce(has_schema_privilege(namespace, 'CREATE'), true) AS "mayCreate"
  FROM (
    SELECT schema, to_regnamespace(quote_ident(schema))::oid AS namespace
    FROM split_part(current_setting('search_path'), ',', 1) AS schema
  ) AS wanted`

function refuseServer(
  place: string,
  { version, versionNumber, encoding, database }: Situation,
): void {
  if (versionNumber < OLDEST * 10_000)
    throw new DatabaseError(
      'DATABASE_REFUSED',
      `${place} is on PostgreSQL ${version}, and ${OLDEST} is the oldest that is supported`,
      {
        remedy: 'Update the server (pg_upgrade), or name another one in database: of tillage.yaml.',
      },
    )
  if (encoding !== 'UTF8')
    throw new DatabaseError(
      'DATABASE_REFUSED',
      `${place} keeps texts as ${encoding}, which cannot hold every name; UTF8 can`,
      {
        remedy:
          'Name a database of that encoding in database: of tillage.yaml. Whoever may makes one: ' +
          `CREATE DATABASE ${quote(`${database}_utf8`)} ENCODING 'UTF8' TEMPLATE template0;`,
      },
    )
}

function grantsOnSchema(situation: Situation): string[] {
  const { role, database, schema, hasSchema } = situation
  if (!hasSchema && !situation.mayMakeSchemas)
    return [`CREATE SCHEMA ${quote(schema)} AUTHORIZATION ${quote(role)};`]
  const rights = [
    ...(situation.mayUse ? [] : ['USAGE']),
    ...(situation.mayCreate ? [] : ['CREATE']),
  ]
  return [
    ...(rights.length === 0
      ? []
      : [`GRANT ${rights.join(', ')} ON SCHEMA ${quote(schema)} TO ${quote(role)};`]),
    ...(situation.mayStage
      ? []
      : [`GRANT TEMPORARY ON DATABASE ${quote(database)} TO ${quote(role)};`]),
  ]
}

/** Each by its name: a right to all tables would be one to change the audit log. */
async function grantsOnTables(sql: Sql, { schema, role }: Situation): Promise<string[]> {
  const lacking = await sql.all<{ rights: string; tables: string[]; kind: 'r' | 'S' }>(LACKING)
  return lacking.map(({ rights, tables, kind }) => {
    const named = tables.map(name => `${quote(schema)}.${quote(name)}`).join(', ')
    return `GRANT ${rights} ON ${kind === 'S' ? 'SEQUENCE ' : ''}${named} TO ${quote(role)};`
  })
}

/** Entries of the audit log are only added to, and steps only made by who owns the tables. */
const LACKING = `
  SELECT kind, rights, array_agg(name ORDER BY name) AS tables
  FROM (
    SELECT relname::text AS name, relkind AS kind,
      string_agg(wanted, ', ' ORDER BY position) AS rights
    FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'])
      WITH ORDINALITY AS wanted (wanted, position)
    WHERE relnamespace = current_schema()::regnamespace
      AND relowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass('${STEPS_TABLE}'))
      AND CASE relkind
        WHEN 'r' THEN NOT has_table_privilege(oid, wanted)
          AND (relname, wanted) NOT IN (('audit_log', 'UPDATE'), ('audit_log', 'DELETE'))
          AND (relname NOT LIKE 'tillage\\_%' OR wanted = 'SELECT')
        WHEN 'S' THEN wanted = 'SELECT' AND NOT has_sequence_privilege(oid, wanted)
        ELSE false
      END
    GROUP BY relname, relkind
  ) AS lacking
  GROUP BY kind, rights ORDER BY kind, rights`

function refuseLacking(place: string, { role }: Situation, statements: readonly string[]): void {
  if (statements.length === 0) return
  throw new DatabaseError(
    'DATABASE_REFUSED',
    `${place} does not let the role ${role} do what is needed; nothing was changed`,
    {
      remedy: `Whoever may do it runs this, then run the same command again: ${statements.join(' ')}`,
    },
  )
}
