import type { PeopleToForget } from '../../sql/by-hand.ts'
import { forgetMember, rememberForgotten } from '../../sql/upkeep/forget-member.ts'
import type { Stream } from '../../stream.ts'
import { openConnection } from '../connection/open-connection.ts'
import { inTransaction, stepsOn } from '../connection/sql-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { appendTo } from '../tables/append-act.ts'
import { createUpkeepDialect } from '../upkeep/upkeep-dialect.ts'

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
        note: async act => appendTo(connection, act),
      }),
    )
  } catch (cause) {
    throw asDatabaseError(path, cause)
  } finally {
    connection.close()
  }
}
