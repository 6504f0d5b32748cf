import { describe, expect, it } from 'vitest'
import { decimal, text, timestamp } from '../../../connectors/stream.ts'
import { salesStream } from '../sqlite/sales-stream.ts'
import { WINDOW_KINDS } from './window-databases.ts'

const sales = salesStream(
  { ...text('id'), ...timestamp('modified') },
  { sale_items: { path: 'cart.items', columns: decimal('quantity') } },
)

describe.each(Object.entries(WINDOW_KINDS))('on %s,', (_, openDatabase) => {
  describe('records that differ', () => {
    it('by the last digit of a long number of an id are two', async () => {
      const { load, all } = await openDatabase([sales])
      expect(
        (
          await load(sales, [
            [
              '{"id":12345678901234567890,"modified":1}',
              '{"id":12345678901234567891,"modified":1}',
              '{"id":7,"modified":1}',
            ],
          ])
        ).counts,
      ).toMatchObject({ inserted: 3, duplicate: 0 })
      expect(await all('SELECT id FROM sales ORDER BY id')).toEqual([
        { id: '12345678901234567890' },
        { id: '12345678901234567891' },
        { id: '7' },
      ])
    })

    it.each(['true', '1.5', '{}', '[]'])(
      'but have %s where an id belongs are dead letters, each',
      async id => {
        const { load, all } = await openDatabase([sales])
        expect(
          (
            await load(sales, [
              [`{"id":${id},"modified":1}`, `{"id":${id},"modified":2}`, '{"id":"a","modified":1}'],
            ])
          ).counts,
        ).toMatchObject({ inserted: 1, deadLettered: 2 })
        expect(await all('SELECT DISTINCT reason FROM dead_letters')).toEqual([
          { reason: 'id: expected a text that is not empty' },
        ])
      },
    )
  })

  describe('lines that are no list', () => {
    it.each(['{"0":{"quantity":1}}', '"none"', '7', 'true'])(
      'make a dead letter, and do not vanish: %s',
      async items => {
        const { load, all } = await openDatabase([sales])
        const good = '{"id":"a","modified":1,"cart":{"items":[{"quantity":1}]}}'
        expect(
          (await load(sales, [[good, `{"id":"b","modified":1,"cart":{"items":${items}}}`]])).counts,
        ).toMatchObject({ inserted: 1, deadLettered: 1 })
        expect(await all('SELECT record_key, reason FROM dead_letters')).toEqual([
          {
            record_key: 'b',
            reason: expect.stringMatching(/^cart\.items: expected list, received /) as string,
          },
        ])
        expect(await all('SELECT sale_id FROM sale_items')).toEqual([{ sale_id: 'a' }])
      },
    )

    it.each([
      '{"id":"b","modified":1}',
      '{"id":"b","modified":1,"cart":null}',
      '{"id":"b","modified":1,"cart":{"items":null}}',
      '{"id":"b","modified":1,"cart":{"items":[]}}',
    ])('are none where there are none: %s', async record => {
      const { load } = await openDatabase([sales])
      expect((await load(sales, [[record]])).counts).toMatchObject({ inserted: 1, deadLettered: 0 })
    })
  })
})
