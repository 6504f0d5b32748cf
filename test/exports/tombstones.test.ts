import { expect, it } from 'vitest'
import { openSnapshot } from '../../connectors/database.ts'
import { boolean, text, timestamp } from '../../connectors/stream.ts'
import { datasetsOf } from '../../exports/datasets.ts'
import { salesStream } from '../connectors/sqlite/sales-stream.ts'
import { openDatabase } from '../connectors/sqlite/window-database.ts'

it.each(['days', 'full-refresh'] as const)(
  'leaves out records that are gone, by the word of the API or by absence, and their lines (%s)',
  async window => {
    const sales = {
      ...salesStream(
        { ...text('id'), ...timestamp('modified'), ...boolean('deleted') },
        { sale_items: { path: 'items', columns: text('product') } },
      ),
      window,
    }
    const { load, path } = await openDatabase([sales])
    const sale = (id: string, deleted: boolean): string =>
      JSON.stringify({ id, modified: 5, deleted, items: [{ product: id }] })
    const idsIn = async (): Promise<unknown[]> => {
      const snapshot = await openSnapshot(path, { store: 'downtown', startMs: 0, endMs: 10 })
      const found: unknown[] = []
      for (const dataset of datasetsOf([sales])) {
        const id = { name: dataset.parent?.key ?? 'id', kind: 'text' } as const
        const cells: unknown[] = []
        for await (const rows of snapshot.rows(dataset, [id])) cells.push(...rows.flat())
        found.push(cells)
      }
      await snapshot.close()
      return found
    }
    load(sales, [[sale('a', false), sale('b', true), sale('c', false)]])
    expect(await idsIn()).toEqual([
      ['a', 'c'],
      ['a', 'c'],
    ])
    load(sales, [[]], { gone: ['c'] })
    expect(await idsIn()).toEqual([['a'], ['a']])
    load(sales, [[sale('b', false), sale('c', false)]])
    expect(await idsIn()).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ])
  },
)
