import type { OutboundStore } from '../../destination/outbound.ts'
import type { PushMemory } from '../../destination/push.ts'
import { outboundOn } from '../../sql/outbound.ts'
import { pushMemoryOn } from '../../sql/push-memory.ts'
import { openConnections } from '../connection/connections.ts'
import { sqlOn } from '../connection/sql-connection.ts'

export const openOutboundStore = (address: string): OutboundStore =>
  outboundOn(sqlOn(openConnections(address, { most: 2 })))

export const openPushMemory = (address: string): PushMemory =>
  pushMemoryOn(sqlOn(openConnections(address, { most: 1 })))
