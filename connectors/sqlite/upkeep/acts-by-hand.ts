import type Sqlite from 'better-sqlite3'
import type { PurgeOrder, Purged } from '../../destination/upkeep.ts'
import type { Steps } from '../../sql/steps.ts'
import { purge as purgeSteps } from '../../sql/upkeep/purge.ts'
import type { UpkeepDialect } from '../../sql/upkeep/upkeep-dialect.ts'
import type { Stream } from '../../stream.ts'
import { withExclusiveDatabase } from '../connection/exclusive.ts'
import { openConnection } from '../connection/open-connection.ts'
import { stepsOn } from '../connection/sql-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { createUpkeepDialect } from './upkeep-dialect.ts'

/** An act of `sql/upkeep/`, while nobody else has the database open. */
export const alone = <Answer>(
  path: string,
  act: (dialect: UpkeepDialect) => Steps<Answer>,
): Answer =>
  withExclusiveDatabase(path, connection =>
    stepsOn(connection)(act(createUpkeepDialect(connection))),
  )

/** Beside others that have the database open. */
export function purge(
  path: string,
  order: PurgeOrder,
  streams: readonly Stream[],
  options: { dryRun: boolean },
): Purged[] {
  const connection = openConnection(path)
  try {
    return purgeOn(connection, order, streams, options)
  } catch (cause) {
    throw asDatabaseError(path, cause)
  } finally {
    connection.close()
  }
}

/** The same on a connection that is there, and that overwrites what it deletes. */
export function purgeOn(
  connection: Sqlite.Database,
  order: PurgeOrder,
  streams: readonly Stream[],
  options: { dryRun: boolean },
): Purged[] {
  const steps = purgeSteps(createUpkeepDialect(connection), order, streams, options)
  return connection.transaction(() => stepsOn(connection)(steps)).immediate()
}
