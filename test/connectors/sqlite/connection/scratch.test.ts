import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withScratch } from '../../../../connectors/sqlite/connection/sql-connection.ts'

const PAGE_BYTES = 4096
let folder: string
let database: Database.Database

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillage-scratch-'))
  for (const name of ['tillage.db', 'scratch.db']) makeOf(name)
  // Opened anew: nothing of it is cached.
  database = new Database(join(folder, 'tillage.db'))
  database.prepare('ATTACH ? AS staged').run(join(folder, 'scratch.db'))
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

function makeOf(name: string): void {
  const made = new Database(join(folder, name))
  made.pragma(`page_size = ${PAGE_BYTES}`)
  made.exec('CREATE TABLE t (text)')
  const insert = made.prepare('INSERT INTO t VALUES (?)')
  for (let row = 0; row < 50; row++) insert.run('x'.repeat(1000))
  made.close()
}

function damage(name: string): void {
  const file = openSync(join(folder, name), 'r+')
  writeSync(file, Buffer.alloc(4 * PAGE_BYTES, 0xff), 0, 4 * PAGE_BYTES, 3 * PAGE_BYTES)
  closeSync(file)
}

const readAll = (schema: string): unknown =>
  withScratch(database, ['staged'], () => database.prepare(`SELECT * FROM ${schema}.t`).all())

it('a damaged scratch file is not said to be a damaged database', () => {
  damage('scratch.db')
  expect(() => readAll('staged')).toThrow(
    expect.objectContaining({
      code: 'SCRATCH_BROKEN',
      message: expect.stringContaining('the database itself was left as it is') as string,
    }),
  )
})

it('a damaged database is still said to be one', () => {
  damage('tillage.db')
  expect(() => readAll('main')).toThrow(
    expect.objectContaining({ code: expect.stringMatching(/^SQLITE_CORRUPT/) as string }),
  )
  expect(readAll('staged')).toHaveLength(50)
})
