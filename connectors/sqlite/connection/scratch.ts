import type Sqlite from 'better-sqlite3'
import { codeOf } from '../../../disk.ts'
import { DatabaseError } from '../../../errors.ts'

const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/

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
    const code = codeOf(cause)
    if (!DAMAGE.test(code) || names.every(name => isSound(connection, name))) throw cause
    throw new DatabaseError(
      'SCRATCH_BROKEN',
      `a scratch file beside ${connection.name} cannot be read back (${code}); ` +
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

function isSound(connection: Sqlite.Database, name: string): boolean {
  try {
    return connection.pragma(`${name}.integrity_check(1)`, { simple: true }) === 'ok'
  } catch {
    return false
  }
}
