import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sized } from '../../helpers/size.ts'
import { pageOf } from '../sqlite/page-of.ts'
import { sales } from './number-sales.ts'
import { WINDOW_KINDS } from './window-databases.ts'

const compareText = (a: string, b: string): number => Number(a > b) - Number(a < b)

describe.each(Object.entries(WINDOW_KINDS))('on %s,', (_, openDatabase) => {
  /**
   * A window of records with versions, some bad, on any number of pages; and what a plain Map makes
   * of it.
   */
  const version = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    modified: fc.integer({ min: 1, max: 4 }),
    name: fc.constantFrom('x', 'y', 'z'),
    lines: fc.integer({ min: 0, max: 3 }),
    bad: fc.constantFrom(false, false, false, false, true),
  })
  type Version = { id: string; modified: number; name: string; lines: number; bad: boolean }
  const recordOf = ({ id, modified, name, lines, bad }: Version): string =>
    JSON.stringify({
      id,
      modified,
      name: bad ? undefined : name,
      total: bad ? 'not a decimal' : modified,
      items: Array.from({ length: lines }, (_, index) => ({ product: `${name}${index}` })),
    })

  describe('counts', () => {
    it('add up, and the tables are what a plain map makes of the same versions', async () => {
      const windows = fc.array(
        fc.array(fc.array(version, { minLength: 0, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
        { minLength: 1, maxLength: 3 },
      )
      const database = await openDatabase([sales])
      let run = 0
      await fc.assert(
        fc.asyncProperty(windows, async all => {
          const store = `store ${++run}`
          const kept = new Map<string, Version>()
          for (const pages of all) {
            const { counts } = await database.load(
              sales,
              pages.map(page => page.map(recordOf)),
              { store },
            )
            const newest = new Map<string, Version>()
            for (const record of pages.flat())
              if ((newest.get(record.id)?.modified ?? 0) <= record.modified)
                newest.set(record.id, record)
            const good = [...newest.values()].filter(({ bad }) => !bad)
            const won = good.filter(
              record =>
                (kept.get(record.id)?.modified ?? 0) <= record.modified &&
                recordOf(kept.get(record.id) ?? { ...record, id: '' }) !== recordOf(record),
            )
            expect(counts).toEqual({
              fetched: pages.flat().length,
              inserted: won.filter(({ id }) => !kept.has(id)).length,
              updated: won.filter(({ id }) => kept.has(id)).length,
              unchanged: good.length - won.length,
              duplicate: pages.flat().length - newest.size,
              deadLettered: newest.size - good.length,
            })
            for (const record of won) kept.set(record.id, record)
          }
          expect(
            await database.all(
              'SELECT id, modified, name FROM sales WHERE store_id = ? ORDER BY id',
              store,
            ),
          ).toEqual(
            [...kept.values()]
              .sort((a, b) => (a.id < b.id ? -1 : 1))
              .map(({ id, modified, name }) => ({ id, modified, name })),
          )
          const lines = [...kept.values()].flatMap(({ id, name, lines }) =>
            Array.from({ length: lines }, (_, index) => ({
              sale_id: id,
              line_no: index + 1,
              product: `${name}${index}`,
            })),
          )
          expect(
            await database.all(
              'SELECT sale_id, line_no, product FROM sale_items WHERE store_id = ? ORDER BY 1, 2',
              store,
            ),
          ).toEqual(
            lines.sort((a, b) => compareText(a.sale_id, b.sale_id) || a.line_no - b.line_no),
          )
        }),
        { numRuns: sized(30, 4_000) },
      )
    })

    it('take a record in another order of its keys, or with other escapes, for unchanged', async () => {
      const { load, all } = await openDatabase([sales])
      const first = '{"id":"a","modified":1,"name":"Zo\u00eb/1","total":1.50,"tags":{"x":1,"y":2}}'
      const again =
        '{"tags":{"y":2,"x":1},"total":1.50,"name":"Zo\\u00EB\\/1","modified":1,"id":"a"}'
      await load(sales, [[first]])
      expect((await load(sales, [[again]])).counts).toMatchObject({ updated: 0, unchanged: 1 })
      expect((await load(sales, [[again], [first]])).counts).toMatchObject({
        unchanged: 1,
        duplicate: 1,
      })
      expect(await all('SELECT * FROM versions')).toEqual([])
      const other = again.replace('1.50', '1.5')
      expect((await load(sales, [[other]])).counts).toMatchObject({ updated: 1, unchanged: 0 })
      expect(await all('SELECT count(*) AS count FROM versions')).toEqual([{ count: 1 }])
    })

    it('and rows are the same however the API spells its records', async () => {
      const record = (order: string[]): string =>
        `{${order.map(name => `"${name}":${JSON.stringify(fields[name as keyof typeof fields])}`).join(',')}}`
      const fields = {
        id: 'a/1',
        modified: 1_700_000_000_000,
        name: 'Zo\u00eb "x" \\',
        total: 'TOTAL',
        items: [{ product: 'p/1', price: 'PRICE' }, { product: '\ud83d\ude00' }],
      }
      const names = Object.keys(fields)
      const plain = record(names).replace('"TOTAL"', '10.50').replace('"PRICE"', '0.10')
      const unicode = (json: string): string =>
        json.replaceAll(
          /[^ -~]/g,
          unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`,
        )
      const spellings: Record<string, string> = {
        pretty: JSON.stringify(JSON.parse(plain), null, '\r\n\t')
          .replace('10.5', '10.50')
          .replace('0.1', '0.10'),
        reversed: record(names.toReversed()).replace('"TOTAL"', '10.50').replace('"PRICE"', '0.10'),
        slashes: plain.replaceAll('/', '\\/'),
        escapes: unicode(plain),
        'decimals as texts': plain.replace('10.50', '"10.50"').replace('0.10', '"0.10"'),
        'times as texts': plain.replace('1700000000000', '"1700000000000"'),
        'times as decimals': plain.replace('1700000000000', '1700000000000.0'),
        'nulls that say nothing': plain.replace('{', '{"counter":null,"cart":null,"tags":null,'),
        'fields that nobody knows': plain.replace('{', '{"zz":{"id":"no","items":[1e400]},'),
      }
      const database = await openDatabase([sales])
      const rowsOf = async (json: string, store: string): Promise<unknown[]> => {
        const { counts } = await database.load(sales, [[json]], { store })
        expect(counts, json).toMatchObject({ inserted: 1 })
        return [
          await database.all(
            'SELECT id, modified, name, total, cart_tax, counter, tags FROM sales WHERE store_id = ?',
            store,
          ),
          await database.all(
            'SELECT sale_id, line_no, product, price FROM sale_items WHERE store_id = ? ORDER BY 2',
            store,
          ),
        ]
      }
      const expected = await rowsOf(plain, 'plain')
      expect(expected).toMatchObject([[{ total: '10.50' }], [{ price: '0.10' }, { price: null }]])
      for (const [name, json] of Object.entries(spellings))
        expect(await rowsOf(json, name), name).toEqual(expected)
      const other = plain.replace('10.50', '10.5')
      expect(await rowsOf(other, 'other digits')).not.toEqual(expected)
    })

    it('and dead letters are the same whether records share a page or each has its own', async () => {
      const database = await openDatabase([sales])
      let run = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(version, { minLength: 1, maxLength: 40 }), {
            minLength: 1,
            maxLength: 2,
          }),
          async windows => {
            const [shared, alone] = [`shared ${++run}`, `alone ${run}`]
            for (const records of windows.map(window => window.map(recordOf))) {
              const apart = records.map(record => [record])
              const loaded = await database.load(sales, apart, { store: alone })
              expect((await database.load(sales, [records], { store: shared })).counts).toEqual(
                loaded.counts,
              )
            }
            for (const sql of [
              'SELECT id, modified, name, raw FROM sales WHERE store_id = ? ORDER BY id',
              'SELECT sale_id, line_no, product FROM sale_items WHERE store_id = ? ORDER BY 1, 2',
              'SELECT record_key, reason, raw FROM dead_letters WHERE store_id = ? ORDER BY 1',
            ]) {
              expect(await database.all(sql, shared)).toEqual(await database.all(sql, alone))
            }
          },
        ),
        { numRuns: sized(10, 1_000) },
      )
    })

    it('of a page of thousands stand beside its bad records', async () => {
      const { load } = await openDatabase([sales])
      const records = Array.from(
        { length: 8000 },
        (_, index) =>
          `{"id":"${index}","modified":1,"total":${index % 1000 === 7 ? '"no"' : '1.10'}}`,
      )
      expect((await load(sales, [records])).counts).toMatchObject({
        inserted: 7992,
        deadLettered: 8,
      })
    })

    const records = [
      '{"id":"a","modified":1}',
      '{"id":"b","modified":1}',
      '{"id":"c","modified":1}',
    ]

    it.each([
      ['the window says that it fetched one row more', { fetched: 4 }],
      ['the window says that it fetched one row less', { fetched: 2 }],
      ['a duplicate is named that is none', { superseded: { 0: [7] } }],
    ])('that do not add up keep nothing: %s', async (_, lie) => {
      const { load, all } = await openDatabase([sales])
      await expect(load(sales, [records], lie)).rejects.toThrow(
        expect.objectContaining({ code: 'COUNTS_DIFFER' }) as Error,
      )
      for (const table of ['sales', 'windows', 'readings', 'findings', 'dead_letters'])
        expect(await all(`SELECT * FROM ${table}`), table).toEqual([])
      expect((await load(sales, [records])).counts).toMatchObject({ fetched: 3, inserted: 3 })
    })

    it.each([2, 4])(
      'that do not add up keep nothing: a page was staged as %i rows and holds 3',
      async rows => {
        const { windows, all, load } = await openDatabase([sales])
        const window = {
          reading: 'lie',
          store: 'downtown',
          stream: 'sales',
          window: { start: '2026-01-01T00:00:00.000Z', end: '2026-01-02T00:00:00.000Z' },
          status: 'proven' as const,
          evidence: {},
          superseded: {},
          fetched: rows,
          findings: [],
          readAt: '',
        }
        await windows.stage({ ...pageOf(sales, records, 'lie'), rows })
        await expect(windows.commit(window)).rejects.toThrow(
          expect.objectContaining({ code: 'COUNTS_DIFFER' }) as Error,
        )
        expect(await all('SELECT * FROM sales')).toEqual([])
        expect(await all('SELECT * FROM windows')).toEqual([])
        expect((await load(sales, [records])).counts).toMatchObject({ inserted: 3 })
      },
    )
  })

  describe('stores', () => {
    it('do not touch each other, even with the same ids', async () => {
      const { load, all } = await openDatabase([sales])
      await load(sales, [['{"id":"a","modified":2,"items":[{"product":"x"}]}']])
      expect(
        (await load(sales, [['{"id":"a","modified":1,"items":[]}']], { store: 'uptown' })).counts,
      ).toMatchObject({ inserted: 1 })
      expect(await all('SELECT store_id, modified FROM sales ORDER BY 1')).toEqual([
        { store_id: 'downtown', modified: 2 },
        { store_id: 'uptown', modified: 1 },
      ])
      expect(await all('SELECT store_id FROM sale_items')).toEqual([{ store_id: 'downtown' }])
    })
  })
})
