import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../calendar/days.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { datasetsOf } from '../../exports/datasets.ts'
import { exportFiles } from '../../exports/export-files.ts'
import { createDatabase, insertRecords, sales, sellers } from './export-database.ts'
import { exportHere, freshFolder, orderFor, salesOf, START_MS } from './order.ts'
import { manifestAt, readJsonl } from './read-files.ts'

describe('the rows of an export', () => {
  it('are those of the store whose cursor lies in the half-open range, in key order, with their children', async () => {
    const folder = freshFolder()
    const database = createDatabase(join(folder, 'tillage.db'))
    const sale = (id: string, modified: number) => ({
      row: { id, modified },
      children: { sale_items: [{ product: `${id}-1` }, { product: `${id}-2` }] },
    })
    insertRecords(database, sales, 'downtown', [
      sale('c', START_MS),
      sale('late', START_MS + DAY_MS),
      sale('a', START_MS + DAY_MS - 1),
      sale('early', START_MS - 1),
      sale('b', START_MS + 5),
    ])
    insertRecords(database, sales, 'uptown', [sale('a', START_MS)])
    insertRecords(database, sellers, 'downtown', [
      { row: { id: 'old', modified: 1 } },
      { row: { id: 'none', modified: null } },
    ])
    database.close()
    const { files, manifest } = await exportHere(
      orderFor(folder, { datasets: ['sellers', 'sale_items', 'sales'], formats: ['jsonl'] }),
    )
    expect(files.map(file => file.dataset)).toEqual(['sales', 'sale_items', 'sellers'])
    expect(readJsonl(files[0]?.path ?? '').map(row => row['id'])).toEqual(['a', 'b', 'c'])
    expect(readJsonl(files[1]?.path ?? '')).toMatchObject(
      ['a', 'b', 'c'].flatMap(id =>
        [1, 2].map(line_no => ({
          store_id: 'downtown',
          sale_id: id,
          line_no,
          product: `${id}-${line_no}`,
        })),
      ),
    )
    expect(readJsonl(files[2]?.path ?? '').map(row => row['id'])).toEqual(['none', 'old'])
    expect(
      manifestAt(manifest).datasets.map(({ dataset, rowsOf, rows }) => [dataset, rowsOf, rows]),
    ).toEqual([
      ['sales', 'range', 3],
      ['sale_items', 'range', 6],
      ['sellers', 'full-refresh', 2],
    ])
  })

  it('come from one state of the database, whatever is written meanwhile', async () => {
    const folder = freshFolder()
    const database = createDatabase(join(folder, 'tillage.db'))
    insertRecords(database, sales, 'downtown', salesOf(50))
    let changed = false
    const { files } = await exportFiles(
      orderFor(folder, {
        formats: ['csv', 'jsonl'],
        progress: ({ phase }) => {
          if (phase !== 'writing' || changed) return
          changed = true
          database.exec("DELETE FROM _sale_items; UPDATE _sales SET total = '0.01'")
        },
      }),
    )
    database.close()
    expect(changed).toBe(true)
    expect(files.map(file => file.rows)).toEqual([50, 50, 100, 100])
    expect(readJsonl(files[1]?.path ?? '').every(row => row['total'] === '12.50')).toBe(true)
    expect(readJsonl(files[3]?.path ?? '').length).toBe(100)
  })

  it('are the same whether a view reads columns or takes them out of the record as JSON', async () => {
    const folder = freshFolder()
    const database = createDatabase(join(folder, 'tillage.db'))
    insertRecords(database, sales, 'downtown', [
      { row: { id: 'a', modified: START_MS, total: '1234567890123456.10', tags: '[1.10,"x"]' } },
    ])
    const plain = await exportHere(orderFor(folder, { datasets: ['sales'] }))
    database.exec(`
      DROP VIEW sales;
      UPDATE _sales SET raw = '{"total":1234567890123456.10,"tags":[1.10,"x"]}';
      CREATE VIEW sales AS
        SELECT store_id, id, name, modified, paid_at, raw -> '$.total' AS total, tax, deleted,
          counter, raw -> '$.tags' AS tags, buyer, NULL AS deleted_at, raw
        FROM _sales`)
    const taken = await exportHere(orderFor(folder, { datasets: ['sales'] }))
    expect(taken.published).toBe(false)
    expect(readJsonl(plain.files[2]?.path ?? '')).toMatchObject([
      { total: '1234567890123456.10', tags: [1.1, 'x'] },
    ])
    database.exec("UPDATE _sales SET raw = replace(raw, '56.10', '56.11')")
    expect(await exportHere(orderFor(folder, { datasets: ['sales'] }))).toMatchObject({
      revision: 1,
    })
  })

  it('derive from the declared streams, one dataset each and one for each child', () => {
    const kinds = new Set<string>()
    const datasets = datasetsOf(streams)
    for (const dataset of datasets) {
      expect(dataset.columns.map(column => column.name)).not.toContain('raw')
      expect(
        dataset.order.every(name => dataset.columns.some(column => column.name === name)),
      ).toBe(true)
      for (const column of dataset.columns) kinds.add(column.kind)
    }
    // The lots, payments and taxes of the books are no stream's or child's own, and two books
    // can be had with the API's own columns.
    expect(datasets.length).toBe(
      streams.length + streams.flatMap(stream => Object.keys(stream.children)).length + 5,
    )
    expect([...kinds].toSorted()).toEqual([
      'boolean',
      'date',
      'decimal',
      'integer',
      'json',
      'text',
      'timestamp',
    ])
  })

  it('can be written for every declared stream, however many columns it has', async () => {
    const folder = freshFolder()
    const database = createDatabase(join(folder, 'tillage.db'), streams)
    for (const stream of streams)
      insertRecords(database, stream, 'downtown', [{ row: { id: 'x', modified: START_MS } }])
    database.close()
    const all = datasetsOf(streams)
    const range = { startMs: START_MS, endMs: START_MS + DAY_MS }
    const books = {
      clock: { timeZone: 'UTC', dayStartsAt: '00:00' },
      range,
      read: range,
      editsKnownUntil: '2026-03-10T00:00:00.000Z',
      memberSecret: 'secret',
    }
    const { files } = await exportFiles(
      orderFor(folder, { streams, books, datasets: all.map(dataset => dataset.name) }),
    )
    expect(files.length).toBe(all.length * 3)
    const parents = new Set([...streams.map(stream => stream.name), 'raw_transactions'])
    for (const file of files)
      expect(file.rows, file.dataset).toBe(parents.has(file.dataset) ? 1 : 0)
  })
})
