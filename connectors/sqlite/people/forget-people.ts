import type { PeopleToForget } from '../../sql/by-hand.ts'
import type { Stream } from '../../stream.ts'
import { openConnection } from '../connection/open-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { appendTo } from '../tables/append-act.ts'
import { forgetMember, rememberForgotten } from './forget-member.ts'

/** All that `work` does with the people of a database, or nothing of it. */
export async function withPeople<Answer>(
  path: string,
  streams: readonly Stream[],
  work: (people: PeopleToForget) => Promise<Answer>,
): Promise<Answer> {
  const connection = openConnection(path)
  try {
    connection.exec('BEGIN IMMEDIATE')
    const answer = await work({
      forget: async order => forgetMember(connection, order, streams),
      remember: async forgotten => rememberForgotten(connection, forgotten),
      note: async act => appendTo(connection, act),
    })
    connection.exec('COMMIT')
    return answer
  } catch (cause) {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw asDatabaseError(path, cause)
  } finally {
    connection.close()
  }
}
