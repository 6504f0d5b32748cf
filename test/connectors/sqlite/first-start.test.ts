import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'

const MIGRATE = `
const { migrate } = await import(${JSON.stringify(new URL('../../../connectors/sqlite/database.ts', import.meta.url).href)})
const { streams } = await import(${JSON.stringify(new URL('../../../connectors/partner/streams/index.ts', import.meta.url).href)})
await migrate(process.argv[1], streams)
`

test('commands that start at once on a new database make its tables once, and none of them fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-first-'))
  try {
    for (let round = 0; round < 4; round++) {
      const path = join(folder, `${round}.db`)
      await Promise.all(Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', MIGRATE, path])))
      const database = new Database(path, { readonly: true })
      expect(database.prepare("SELECT count(*) FROM sqlite_schema WHERE name IN ('windows', 'readings', 'transactions', 'transaction_items')").pluck().get()).toBe(4)
      database.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
