import Sqlite from 'better-sqlite3'
import { DatabaseError } from '../../../errors.ts'

/**
 * Does something with scratch files that are attached under these names. Where one of them is
 * damaged, SCRATCH_BROKEN says so: SQLite names no file, and the database would get the blame.
 */
export function withScratch<Answer>(
  connection: Sqlite.Database,
  names: readonly string[],
  work: () => Answer,
): Answer {
  try {
    return work()
  } catch (cause) {
    if (!isDamage(cause) || names.every(name => isSound(connection, name))) throw cause
    throw new DatabaseError(
      'SCRATCH_BROKEN',
      `a scratch file beside ${connection.name} cannot be read back (${cause.code}); ` +
        'the database itself was left as it is',
      {
        cause,
        remedy:
          'Run the same command again: the file is made anew. If it happens again, look at the ' +
          'disk that holds it; it is no reason to restore a backup.',
      },
    )
  }
}

const isDamage = (error: unknown): error is Sqlite.SqliteError =>
  error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)

function isSound(connection: Sqlite.Database, name: string): boolean {
  try {
    return connection.pragma(`${name}.integrity_check(1)`, { simple: true }) === 'ok'
  } catch {
    return false
  }
}
