import type { PushMemory, SeenFile } from '../destination/push.ts'
import type { SqlConnection } from './connection.ts'
import { firstOf } from './connection.ts'

/** On a connection of its own, which is closed with it. */
export const pushMemoryOn = (sql: SqlConnection): PushMemory => ({
  async assets(store) {
    const rows = await sql.all<{ sha256: string; asset: string }>(
      'SELECT sha256, asset FROM push_assets WHERE store_id = @store',
      { store },
    )
    return new Map(rows.map(({ sha256, asset }) => [sha256, asset]))
  },
  async keepAsset(store, sha256, asset) {
    await sql.run(
      `INSERT INTO push_assets (store_id, sha256, asset) VALUES (@store, @sha256, @asset)
       ON CONFLICT (store_id, sha256) DO UPDATE SET asset = excluded.asset`,
      { store, sha256, asset },
    )
  },
  lastFile: schedule =>
    firstOf<SeenFile>(
      sql,
      `SELECT path, sha256, plan, at FROM push_files
       WHERE schedule = @schedule ORDER BY at DESC LIMIT 1`,
      { schedule },
    ),
  async keepFile(schedule, file) {
    await sql.run(
      `INSERT INTO push_files (schedule, path, sha256, plan, at)
       VALUES (@schedule, @path, @sha256, @plan, @at)
       ON CONFLICT (schedule, path) DO UPDATE
       SET sha256 = excluded.sha256, plan = excluded.plan, at = excluded.at`,
      { schedule, ...file },
    )
  },
  close: () => sql.close(),
})
