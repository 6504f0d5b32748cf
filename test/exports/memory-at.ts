import Database from 'better-sqlite3'
import { BASELINE } from '../../connectors/sqlite/schema/baseline.ts'
import { openMemory } from '../../exports/memory.ts'
import type { Memory } from '../../exports/memory.ts'

/** What a migrated database has to remember what was given out. */
export function addGivenOut(database: Database.Database): void {
  const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'given_files'").get()
  if (known !== undefined) return
  for (const statement of BASELINE) database.exec(statement)
}

/** The memory in a file that need not be there yet. */
export function memoryAt(path: string): Memory {
  const database = new Database(path)
  addGivenOut(database)
  database.close()
  return openMemory(path)
}
