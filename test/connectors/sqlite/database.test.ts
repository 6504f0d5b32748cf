import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openConnection } from '../../../connectors/sqlite/connection/open-connection.ts'
import { kyselyOn } from '../../../connectors/sqlite/connection/query-builder.ts'
import { asDatabaseError } from '../../../connectors/sqlite/connection/sqlite-errors.ts'
import { openDestination } from '../../../connectors/sqlite/destination.ts'
import { migrate } from '../../../connectors/sqlite/schema/migrate.ts'
import { decimal, json, text, timestamp } from '../../../connectors/stream.ts'
import type { Stream } from '../../../connectors/stream.ts'
import { DatabaseError } from '../../../errors.ts'
import { salesStream } from './sales-stream.ts'
import { newPath, openDatabase } from './window-database.ts'

const sales = salesStream(
  { ...text('id'), ...timestamp('modified') },
  { sale_items: { path: 'items', columns: text('product') } },
)

const grown: Stream = {
  ...sales,
  columns: { ...sales.columns, ...decimal('cart.total'), ...json('tags') },
  children: { sale_items: { path: 'items', columns: { ...text('product'), ...decimal('price') } } },
}

const schemaOf = (path: string): unknown => {
  const database = new Database(path, { readonly: true })
  const rows = database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all()
  database.close()
  return rows
}

async function failureOf(action: () => unknown): Promise<DatabaseError> {
  const error: unknown = await Promise.resolve()
    .then(action)
    .catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(DatabaseError)
  return error as DatabaseError
}

describe('migrate', () => {
  it('makes the folder and the tables, and changes nothing the second time', async () => {
    const path = join(dirname(newPath()), 'new', 'folder', 'tillage.db')
    await migrate(path, [sales])
    const before = schemaOf(path)
    await migrate(path, [sales])
    expect(schemaOf(path)).toEqual(before)
  })

  it('fills a column that a stream got later for all history, from raw, digit by digit', async () => {
    const path = newPath()
    const old = await openDatabase([sales], path)
    old.load(sales, [
      [
        '{"id":"a","modified":1,"cart":{"total":12345678901234567890.10},"tags":["x"],"items":[{"product":"p","price":0.10},{"product":"q"}]}',
        '{"id":"b","modified":1}',
      ],
    ])
    expect(Object.keys(old.all('SELECT * FROM sales')[0]!)).toEqual([
      'store_id',
      'id',
      'modified',
      'deleted_at',
      'deleted_because',
      'raw',
    ])

    const { all, load } = await openDatabase([grown], path)
    expect(all('SELECT id, modified, cart_total, tags FROM sales ORDER BY id')).toEqual([
      { id: 'a', modified: 1, cart_total: '12345678901234567890.10', tags: '["x"]' },
      { id: 'b', modified: 1, cart_total: null, tags: null },
    ])
    expect(all('SELECT sale_id, line_no, product, price FROM sale_items ORDER BY line_no')).toEqual(
      [
        { sale_id: 'a', line_no: 1, product: 'p', price: '0.10' },
        { sale_id: 'a', line_no: 2, product: 'q', price: null },
      ],
    )
    expect(load(grown, [['{"id":"b","modified":2,"cart":{"total":7.00}}']]).counts).toMatchObject({
      updated: 1,
    })
    expect(all("SELECT cart_total FROM sales WHERE id = 'b'")).toEqual([{ cart_total: '7.00' }])
  })

  it('keeps a row whose raw does not fit the new column, and leaves that column alone empty', async () => {
    const path = newPath()
    const old = await openDatabase([sales], path)
    old.load(sales, [
      ['{"id":"a","cart":{"total":"a lot"},"tags":[1]}', '{"id":"b","cart":{"total":1.50}}'],
    ])
    const { all } = await openDatabase([grown], path)
    expect(all('SELECT id, cart_total, tags FROM sales ORDER BY id')).toEqual([
      { id: 'a', cart_total: null, tags: '[1]' },
      { id: 'b', cart_total: '1.50', tags: null },
    ])
  })

  it('keeps a column that a stream does not declare any more, out of sight', async () => {
    const path = newPath()
    const first = await openDatabase([grown], path)
    first.load(grown, [['{"id":"a","cart":{"total":1.50}}']])
    const { all } = await openDatabase([sales], path)
    expect(Object.keys(all('SELECT * FROM sales')[0]!)).toEqual([
      'store_id',
      'id',
      'modified',
      'deleted_at',
      'deleted_because',
      'raw',
    ])
    expect((await openDatabase([grown], path)).all('SELECT cart_total FROM sales')).toEqual([
      { cart_total: '1.50' },
    ])
  })

  it('refuses a database of a newer version and leaves it as it is', async () => {
    const path = newPath()
    await migrate(path, [sales])
    const database = new Database(path)
    database
      .prepare(
        "INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-from-the-future', '2099')",
      )
      .run()
    database.close()
    const before = readFileSync(path)
    const error = await failureOf(() => migrate(path, [grown]))
    expect(error).toMatchObject({ code: 'DATABASE_NEWER', recovery: 'fatal' })
    expect(error.message).toContain('9999-from-the-future')
    expect(error.remedy).toContain('Update Tillage')
    expect(readFileSync(path).equals(before)).toBe(true)
  })
})

describe('opening', () => {
  it('says what is wrong with a file that is no database, and does not touch it', async () => {
    const path = newPath()
    writeFileSync(path, 'no database, but somebody needs it'.repeat(100))
    const before = readFileSync(path)
    expect(await failureOf(() => migrate(path, [sales]))).toMatchObject({
      code: 'DATABASE_BROKEN',
      recovery: 'fatal',
    })
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('says what is wrong with a folder in its place, or a file where its folder should be', async () => {
    const folder = newPath()
    mkdirSync(folder)
    expect((await failureOf(() => openConnection(folder))).code).toBe('DATABASE_BROKEN')
    const file = newPath()
    writeFileSync(file, '')
    expect((await failureOf(() => openConnection(join(file, 'tillage.db')))).code).toBe(
      'DATABASE_BROKEN',
    )
  })

  it.skipIf(process.getuid?.() === 0)(
    'says what is wrong with a folder that may not be written',
    async () => {
      const path = newPath()
      chmodSync(dirname(path), 0o500)
      expect((await failureOf(() => openConnection(path))).code).toBe('DATABASE_BROKEN')
      chmodSync(dirname(path), 0o700)
    },
  )

  it('for reading writes nothing, and fails where there is no file', async () => {
    const path = newPath()
    expect((await failureOf(() => openConnection(path, { readonly: true }))).code).toBe(
      'DATABASE_BROKEN',
    )
    await migrate(path, [sales])
    const reader = openConnection(path, { readonly: true })
    expect(() => reader.exec('DELETE FROM windows')).toThrow(/readonly/)
    reader.close()
  })
})

describe('asDatabaseError', () => {
  it.each([
    ['SQLITE_FULL', 'DATABASE_FULL'],
    ['SQLITE_NOTADB', 'DATABASE_BROKEN'],
    ['SQLITE_CORRUPT_INDEX', 'DATABASE_BROKEN'],
    ['SQLITE_IOERR_WRITE', 'DATABASE_BROKEN'],
    ['SQLITE_READONLY', 'DATABASE_BROKEN'],
    ['SQLITE_CANTOPEN', 'DATABASE_BROKEN'],
    ['SQLITE_BUSY_SNAPSHOT', 'DATABASE_BUSY'],
    ['SQLITE_LOCKED', 'DATABASE_BUSY'],
    ['SQLITE_PROTOCOL', 'DATABASE_BUSY'],
  ])('turns %s into %s', (sqlite, code) => {
    expect(
      asDatabaseError('/data/tillage.db', new Database.SqliteError('said so', sqlite)),
    ).toMatchObject({
      code,
      message: expect.stringContaining('/data/tillage.db') as string,
      remedy: expect.any(String) as string,
    })
  })

  it('says that another process holds the database, which is worth another try', () => {
    const path = newPath()
    const [holder, other] = [openConnection(path), openConnection(path)]
    holder.exec('BEGIN IMMEDIATE')
    other.pragma('busy_timeout = 1')
    let cause: unknown
    try {
      other.exec('BEGIN IMMEDIATE')
    } catch (error) {
      cause = error
    }
    expect(asDatabaseError(path, cause)).toMatchObject({
      code: 'DATABASE_BUSY',
      recovery: 'retry',
      message: expect.stringContaining('SQLITE_BUSY') as string,
    })
    holder.close()
    other.close()
  })

  it('turns a full disk of the system into DATABASE_FULL, and leaves what it does not know', () => {
    for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG'])
      expect(asDatabaseError('x', Object.assign(new Error('no space'), { code }))).toMatchObject({
        code: 'DATABASE_FULL',
        message: expect.stringContaining(code) as string,
      })
    const other = new TypeError('a bug of ours')
    expect(asDatabaseError('x', other)).toBe(other)
  })
})

it('a mistake in the writing thread is not called a broken database', async () => {
  const destination = await openDestination(newPath(), [sales])
  const error: unknown = await destination
    .execute({ sql: 'DELETE FROM nowhere', parameters: [] })
    .catch((cause: unknown) => cause)
  expect(error).not.toBeInstanceOf(DatabaseError)
  expect((error as Error).message).toContain('no such table: nowhere')
  await destination.close()
})

it('a page that cannot be read is told as a damaged database, whoever asked', async () => {
  const path = newPath()
  const connection = openConnection(path)
  connection.exec('CREATE TABLE t (x)')
  const insert = connection.prepare('INSERT INTO t VALUES (?)')
  for (let row = 0; row < 400; row++) insert.run('x'.repeat(1000))
  connection.close()
  const bytes = readFileSync(path)
  const pageBytes = bytes.readUInt16BE(16)
  bytes.fill(0xa5, bytes.length - 10 * pageBytes)
  writeFileSync(path, bytes)
  const db = kyselyOn(openConnection(path, { readonly: true }))
  const error = await failureOf(() => sql`SELECT sum(length(x)) FROM t`.execute(db))
  expect(error.code).toBe('DATABASE_BROKEN')
  expect(error.remedy).toContain('tillage restore')
  await db.destroy()
})
