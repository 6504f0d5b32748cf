import { openOutboundStore, openPushMemory } from '../../connectors/sqlite/tables/outbound.ts'

/** Everything that pushes remember, in one database. */
export function openPushPlace(database: string) {
  const outbound = openOutboundStore(database)
  const memory = openPushMemory(database)
  return {
    outbound,
    memory,
    localFiles: database,
    async close() {
      await outbound.close()
      await memory.close()
    },
  }
}
