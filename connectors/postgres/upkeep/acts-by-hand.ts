import type { PurgeOrder, Purged } from '../../destination/upkeep.ts'
import { appendTo } from '../../sql/audit-log.ts'
import type { PeopleToForget } from '../../sql/by-hand.ts'
import { runSteps } from '../../sql/steps.ts'
import type { Steps } from '../../sql/steps.ts'
import { forgetMember, rememberForgotten } from '../../sql/upkeep/forget-member.ts'
import { purge as purgeSteps } from '../../sql/upkeep/purge.ts'
import type { UpkeepDialect } from '../../sql/upkeep/upkeep-dialect.ts'
import type { Stream } from '../../stream.ts'
import type { Connections } from '../connection/connections.ts'
import { inTurn } from '../connection/in-turn.ts'
import { statementsOn, withConnections } from '../connection/sql-connection.ts'
import { withExclusiveDatabase } from './exclusive.ts'
import { createUpkeepDialect } from './upkeep-dialect.ts'

/** An act of `sql/upkeep/`, while nobody else has the database open. */
export const alone = <Answer>(
  address: string,
  act: (dialect: UpkeepDialect) => Steps<Answer>,
): Promise<Answer> =>
  withExclusiveDatabase(address, client =>
    runSteps(statementsOn(client), act(createUpkeepDialect(client))),
  )

/** Beside others that have the database open; what is committed meanwhile waits. */
export const purge = (
  address: string,
  order: PurgeOrder,
  streams: readonly Stream[],
  options: { dryRun: boolean },
): Promise<Purged[]> =>
  withConnections(address, connections => purgeOn(connections, order, streams, options))

/** The same on connections that are there. */
export const purgeOn = (
  connections: Connections,
  order: PurgeOrder,
  streams: readonly Stream[],
  options: { dryRun: boolean },
): Promise<Purged[]> =>
  inTurn(connections, client =>
    runSteps(
      statementsOn(client),
      purgeSteps(createUpkeepDialect(client), order, streams, options),
    ),
  )

/** Beside others that have the database open, too. */
export const withPeople = <Answer>(
  address: string,
  streams: readonly Stream[],
  work: (people: PeopleToForget) => Promise<Answer>,
): Promise<Answer> =>
  withConnections(address, connections =>
    inTurn(connections, client => {
      const dialect = createUpkeepDialect(client)
      const statements = statementsOn(client)
      return work({
        forget: order => runSteps(statements, forgetMember(dialect, order, streams)),
        remember: forgotten => runSteps(statements, rememberForgotten(forgotten)),
        note: act => appendTo(statements, act),
      })
    }),
  )
