import { describe, expect, test } from 'vitest'
import { emptyShape } from '../../../connectors/shape.ts'
import type { Shape } from '../../../connectors/shape.ts'
import { text, timestamp } from '../../../connectors/stream.ts'
import { observe } from '../../helpers/observe-shape.ts'
import { salesStream } from '../sqlite/sales-stream.ts'
import { WINDOW_KINDS } from './window-databases.ts'

const sales = salesStream({ ...text('id'), ...timestamp('modified') })
const seen = (run: string, ...records: unknown[]): { run: string; shape: Shape } => {
  const shape = emptyShape()
  records.forEach((record, index) => observe(shape, record, `s${index}`))
  return { run, shape }
}

describe.each(Object.entries(WINDOW_KINDS))('on %s,', (_, openDatabase) => {
  test('the first run of a stream learns its shape; later ones report each drift once', async () => {
    const database = await openDatabase([sales])
    const load = async (run: string, ...records: object[]): Promise<string[]> =>
      (
        await database.load(sales, [records.map(record => JSON.stringify(record))], {
          seen: seen(run, ...records),
        })
      ).findingIds
    expect(
      await load('run 1', { id: 's1', modified: 1 }, { id: 's2', modified: 1, rare: true }),
    ).toEqual([])
    expect(await load('run 1', { id: 's3', modified: 1, alsoRare: 1 })).toEqual([])
    expect(await load('run 2', { id: 's4', modified: 2, added: 1, more: 'x' })).toEqual([
      'downtown/sales/field_added/added',
      'downtown/sales/field_added/more',
    ])
    expect(await load('run 3', { id: 's5', modified: 3, added: 2, more: 'y' })).toEqual([])
    expect(await database.all('SELECT code, detail, times FROM findings ORDER BY id')).toEqual([
      { code: 'field_added', detail: 'added is new (number); first in record s0', times: 1 },
      { code: 'field_added', detail: 'more is new (text); first in record s0', times: 1 },
    ])
  })

  test('a window whose commit fails teaches nothing', async () => {
    const database = await openDatabase([sales])
    const record = { id: 's1', modified: 1 }
    await expect(
      database.load(sales, [[JSON.stringify(record)]], {
        seen: seen('run 1', record),
        fetched: 99,
      }),
    ).rejects.toThrow('add up')
    expect(await database.all('SELECT * FROM shapes')).toEqual([])
  })

  test('a past window reports no drift when it is read first, and does when it is read again', async () => {
    const database = await openDatabase([sales])
    const load = async (run: string, day: number, ...records: object[]): Promise<string[]> =>
      (
        await database.load(sales, [records.map(record => JSON.stringify(record))], {
          seen: seen(run, ...records),
          window: {
            start: `2026-03-0${day}T00:00:00.000Z`,
            end: `2026-03-0${day + 1}T00:00:00.000Z`,
          },
        })
      ).findingIds
    await load('run 1', 5, { id: 's1', modified: 1 })
    expect(await load('run 2', 4, { id: 's2', modified: 1, rare: true })).toEqual([])
    expect(await load('run 3', 6, { id: 's3', modified: 2, fresh: 1 })).toEqual([
      'downtown/sales/field_added/fresh',
    ])
    expect(await load('run 4', 4, { id: 's2', modified: 2, rare: true, late: 1 })).toEqual([
      'downtown/sales/field_added/late',
    ])
  })
})
