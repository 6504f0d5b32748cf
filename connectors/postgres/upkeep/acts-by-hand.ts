import type { ClientBase } from 'pg'
import type { Purged, PurgeOrder } from '../../destination/upkeep.ts'
import { actNow } from '../../sql/audit-chain.ts'
import type { Act } from '../../sql/audit-chain.ts'
import { appendTo } from '../../sql/audit-log.ts'
import type { Evicted, EvictOrder, PeopleToForget, ZoneChange } from '../../sql/by-hand.ts'
import type { SqlConnection } from '../../sql/connection.ts'
import { removeOld } from '../../sql/purge.ts'
import { runSteps } from '../../sql/steps.ts'
import type { Steps } from '../../sql/steps.ts'
import { applyZone, previewZoneChange } from '../../sql/upkeep/change-zone.ts'
import { takeShopOut } from '../../sql/upkeep/evict-shop.ts'
import { forgetMember, rememberForgotten } from '../../sql/upkeep/forget-member.ts'
import { renameRows } from '../../sql/upkeep/rename-store.ts'
import type { Stream } from '../../stream.ts'
import { IN_TURN } from '../connection/serial.ts'
import { statementsOn } from '../connection/sql-connection.ts'
import { inTransaction } from '../connection/transaction.ts'
import { withConnections, withSql } from '../connection/with-connections.ts'
import { withExclusiveDatabase } from './exclusive.ts'
import { createUpkeepDialect } from './upkeep-dialect.ts'

/**
 * What somebody does by hand, each with its entry in the audit log, both or neither; while nobody
 * else has the database open, where it is not said otherwise. A dry run only looks.
 */

export const changeZone = (
  address: string,
  { dryRun, ...wanted }: { store: string; zone: string; dryRun: boolean },
  streams: readonly Stream[],
  actOf: (change: ZoneChange) => Act,
): Promise<ZoneChange> =>
  withExclusiveDatabase(address, async client => {
    const change = await run(client, previewZoneChange(wanted, streams))
    if (dryRun) return change
    await run(client, applyZone(change))
    await note(client, actOf(change))
    return change
  })

export const evictShop = (
  address: string,
  order: EvictOrder,
  streams: readonly Stream[],
  actOf: (evicted: Evicted) => Act,
): Promise<Evicted> =>
  withExclusiveDatabase(address, async client => {
    const evicted = await run(client, takeShopOut(createUpkeepDialect(client), order, streams))
    if (!order.dryRun) await note(client, actOf(evicted))
    return evicted
  })

export const renameStore = (
  address: string,
  renaming: { from: string; to: string },
  act: Act,
): Promise<{ tables: number; rows: number }> =>
  withExclusiveDatabase(address, async client => {
    const renamed = await run(client, renameRows(createUpkeepDialect(client), renaming))
    await note(client, act)
    return renamed
  })

/** Beside others that have the database open; what is committed meanwhile waits. */
export const withPeople = <Answer>(
  address: string,
  streams: readonly Stream[],
  work: (people: PeopleToForget) => Promise<Answer>,
): Promise<Answer> =>
  withConnections(address, connections =>
    inTransaction(connections, async client => {
      await client.query(IN_TURN)
      const dialect = createUpkeepDialect(client)
      return work({
        forget: order => run(client, forgetMember(dialect, order, streams)),
        remember: forgotten => run(client, rememberForgotten(forgotten)),
        note: act => note(client, act),
      })
    }),
  )

/** Beside others that have the database open. All tables or none; a dry run takes it back. */
export const purge = (
  address: string,
  order: PurgeOrder,
  streams: readonly Stream[],
  options: { dryRun: boolean },
): Promise<Purged[]> => withSql(address, sql => purgeOn(sql, order, streams, options))

/** The same on connections that are there. */
export const purgeOn = (
  sql: SqlConnection,
  order: PurgeOrder,
  streams: readonly Stream[],
  { dryRun }: { dryRun: boolean },
): Promise<Purged[]> =>
  sql.write(async inside => {
    await inside.run('SAVEPOINT purging')
    const purged = await runSteps(inside, removeOld(order, streams))
    if (dryRun) await inside.run('ROLLBACK TO SAVEPOINT purging')
    else if (purged.some(({ rows }) => rows > 0))
      await appendTo(inside, actNow('purge', { store: order.store, purged }))
    return purged
  })

const run = <Answer>(client: ClientBase, steps: Steps<Answer>): Promise<Answer> =>
  runSteps(statementsOn(client), steps)

const note = (client: ClientBase, act: Act): Promise<void> => appendTo(statementsOn(client), act)
