import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boolean, decimal, text, timestamp } from '../../../../connectors/stream.ts'
import { salesStream } from '../sales-stream.ts'
import { openDatabase } from '../window-database.ts'
import { rowsAsOf } from './rows-as-of.ts'

const sales = salesStream(
  { ...text('id', 'name'), ...timestamp('modified'), ...boolean('deleted'), ...decimal('total') },
  { sale_items: { path: 'items', columns: text('product') } },
)
const sale = (id: string, modified: number, rest: object = {}): string =>
  JSON.stringify({ id, modified, ...rest })
const asOf = `SELECT id, name, modified, deleted, deleted_because, total, raw FROM (${rowsAsOf(sales)}) ORDER BY id`
const now = 'SELECT id, name, modified, deleted, deleted_because, total, raw FROM sales ORDER BY id'

describe('versions', () => {
  it('show every batch as it was, whatever was inserted, edited, deleted, missed and seen again since', async () => {
    const record = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      modified: fc.integer({ min: 1, max: 5 }),
      name: fc.constantFrom('x', 'y'),
      deleted: fc.boolean(),
      total: fc.constantFrom('1.50', '2.0'),
    })
    const pages = fc.array(fc.array(record, { maxLength: 4 }), { minLength: 1, maxLength: 2 })
    const windows = fc.array(fc.record({ pages, gone: fc.subarray(['a', 'b', 'c', 'd']) }), {
      minLength: 1,
      maxLength: 6,
    })
    fc.assert(
      await (async () => {
        const { load, all } = await openDatabase([sales])
        let run = 0
        return fc.property(windows, chosen => {
          const store = `store ${++run}`
          const states: [number, unknown][] = []
          const seen = new Set<string>()
          for (const { pages, gone } of chosen) {
            const raws = pages.map(page => page.map(entry => JSON.stringify(entry)))
            for (const raw of raws.flat()) seen.add(raw)
            load(sales, raws, { store, gone })
            states.push([
              all('SELECT max(batch) AS batch FROM readings')[0]!['batch'] as number,
              all(now.replace('ORDER', 'WHERE store_id = ? ORDER'), store),
            ])
          }
          for (const [batch, state] of states)
            expect(
              all(asOf.replace('ORDER', 'WHERE store_id = @store ORDER'), { batch, store }),
            ).toEqual(state)
          expect(
            new Set(
              all('SELECT DISTINCT raw FROM sales_versions WHERE store_id = ?', store).map(
                ({ raw }) => raw,
              ),
            ),
          ).toEqual(seen)
        })
      })(),
      { numRuns: 150 },
    )
  })

  it('are kept for changes only: what comes again as it is makes none', async () => {
    const { load, all } = await openDatabase([sales])
    for (let times = 0; times < 3; times++) load(sales, [[sale('a', 1), sale('b', 1)]])
    expect(all('SELECT * FROM versions')).toEqual([])
    load(sales, [[sale('a', 2), sale('b', 1)]])
    expect(all('SELECT id, modified, from_batch, to_batch FROM versions')).toEqual([
      { id: 'a', modified: 1, from_batch: 1, to_batch: 4 },
    ])
  })

  it('keep a copy that came out of order also where times come as texts', async () => {
    const { load, all } = await openDatabase([sales])
    const textual = (modified: string): string => JSON.stringify({ id: 'a', modified })
    load(sales, [[textual('1000')]])
    load(sales, [[textual('999')]])
    expect(all('SELECT modified FROM sales')).toEqual([{ modified: 1000 }])
    expect(all('SELECT modified FROM versions')).toEqual([{ modified: 999 }])
  })

  it('keep a copy that came out of order once, and it never stands', async () => {
    const { load, all } = await openDatabase([sales])
    load(sales, [[sale('a', 5)]])
    for (let times = 0; times < 2; times++) load(sales, [[sale('a', 3)]])
    load(sales, [[sale('a', 6)], [sale('a', 4)]])
    expect(
      all('SELECT modified, from_batch, to_batch FROM sales_versions ORDER BY modified'),
    ).toEqual([
      { modified: 3, from_batch: 2, to_batch: 2 },
      { modified: 4, from_batch: 4, to_batch: 4 },
      { modified: 5, from_batch: 1, to_batch: 4 },
      { modified: 6, from_batch: 4, to_batch: null },
    ])
    expect(all(asOf, { batch: 3 })).toMatchObject([{ modified: 5 }])
  })

  it('say when a record was first seen and last changed', async () => {
    const { load, all } = await openDatabase([sales])
    load(sales, [[sale('a', 1)]], { readAt: '2026-03-08T00:00:00.500Z' })
    load(sales, [[sale('a', 2)]], { readAt: '2026-03-09T00:00:00.000Z' })
    expect(all('SELECT first_seen_at, changed_at FROM sales_seen')).toEqual([
      {
        first_seen_at: Date.parse('2026-03-08T00:00:00.500Z'),
        changed_at: Date.parse('2026-03-09T00:00:00.000Z'),
      },
    ])
    expect(all('SELECT seen_from, seen_to FROM sales_versions ORDER BY modified')).toEqual([
      {
        seen_from: Date.parse('2026-03-08T00:00:00.500Z'),
        seen_to: Date.parse('2026-03-09T00:00:00.000Z'),
      },
      { seen_from: Date.parse('2026-03-09T00:00:00.000Z'), seen_to: null },
    ])
  })
})

describe('a tombstone', () => {
  it('is the word of the API or an absence, stays in the view, and reads as deleted', async () => {
    const { load, all } = await openDatabase([sales])
    load(sales, [
      [sale('said', 7, { deleted: true }), sale('absent', 1), sale('alive', 1, { deleted: false })],
    ])
    load(sales, [[]], { gone: ['absent'], readAt: '2026-03-09T00:00:00.000Z' })
    expect(all('SELECT id, deleted, deleted_at, deleted_because FROM sales ORDER BY id')).toEqual([
      {
        id: 'absent',
        deleted: 1,
        deleted_at: Date.parse('2026-03-09T00:00:00.000Z'),
        deleted_because: 'absent',
      },
      { id: 'alive', deleted: 0, deleted_at: null, deleted_because: null },
      { id: 'said', deleted: 1, deleted_at: 7, deleted_because: 'said' },
    ])
  })

  it('goes when the record is seen again, as it was, newer, or even older', async () => {
    for (const modified of [5, 6, 4]) {
      const { load, all } = await openDatabase([sales])
      load(sales, [[sale('a', 5, { items: [{ product: 'p' }] })]])
      load(sales, [[]], { gone: ['a'] })
      expect(
        load(sales, [[sale('a', modified, { items: [{ product: `p${modified}` }] })]]).counts,
      ).toMatchObject({ updated: 1 })
      expect(all('SELECT modified, deleted_at FROM sales')).toEqual([
        { modified, deleted_at: null },
      ])
      expect(all('SELECT product FROM sale_items')).toEqual([{ product: `p${modified}` }])
      expect(
        all('SELECT modified, gone_at IS NOT NULL AS gone FROM versions ORDER BY to_batch'),
      ).toEqual([
        { modified: 5, gone: 0 },
        { modified: 5, gone: 1 },
      ])
    }
  })

  it('is made of a row that the same batch has brought, but not in another store, nor twice', async () => {
    const { load, all } = await openDatabase([sales])
    load(sales, [[sale('a', 1)]])
    load(sales, [[]], { gone: ['a'], store: 'uptown' })
    expect(all('SELECT deleted_at FROM sales')).toEqual([{ deleted_at: null }])
    load(sales, [[sale('a', 2)]], { gone: ['a'], readAt: '2026-03-09T00:00:00.000Z' })
    load(sales, [[]], { gone: ['a'], readAt: '2026-03-10T00:00:00.000Z' })
    expect(all('SELECT modified, deleted_at FROM sales')).toEqual([
      { modified: 2, deleted_at: Date.parse('2026-03-09T00:00:00.000Z') },
    ])
  })
})
