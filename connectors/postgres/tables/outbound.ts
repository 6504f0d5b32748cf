import { fromIso, toIso } from '../../../calendar/days.ts'
import type { OutboundStore } from '../../destination/outbound.ts'
import type { PushMemory } from '../../destination/push.ts'
import type { SqlConnection } from '../../sql/connection.ts'
import { outboundOn } from '../../sql/outbound.ts'
import { pushMemoryOn } from '../../sql/push-memory.ts'
import { openConnections } from '../connection/connections.ts'
import { sqlOn } from '../connection/sql-connection.ts'
import { planDocumentsOn } from './plan-documents.ts'

export function openOutboundStore(address: string): OutboundStore {
  const sql = sqlOn(openConnections(address, { most: 2 }))
  const store = outboundOn(sql, planDocumentsOn(sql))
  return { ...store, ...runsByOneClock(sql, store) }
}

/**
 * Until when a run is alive lies in the database by the server's clock, and is told by the clock of
 * the machine that asks: one that goes wrong by half a minute takes nobody for gone.
 */
function runsByOneClock(
  sql: SqlConnection,
  store: OutboundStore,
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
    beginRun: async (run, after) =>
      store.beginRun({ ...run, aliveUntil: await onServer(run.aliveUntil) }, after),
    renewRun: async (run, until) => store.renewRun(run, await onServer(until)),
  }
}

export const openPushMemory = (address: string): PushMemory =>
  pushMemoryOn(sqlOn(openConnections(address, { most: 1 })))
