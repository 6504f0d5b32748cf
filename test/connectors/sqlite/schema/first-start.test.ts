import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openConnection } from '../../../../connectors/sqlite/connection/open-connection.ts'
import type { CrashOrder } from '../../../crash/preload.ts'
import { sized } from '../../../helpers/size.ts'

const quotedUrl = (path: string): string =>
  JSON.stringify(new URL(`../../../../connectors/${path}`, import.meta.url).href)

const MIGRATE = `
const { migrate } = await import(${quotedUrl('sqlite/schema/migrate.ts')})
const { streams } = await import(${quotedUrl('partner/streams/index.ts')})
await migrate(process.argv[1], streams)
`

test('commands that start together on a new database create its tables once, and none fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-first-'))
  try {
    for (let round = 0; round < sized(1, 20); round++) {
      const path = join(folder, `${round}.db`)
      await Promise.all(
        Array.from({ length: 4 }, () =>
          promisify(execFile)(process.execPath, ['--input-type=module', '-e', MIGRATE, path]),
        ),
      )
      const database = new Database(path, { readonly: true })
      expect(
        database
          .prepare(
            `SELECT count(*) FROM sqlite_schema
             WHERE name IN ('windows', 'readings', 'transactions', 'transaction_items')`,
          )
          .pluck()
          .get(),
      ).toBe(4)
      database.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a first start waits for another that is writing the same new file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-first-'))
  const path = join(folder, 'tillage.db')
  const writer = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
    const database = new (require(workerData.driver))(workerData.path)
    database.exec('BEGIN IMMEDIATE; CREATE TABLE first (id)')
    parentPort.postMessage('writing')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    database.exec('COMMIT')
    database.close()`,
    {
      eval: true,
      workerData: { path, driver: fileURLToPath(import.meta.resolve('better-sqlite3')) },
    },
  )
  try {
    await once(writer, 'message')
    const second = openConnection(path)
    expect(second.pragma('journal_mode', { simple: true })).toBe('wal')
    second.close()
  } finally {
    await writer.terminate()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a first start that is killed at any commit leaves a file that the next start completes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillage-first-'))
  const preload = fileURLToPath(new URL('../../../crash/preload.ts', import.meta.url))
  const start = (path: string, order: CrashOrder): Promise<unknown> =>
    promisify(execFile)(
      process.execPath,
      ['--import', preload, '--input-type=module', '-e', MIGRATE, path],
      { env: { ...process.env, TILLAGE_CRASH: JSON.stringify(order) } },
    )
  const schema = (path: string): unknown[] => {
    const database = new Database(path, { readonly: true })
    const rows = database
      .prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
      .all()
    database.close()
    return rows
  }
  const newFile = (name: string): string => {
    mkdirSync(join(folder, name))
    return join(folder, name, 'tillage.db')
  }
  try {
    const log = join(folder, 'commits.log')
    await start(newFile('full-refresh'), { log })
    const commits = readFileSync(log, 'utf8').trimEnd().split('\n').length
    expect(commits).toBeGreaterThan(0)
    for (let commit = 1; commit <= commits; commit++) {
      const [path, killedLog] = [newFile(String(commit)), join(folder, `${commit}.log`)]
      await expect(
        start(path, { log: killedLog, commit, act: 'die before' }),
      ).rejects.toMatchObject({ signal: 'SIGKILL' })
      await start(path, { log: killedLog })
      expect(schema(path)).toEqual(schema(join(folder, 'full-refresh', 'tillage.db')))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
