import type { Sql } from '../../sql/connection.ts'

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
