import { appendAct } from '../../sql/audit-log.ts'
import type { PeopleToForget } from '../../sql/by-hand.ts'
import { forgetMember, rememberForgotten } from '../../sql/upkeep/forget-member.ts'
import type { Stream } from '../../stream.ts'
import { openConnection, readDatabase } from '../connection/open-connection.ts'
import { inTransaction, stepsOn } from '../connection/sql-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { createUpkeepDialect } from './upkeep-dialect.ts'

/**
 * All that `work` does with the people of a database, or nothing of it; on a connection that
 * overwrites what it deletes.
 */
export async function withPeople<Answer>(
  path: string,
  streams: readonly Stream[],
  work: (people: PeopleToForget) => Promise<Answer>,
): Promise<Answer> {
  const connection = openConnection(path)
  const dialect = createUpkeepDialect(connection)
  const steps = stepsOn(connection)
  try {
    return await inTransaction(connection, () =>
      work({
        forget: async order => steps(forgetMember(dialect, order, streams)),
        remember: async forgotten => steps(rememberForgotten(forgotten)),
        note: async act => steps(appendAct(act, dialect.lastAuditNumberSql)),
      }),
    )
  } catch (cause) {
    throw asDatabaseError(path, cause)
  } finally {
    connection.close()
  }
}

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
