import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { streams } from '../../../../connectors/partner/streams/index.ts'
import { vendors } from '../../../../connectors/partner/streams/vendors.ts'
import { migrate } from '../../../../connectors/sqlite/schema/migrate.ts'
import type { Stream } from '../../../../connectors/stream.ts'
import { Project } from '../../../helpers/project.ts'

const ROWS = 30_000

let project: Project
let path: string

beforeEach(() => {
  project = new Project()
  path = join(project.folder, 'tillage.db')
  const store = { id: 'downtown', baseUrl: 'http://127.0.0.1:1', partnerKey: 'p' }
  project.configure([{ ...store, developerKey: 'd' }], { database: 'tillage.db' })
})
afterEach(() => project.remove())

const { license_number: _, ...columns } = vendors.columns
const VENDORS_BEFORE: Stream = { ...vendors, columns }

const read = (sql: string): unknown => {
  const database = new Database(path, { readonly: true })
  try {
    return database.prepare(sql).pluck().get()
  } finally {
    database.close()
  }
}

/** A database whose vendors lack a column, which has to be filled from each record. */
async function makeOlder(rows: number): Promise<void> {
  await migrate(path, [VENDORS_BEFORE])
  const database = new Database(path)
  database
    .prepare(
      `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO rows_vendors (store_id, batch, first_batch, id, raw)
       SELECT 'downtown', 1, 1, 'v' || i, '{"id":"v' || i || '","licenseNumber":"L1"}' FROM n`,
    )
    .run(rows)
  database.exec(`INSERT INTO windows VALUES ('downtown', 'vendors', 'a', 'b', 'proven', '{}')`)
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}

test.each([
  ['status'],
  ['coverage', 'transactions'],
  ['history', 'transactions', 'x'],
  ['files'],
  ['push', 'list'],
  ['reconcile', 'list'],
  ['verify', '--print-head'],
])(
  'what only reads leaves a database of an earlier version as it is, and says what to do: %s',
  async (...command) => {
    await makeOlder(1)
    const before = readFileSync(path)
    const { status, stderr } = await project.run(...command)
    expect(status).toBe(1)
    expect(stderr).toMatch(/DATABASE_OLDER: .*tables of streams/s)
    expect(stderr).toContain('tillage sync')
    expect(readFileSync(path).equals(before)).toBe(true)
    await migrate(path, streams)
    expect((await project.run(...command)).stderr).not.toContain('DATABASE_OLDER')
  },
)

/**
 * A process of its own that brings the database up to date. A signal comes in the moment in which
 * it says that it begins: nothing else of it has a turn before the end. Or before it begins, while
 * the process is busy with something else.
 */
async function upgrade(
  signal?: NodeJS.Signals,
  heard: (said: string) => void = () => {},
  comes: 'as it begins' | 'before it begins' = 'as it begins',
): Promise<{ ended: unknown; said: string }> {
  const module = (name: string): string =>
    JSON.stringify(fileURLToPath(new URL(`../../../../connectors/${name}`, import.meta.url)))
  const script = `
    import { migrate } from ${module('sqlite/schema/migrate.ts')}
    import { vendors } from ${module('partner/streams/vendors.ts')}
    process.on('SIGTERM', () => console.error('too late'))
    const write = process.stderr.write.bind(process.stderr)
    process.stderr.write = (...said) => {
      write(...said)
      if (${comes === 'as it begins'} && said[0].includes('bringing')) kill()
      return true
    }
    const signal = ${JSON.stringify(signal ?? null)}
    const kill = () => signal !== null && process.kill(process.pid, signal)
    if (${comes === 'before it begins'}) kill()
    await migrate(${JSON.stringify(path)}, [vendors])`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    heard(said)
  })
  const [status, by] = (await once(child, 'close')) as [number | null, string | null]
  return { ended: by ?? status, said }
}

test('an upgrade says what it does, a signal ends it at once, and the next one goes on', async () => {
  await makeOlder(ROWS)
  const stopped = await upgrade('SIGTERM')
  expect(stopped).toMatchObject({ ended: 'SIGTERM' })
  expect(stopped.said).toContain('step 1 of 1 (tables of streams)')
  expect(stopped.said).not.toContain('too late')
  const hasColumn = `SELECT count(*) FROM pragma_table_info('rows_vendors') WHERE name = 'license_number'`
  expect(read(hasColumn)).toBe(0)
  expect(read('PRAGMA quick_check')).toBe('ok')
  expect(await upgrade()).toMatchObject({ ended: 0 })
  expect(read(`SELECT count(*) FROM rows_vendors WHERE license_number = 'L1'`)).toBe(ROWS)
  expect((await upgrade()).said).toBe('')
})

test('a signal that came while the program was busy ends it before the upgrade begins', async () => {
  await makeOlder(ROWS)
  const stopped = await upgrade('SIGTERM', undefined, 'before it begins')
  expect(stopped).toMatchObject({ ended: 'SIGTERM' })
  expect(stopped.said).not.toContain('bringing')
})

test('an upgrade says that it waits for another program that writes, and then goes on', async () => {
  await makeOlder(1)
  const other = new Database(path)
  other.exec('BEGIN IMMEDIATE')
  const upgraded = await upgrade(undefined, said => {
    if (other.inTransaction && said.includes('another program writes')) other.exec('COMMIT')
  })
  other.close()
  expect(upgraded).toMatchObject({ ended: 0 })
  expect(upgraded.said).toMatch(/another program writes to it just now: waiting.*step 1 of 1/s)
})
