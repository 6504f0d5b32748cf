import { copyFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../../../connectors/sqlite/schema/migrate.ts'
import { readMissing } from '../../../../connectors/sqlite/upkeep/missing.ts'
import { decimal, text, timestamp } from '../../../../connectors/stream.ts'
import { salesStream } from '../sales-stream.ts'
import { newPath, openDatabase } from '../window-database.ts'

const sales = salesStream(
  { ...text('id'), ...timestamp('modified'), ...decimal('total') },
  { sale_items: { path: 'items', columns: text('product') } },
)
const streams = [sales]
const whole = { parts: [], emptied: [] }

let good: string
beforeAll(async () => {
  const { load, store, path } = await openDatabase(streams)
  load(sales, [['{"id":"a","modified":1,"total":"1.50","items":[{"product":"p"}]}']])
  store.close()
  good = path
})

function changed(sql: string): string {
  const path = newPath()
  copyFileSync(good, path)
  const database = new Database(path)
  database.exec(sql)
  database.close()
  return path
}

describe('a database that lost a part of its schema', () => {
  it.each([
    ['DROP TABLE rows_sales', 'table rows_sales is missing'],
    ['DROP TABLE rows_sale_items', 'table rows_sale_items is missing'],
    ['DROP TABLE findings', 'table findings is missing'],
    ['DROP TABLE journal_entries', 'table journal_entries is missing'],
    ['DROP TABLE audit_log', 'table audit_log is missing'],
    ['DROP INDEX rows_sales_key', 'index rows_sales_key is missing'],
    ['DROP INDEX versions_key', 'index versions_key is missing'],
    ['DROP TRIGGER rows_sales_kept', 'trigger rows_sales_kept is missing'],
    ['DROP TRIGGER audit_log_stays', 'trigger audit_log_stays is missing'],
    ['DROP VIEW sales_versions', 'view sales_versions is missing'],
    ['ALTER TABLE findings DROP COLUMN detail', 'column detail of table findings is missing'],
    [
      'DROP VIEW sales; CREATE VIEW sales AS SELECT * FROM rows_sales',
      'view sales differs from the schema of this version',
    ],
    [
      `DROP TRIGGER audit_log_stays; CREATE TRIGGER audit_log_stays
       BEFORE DELETE ON audit_log BEGIN SELECT 1; END`,
      'trigger audit_log_stays differs from the schema of this version',
    ],
  ])('has that named: %s', async (sql, expected) => {
    expect((await readMissing(changed(sql), streams)).parts).toContain(expected)
  })

  it('is not one that lacks nothing, nor one to which somebody has added something', async () => {
    expect(await readMissing(good, streams)).toEqual(whole)
    const added = changed(`
      CREATE VIEW mine AS SELECT * FROM sales; CREATE INDEX my_index ON rows_sales (total);
      ALTER TABLE rows_sales ADD COLUMN mine TEXT`)
    expect(await readMissing(added, streams)).toEqual(whole)
  })

  it('is not one that another version has written, whose next command makes what it lacks', async () => {
    const older = changed(
      'PRAGMA user_version = 0; DROP VIEW sales_versions; DROP TABLE rows_sale_items',
    )
    expect(await readMissing(older, streams)).toEqual(whole)
    await migrate(older, streams)
    expect(await readMissing(older, streams)).toEqual(whole)
  })

  it('is told also when a command has made its tables anew, by the rows that were stored', async () => {
    const lost = changed('DROP TABLE rows_sales')
    await migrate(lost, streams)
    expect(await readMissing(lost, streams)).toEqual({
      parts: [],
      emptied: [{ store: 'downtown', stream: 'sales', stored: 1 }],
    })
    const forgotten = changed(`DELETE FROM rows_sales; INSERT INTO forgotten_members
      VALUES ('downtown', 'h', 's', 1, '2026-03-01T00:00:00.000Z', 'c')`)
    expect(await readMissing(forgotten, streams)).toEqual(whole)
  })
})
