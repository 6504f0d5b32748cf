import { expect, test } from 'vitest'
import { streams } from '../../connectors/partner/streams/index.ts'
import { datasetsOf } from '../../exports/datasets.ts'
import { nightOrder } from '../../schedules/orders.ts'
import { bookkeeper } from '../commands/bookkeeper.ts'

const keeper = await bookkeeper()
const nightWith = (nightly: object): ReturnType<typeof nightOrder> => {
  keeper.reconfigure({ schedules: { nightly } })
  return nightOrder(keeper.config, keeper.config.stores[0]!)
}
const datasets = datasetsOf(streams).map(({ name }) => name)

test('a night that writes nothing needs every list that each API has and that it reads, and no other', () => {
  const { streams: read, needed } = nightWith({})
  expect(needed).toContain('transactions')
  expect(needed.filter(name => !read.includes(name))).toEqual([])
  expect(read).not.toContain('batch_quantities')
})

test('a night reads every list of which it writes files, be it one list for each record of another', () => {
  for (const dataset of datasets) {
    const { streams: read, needed } = nightWith({ export: [dataset] })
    expect(needed).toHaveLength(1)
    expect(read, dataset).toContain(needed[0])
  }
})
