import type { Sql } from '../../sql/connection.ts'
import type { SchemaPart } from '../../sql/upkeep/missing-parts.ts'
import { hasTable } from './existing-schema.ts'

/**
 * What the steps and declarations have made, as the server describes it, so that it is seen when
 * somebody takes a part of it out. Another major version of a server describes the same otherwise.
 */
const PARTS_TABLE = 'tillage_parts'

const MAKE_PARTS_TABLE = `CREATE TABLE IF NOT EXISTS ${PARTS_TABLE} (
    type text NOT NULL, name text NOT NULL, server integer NOT NULL, definition text NOT NULL,
    PRIMARY KEY (type, name))`

interface DescribedPart {
  type: string
  name: string
  /** Its major version. */
  server: number
  /** Of a table its columns, a line each: the name, a blank, the type. */
  definition: string
}

const IN_SCHEMA = 'relnamespace = current_schema()::regnamespace'

const TABLES = `
  SELECT 'table' AS type, relname::text AS name,
    string_agg(attname || ' ' || format_type(atttypid, atttypmod), E'\\n' ORDER BY attnum)
      AS definition
  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
  WHERE ${IN_SCHEMA} AND relkind = 'r' GROUP BY relname`

const INDEXES = `
  SELECT 'index', relname::text, pg_get_indexdef(oid)
  FROM pg_class WHERE ${IN_SCHEMA} AND relkind = 'i'`

const VIEWS = `
  SELECT 'view', relname::text, pg_get_viewdef(oid)
  FROM pg_class WHERE ${IN_SCHEMA} AND relkind = 'v'`

const TRIGGERS = `
  SELECT 'trigger', tgname::text, pg_get_triggerdef(pg_trigger.oid)
  FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
  WHERE ${IN_SCHEMA} AND NOT tgisinternal`

/** All that is in the schema. */
const DESCRIBED = `
  SELECT type, name, current_setting('server_version_num')::integer / 10000 AS server,
    replace(definition, quote_ident(current_schema()) || '.', '') AS definition
  FROM (${TABLES} UNION ALL ${INDEXES} UNION ALL ${VIEWS} UNION ALL ${TRIGGERS}) AS parts`

const BEFORE = 'parts_before'
const SAME = '(was.type, was.name) = (part.type, part.name)'

/**
 * Of a table that is known, what was made: a column that somebody else has added is theirs to take
 * away again.
 */
const MADE = `CASE WHEN part.type = 'table' AND known.name IS NOT NULL THEN (
    SELECT string_agg(line, E'\\n' ORDER BY place)
    FROM unnest(string_to_array(part.definition, E'\\n')) WITH ORDINALITY AS lines (line, place)
    WHERE line = ANY (string_to_array(known.definition, E'\\n'))
      OR line <> ALL (string_to_array(coalesce(was.definition, ''), E'\\n')))
  ELSE part.definition END`

/** Work, and around it the statements that note which parts it makes, changes and drops. */
export const notingParts = <Work>(work: readonly Work[]): (Work | string)[] => [
  `CREATE TEMP TABLE ${BEFORE} ON COMMIT DROP AS ${DESCRIBED}`,
  MAKE_PARTS_TABLE,
  ...work,
  `DELETE FROM ${PARTS_TABLE} part USING ${BEFORE} was
   WHERE ${SAME} AND NOT EXISTS (
     SELECT 1 FROM (${DESCRIBED}) now WHERE (now.type, now.name) = (part.type, part.name))`,
  `INSERT INTO ${PARTS_TABLE} (type, name, server, definition)
   SELECT part.type, part.name, part.server, ${MADE}
   FROM (${DESCRIBED}) part LEFT JOIN ${BEFORE} was ON ${SAME}
   LEFT JOIN ${PARTS_TABLE} known ON (known.type, known.name) = (part.type, part.name)
   WHERE was.definition IS DISTINCT FROM part.definition
   ON CONFLICT (type, name) DO UPDATE
   SET server = excluded.server, definition = excluded.definition`,
  `DROP TABLE ${BEFORE}`,
]

/**
 * What makes the indexes again that somebody has dropped; nothing where this role may not. One that
 * keeps rows apart is left out: rows that are twice meanwhile would stop every command.
 */
export async function droppedIndexes(sql: Sql): Promise<string[]> {
  if (!(await hasTable(sql, PARTS_TABLE))) return []
  const dropped = await sql.all<{ definition: string }>(
    `SELECT definition FROM ${PARTS_TABLE}
     WHERE type = 'index' AND definition LIKE 'CREATE INDEX %'
       AND to_regclass(quote_ident(name)) IS NULL
       AND pg_has_role((SELECT relowner FROM pg_class WHERE oid = '${PARTS_TABLE}'::regclass), 'USAGE')
     ORDER BY name`,
  )
  return dropped.map(({ definition }) => definition.replace('INDEX', 'INDEX IF NOT EXISTS'))
}

const keyOf = ({ type, name }: DescribedPart): string => `${type} ${name}`

/** What is there, and what was made. */
export async function comparedParts(
  sql: Sql,
): Promise<{ actual: SchemaPart[]; expected: SchemaPart[] }> {
  const actual = await sql.all<DescribedPart>(DESCRIBED)
  const made = await sql.all<DescribedPart>(`SELECT * FROM ${PARTS_TABLE} ORDER BY type, name`)
  const found = new Map(actual.map(part => [keyOf(part), part]))
  const asMade = made.map(part => {
    const other = found.get(keyOf(part))
    return other === undefined || other.server === part.server || part.type === 'table'
      ? part
      : other
  })
  return { actual: actual.map(asPart), expected: asMade.map(asPart) }
}

const asPart = ({ type, name, definition }: DescribedPart): SchemaPart => ({
  type,
  name,
  sql: definition,
  columns: new Map(type === 'table' ? definition.split('\n').map(columnOf) : []),
})

function columnOf(line: string): [name: string, type: string] {
  const end = line.indexOf(' ')
  return [line.slice(0, end), line.slice(end + 1)]
}
