import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { Migrator } from 'kysely/migration'
import { expect, it } from 'vitest'
import { kyselyOn } from '../../../../connectors/sqlite/connection/query-builder.ts'
import { migrate } from '../../../../connectors/sqlite/schema/migrate.ts'
import { migrations } from '../../../../connectors/sqlite/schema/migrations.ts'
import { removeSecrets } from '../../../../connectors/sqlite/schema/remove-secrets.ts'
import { integer, text, timestamp } from '../../../../connectors/stream.ts'
import { salesStream } from '../sales-stream.ts'
import { newPath, openDatabase } from '../window-database.ts'

const sales = salesStream({ ...text('id'), ...timestamp('modified'), ...integer('count') })

it('takes pins and passwords out of a database of before, and says of how many records', async () => {
  const path = newPath()
  const old = await openDatabase([sales], path)
  old.load(sales, [
    [
      '{"id":"a","modified":1,"total":1.10000000000000000001}',
      '{"id":"b","modified":1,"shops":[{"name":"x"}]}',
      '{"id":"c","modified":1,"pinned":"yes"}',
      // A dead letter: its count is no number.
      '{"id":"d","modified":1,"count":"many"}',
    ],
  ])
  // An edit, so that the first state is a version.
  old.load(sales, [['{"id":"a","modified":2}']])
  old.connection.exec(`
    UPDATE rows_sales SET raw = json_insert(raw, '$.pin', '4711') WHERE id = 'a';
    UPDATE rows_sales SET raw = json_insert(raw, '$.shops[0].password', 'hunter2') WHERE id = 'b';
    UPDATE versions SET raw = json_insert(raw, '$.PIN', '4711');
    UPDATE dead_letters SET raw = json_insert(raw, '$.password', 'hunter2')`)
  const everything = (database: Database.Database): string =>
    ['rows_sales', 'versions', 'dead_letters']
      .flatMap(table => database.prepare(`SELECT raw FROM ${table} ORDER BY 1`).pluck().all())
      .join('\n')
  expect(everything(old.connection)).toMatch(/4711[^]*hunter2/)

  const versions = 'SELECT count(*) FROM versions'
  const before = old.connection.prepare(versions).pluck().get()
  const { connection } = old
  await removeSecrets.up(kyselyOn(connection))
  expect(everything(connection)).not.toMatch(/4711|hunter2/)
  expect(everything(connection)).toContain('{"id":"a","modified":1,"total":1.10000000000000000001}')
  expect(connection.prepare(versions).pluck().get(), 'no new versions').toBe(before)
  expect(everything(connection)).toContain('"pinned":"yes"')
  expect(
    connection
      .prepare("SELECT detail FROM findings WHERE code = 'secret_fields_removed'")
      .pluck()
      .all(),
  ).toEqual(['PIN, password, pin taken out of 6 stored records'])
})

it('leaves no secret in the file either, where rows had been moved and deleted before', async () => {
  const path = newPath()
  const old = new Database(path)
  const before = Object.entries(migrations).filter(([name]) => name < '0011')
  await new Migrator({
    db: kyselyOn(old),
    provider: { getMigrations: () => Promise.resolve(Object.fromEntries(before)) },
  }).migrateToLatest()
  const add = old.prepare(`
    INSERT INTO dead_letters
      (store_id, stream, record_key, reason, raw, window_start, window_end, first_seen_at)
    VALUES ('a', 'sales', ?, 'odd', ?, '', '', '')`)
  const keys = Array.from({ length: 300 }, (_, index) => String((index * 7919) % 1000))
  old.transaction(() => {
    for (const key of keys) add.run(key, JSON.stringify({ pin: '47114711', pad: key.repeat(200) }))
  })()
  old.exec("DELETE FROM dead_letters WHERE record_key LIKE '%3%'")
  old.close()
  expect(readFileSync(path).includes('47114711')).toBe(true)
  await migrate(path, [])
  expect(readFileSync(path).includes('47114711')).toBe(false)
})
