import type { Sql } from '../../sql/connection.ts'

/** What a schema has now. */
export interface ExistingSchema {
  /** Columns of a table; none where there is no such table. */
  columns(table: string): ReadonlySet<string>
  /** What stands in the comment of a table or a view; undefined where it is not there. */
  said(name: string): string | undefined
  /** A table, a view, an index or a trigger. */
  has(name: string): boolean
}

interface Part {
  name: string
  said: string
  columns: string[] | null
}

/** Looked up once: every command asks this of some thousand columns. */
export async function readExisting(sql: Sql): Promise<ExistingSchema> {
  const parts = new Map((await sql.all<Part>(PARTS)).map(part => [part.name, part]))
  return {
    columns: table => new Set(parts.get(table)?.columns ?? []),
    said: name => parts.get(name)?.said,
    has: name => parts.has(name),
  }
}

const PARTS = `
  SELECT relname AS name, coalesce(obj_description(oid, 'pg_class'), '') AS said,
    CASE relkind WHEN 'r' THEN (
      SELECT array_agg(attname::text) FROM pg_attribute
      WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
    ) END AS columns
  FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'v', 'i')
  UNION ALL SELECT tgname, '', NULL
  FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
  WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal`

/** The tables of the schema. */
export async function tablesIn(sql: Sql): Promise<Set<string>> {
  const found = await sql.all<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
  )
  return new Set(found.map(({ name }) => name))
}

/** Which a schema has once our tables were made in it, all in one transaction. */
export const STEPS_TABLE = 'tillage_steps'

export const hasTable = async (sql: Sql, name: string): Promise<boolean> =>
  (await tablesIn(sql)).has(name)
