import type { OutboundStore } from '../../destination/outbound.ts'
import type { PushMemory } from '../../destination/push.ts'
import { storeLocksBeside } from '../../local/store-locks.ts'
import type { SqlConnection } from '../../sql/connection.ts'
import { outboundOn } from '../../sql/outbound.ts'
import { pushMemoryOn } from '../../sql/push-memory.ts'
import { openConnection } from '../connection/open-connection.ts'
import { sqlOn } from '../connection/sql-connection.ts'

/**
 * Has a connection of its own: unlike rows, which can be read again, what is written here must be
 * on the disk before anything is sent. The tables are made with all others (`migrate`).
 */
export const openOutboundStore = (path: string, options?: { readonly: boolean }): OutboundStore =>
  outboundStoreOn(sqlOn(openConnection(path, options)), path)

/** On a connection, which is closed with it. */
export const outboundStoreOn = (sql: SqlConnection, path: string): OutboundStore => ({
  ...outboundOn(sql),
  ...storeLocksBeside(path),
})

export const openPushMemory = (path: string): PushMemory =>
  pushMemoryOn(sqlOn(openConnection(path)))
