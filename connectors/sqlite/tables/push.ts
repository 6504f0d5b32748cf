import type { OutboundStore } from '../../destination/outbound.ts'
import type { PushMemory, SeenFile } from '../../destination/push.ts'
import { openConnection } from '../connection/open-connection.ts'
import { failFastWhenBusy, retryWhileBusy } from '../connection/retry-while-busy.ts'
import { openOutboundStore } from './outbound.ts'

/** Everything that pushes remember, in one database. */
export function openPushPlace(database: string): {
  outbound: OutboundStore
  memory: PushMemory
  database: string
  close(): Promise<void>
} {
  const outbound = openOutboundStore(database)
  const memory = openPushMemory(database)
  return {
    outbound,
    memory,
    database,
    async close() {
      await outbound.close()
      await memory.close()
    },
  }
}

/** The tables are made with all others (`migrate`). */
function openPushMemory(path: string): PushMemory {
  const connection = failFastWhenBusy(openConnection(path))
  const assets = connection.prepare<[string], { sha256: string; asset: string }>(
    'SELECT sha256, asset FROM push_assets WHERE store_id = ?',
  )
  const keepAsset = connection.prepare(
    `INSERT INTO push_assets (store_id, sha256, asset) VALUES (?, ?, ?)
     ON CONFLICT (store_id, sha256) DO UPDATE SET asset = excluded.asset`,
  )
  const lastFile = connection.prepare<[string], SeenFile>(
    'SELECT path, sha256, plan, at FROM push_files WHERE schedule = ? ORDER BY at DESC LIMIT 1',
  )
  const keepFile = connection.prepare(
    `INSERT INTO push_files (schedule, path, sha256, plan, at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (schedule, path) DO UPDATE
     SET sha256 = excluded.sha256, plan = excluded.plan, at = excluded.at`,
  )
  return {
    assets: async store => new Map(assets.all(store).map(({ sha256, asset }) => [sha256, asset])),
    keepAsset: (store, sha256, asset) =>
      retryWhileBusy(path, () => void keepAsset.run(store, sha256, asset)),
    lastFile: async schedule => lastFile.get(schedule),
    keepFile: (schedule, { path: file, sha256, plan, at }) =>
      retryWhileBusy(path, () => void keepFile.run(schedule, file, sha256, plan, at)),
    close: async () => void connection.close(),
  }
}
