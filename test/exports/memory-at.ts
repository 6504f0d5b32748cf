import Database from 'better-sqlite3'
import { GIVEN_OUT_TABLES } from '../../connectors/sqlite/schema/given-out-tables.ts'
import { AUDIT_LOG } from '../../connectors/sqlite/schema/migrations.ts'
import { openMemory } from '../../exports/memory.ts'
import type { Memory } from '../../exports/memory.ts'

/** What a migrated database has to remember what was given out. */
export function addGivenOut(database: Database.Database): void {
  const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'given_files'").get()
  if (known !== undefined) return
  for (const statement of [...AUDIT_LOG, ...GIVEN_OUT_TABLES]) database.exec(statement)
  database.exec('CREATE TABLE readings (batch INTEGER)')
  database.exec(
    `CREATE TABLE findings (
      id TEXT PRIMARY KEY, store_id TEXT, stream TEXT, code TEXT, detail TEXT, times INTEGER,
      first_seen_at TEXT, last_seen_at TEXT
    )`,
  )
}

/** The memory in a file that need not be there yet. */
export function memoryAt(path: string): Memory {
  const database = new Database(path)
  addGivenOut(database)
  database.close()
  return openMemory(path)
}
