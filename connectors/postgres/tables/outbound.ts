import { fromIso, toIso } from '../../../calendar/days.ts'
import { DatabaseError } from '../../../errors.ts'
import type { OutboundStore, OutboundTables, PlanDocuments } from '../../destination/outbound.ts'
import type { PushMemory } from '../../destination/push.ts'
import type { SqlConnection } from '../../sql/connection.ts'
import { firstOf } from '../../sql/connection.ts'
import { outboundOn } from '../../sql/outbound.ts'
import { pushMemoryOn } from '../../sql/push-memory.ts'
import { openConnections } from '../connection/connections.ts'
import { sqlOn } from '../connection/sql-connection.ts'
import { LASTS_SECONDS, leaseOn, requiring } from './leases.ts'
import type { Lease } from './leases.ts'
import { markAfterServerChange } from './server-change.ts'

export function openOutboundStore(address: string, options?: { readonly: boolean }): OutboundStore {
  // Of all stores that are written to at once; no renewal waits for a sending.
  const forLeases = sqlOn(openConnections(address, { most: 1 }))
  const store = outboundStoreOn(sqlOn(openConnections(address, { ...options, most: 2 })), forLeases)
  return {
    ...store,
    async close() {
      await forLeases.close()
      await store.close()
    },
  }
}

/** On connections, of which the first is closed with it. */
export function outboundStoreOn(sql: SqlConnection, forLeases: SqlConnection): OutboundStore {
  const store = outboundOn(sql, planDocumentsOn(sql))
  return { ...store, ...runsByOneClock(sql, store), ...storeLocksOn(forLeases, sql, store) }
}

/** What was sent is written down whoever has the store by then; a new sending is not begun. */
function storeLocksOn(
  forLeases: SqlConnection,
  sql: SqlConnection,
  store: Pick<OutboundStore, 'move'>,
): Pick<OutboundStore, 'move' | 'lockStore'> {
  const held = new Map<string, Lease>()
  const keyOf = (run: string, id: string): string => `${run} ${id}`
  return {
    move(step) {
      const { sendsIn = '', writesTo = '' } = step
      const lease = held.get(keyOf(sendsIn, writesTo))
      if (lease === undefined) return store.move(step)
      return outboundOn(requiring(sql, () => lease, takenOver)).move(step)
    },
    async lockStore({ store: id, run }, waiting) {
      const lease = await leaseOn(forLeases, `writes to ${id}`, waiting)
      held.set(keyOf(run, id), lease)
      return {
        async release() {
          held.delete(keyOf(run, id))
          await lease.release()
        },
      }
    },
  }
}

const takenOver = (): DatabaseError =>
  new DatabaseError(
    'WRITES_TAKEN_OVER',
    'another run has taken over the writes to the store, as this one was not heard of for ' +
      `${LASTS_SECONDS} s, or another server has taken over the database; nothing more was sent`,
    { remedy: 'Run the same command again: it goes on with the rest.' },
  )

/**
 * Until when a run is alive lies in the database by the server's clock, and is told by the clock of
 * the machine that asks: one that goes wrong by half a minute takes nobody for gone.
 */
function runsByOneClock(
  sql: SqlConnection,
  store: OutboundTables,
): Pick<OutboundStore, 'runs' | 'beginRun' | 'renewRun'> {
  const aheadMs = async (): Promise<number> => {
    const [clock] = await sql.all<{ nowMs: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs"',
    )
    return Math.round(clock!.nowMs - Date.now())
  }
  const onServer = async (until: string): Promise<string> =>
    toIso(fromIso(until) + (await aheadMs()))
  return {
    async runs(plan) {
      const ahead = await aheadMs()
      const here = (until: string): string => toIso(fromIso(until) - ahead)
      return (await store.runs(plan)).map(run => ({ ...run, aliveUntil: here(run.aliveUntil) }))
    },
    async beginRun(run, after) {
      await sql.write(inside => markAfterServerChange(inside, Date.now()))
      return store.beginRun({ ...run, aliveUntil: await onServer(run.aliveUntil) }, after)
    },
    renewRun: async (run, until) => store.renewRun(run, await onServer(until)),
  }
}

export const openPushMemory = (address: string): PushMemory =>
  pushMemoryOn(sqlOn(openConnections(address, { most: 1 })))

/** The files of plans, for machines that have not written them. */
const planDocumentsOn = (sql: SqlConnection): PlanDocuments => ({
  async keep(document) {
    await sql.run(
      `INSERT INTO plan_documents (folder, name, bytes) VALUES (@folder, @name, @bytes)
       ON CONFLICT DO NOTHING`,
      document,
    )
  },
  async names(folder) {
    const found = await sql.all<{ name: string }>(
      'SELECT name FROM plan_documents WHERE folder = @folder ORDER BY name',
      { folder },
    )
    return found.map(({ name }) => name)
  },
  async read(folder, name) {
    const found = await firstOf<{ bytes: Buffer }>(
      sql,
      'SELECT bytes FROM plan_documents WHERE folder = @folder AND name = @name',
      { folder, name },
    )
    return found?.bytes
  },
})
