import { readDatabase } from '../connection/open-connection.ts'

/**
 * When people were forgotten whom `database` does not know of any more, as `earlier` says: a backup
 * that is older than that has brought them back. None where `earlier` cannot be read.
 */
export function forgottenOnlyIn(earlier: string, database: string): string[] {
  const now = new Set(forgottenTimes(database))
  return [...new Set(forgottenTimes(earlier))].filter(at => !now.has(at))
}

function forgottenTimes(path: string): string[] {
  try {
    return readDatabase(path, connection =>
      connection.prepare<[], string>('SELECT at FROM forgotten_members ORDER BY at').pluck().all(),
    )
  } catch {
    // Damaged, or of a version that forgot nobody.
    return []
  }
}
