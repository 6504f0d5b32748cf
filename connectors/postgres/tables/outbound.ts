import type { OutboundStore } from '../../destination/outbound.ts'
import type { PushMemory } from '../../destination/push.ts'
import { outboundOn } from '../../sql/outbound.ts'
import { pushMemoryOn } from '../../sql/push-memory.ts'
import { openConnections } from '../connection/connections.ts'
import { sqlOn } from '../connection/sql-connection.ts'
import { planDocumentsOn } from './plan-documents.ts'

export function openOutboundStore(address: string): OutboundStore {
  const sql = sqlOn(openConnections(address, { most: 2 }))
  return outboundOn(sql, planDocumentsOn(sql))
}

export const openPushMemory = (address: string): PushMemory =>
  pushMemoryOn(sqlOn(openConnections(address, { most: 1 })))
