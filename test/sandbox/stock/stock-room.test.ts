import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChangeLog } from '../../../sandbox/model/change-log.ts'
import type { World } from '../../../sandbox/model/world.ts'
import { makeWorlds } from '../../../sandbox/model/world.ts'
import { readOptions } from '../../../sandbox/options.ts'
import { quantity, readQuantity } from '../../../sandbox/values/quantity.ts'

const NOW_MS = 1_800_000_000_000
const world = (): World =>
  makeWorlds(
    readOptions({ until: '2026-03-15', days: 3, transactionsPerDay: 2, stores: 1 }),
    () => -1,
  )[0]!
const total = ({ stock }: World, productId: string): number =>
  stock.shelves('productId', productId).reduce((sum, { amount }) => sum + amount, 0)

it('writes quantities with two to four digits and reads them back', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), amount => {
      const text = JSON.stringify(quantity(amount))
      expect(text).toMatch(/^-?\d+\.\d{2,4}$/)
      expect(readQuantity(quantity(amount))).toBe(amount)
      expect(readQuantity(JSON.parse(text))).toBe(amount)
    }),
  )
  expect(JSON.stringify([12_0000, 3_5000, 28_3495].map(quantity))).toBe('[12.00,3.50,28.3495]')
  expect([readQuantity('x'), readQuantity(null), readQuantity(Infinity)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

it('takes from the front room and the oldest batch first, says from where, and tells batch and product', () => {
  const store = world()
  const { stock, lists, catalog } = store
  const product = catalog.products.find(
    ({ id }) => new Set(stock.sellable(id).map(({ batchId }) => batchId)).size > 1,
  )!
  const before = stock.sellable(product.id)
  const taken = stock.take(product.id, before[0]!.amount + 1, NOW_MS)
  expect(taken).toEqual([before[0], { ...before[1], amount: 1 }])
  expect(stock.amountOf(before[0]!.batchId, before[0]!.inventoryId)).toBe(0)
  const batch = lists.batches.get(before[0]!.batchId)!
  expect(readQuantity(batch['liveQuantity'])).toBe(
    stock.shelves('batchId', before[0]!.batchId).reduce((sum, { amount }) => sum + amount, 0),
  )
  expect(readQuantity(lists.products.get(product.id)!['totalSellableQuantity'])).toBe(
    total(store, product.id),
  )
  stock.put(taken, NOW_MS)
  expect(stock.sellable(product.id)).toEqual(before)
})

it('takes nothing where there is not enough, in a room or at all', () => {
  const store = world()
  const { stock, catalog } = store
  const [product] = catalog.products
  const before = total(store, product!.id)
  expect(() => stock.take(product!.id, before + 1, NOW_MS)).toThrow('not enough')
  expect(() =>
    stock.take(product!.id, 1, NOW_MS, { inventoryId: catalog.inventories[4]! }),
  ).toThrow('not enough')
  expect(total(store, product!.id)).toBe(before)
})

it('undoes all of an operation that fails half way, and only that one', () => {
  const store = world()
  const { lists, catalog, stock } = store
  const changeLog = new ChangeLog(undefined)
  for (const list of Object.values(lists)) changeLog.watch('downtown', list)
  const [product] = catalog.products
  const kept = changeLog.run(1, () => lists.vendors.insert({ name: 'Kept' }, NOW_MS))
  const before = [lists.vendors, lists.products, lists.batches, lists.batch_quantities].map(
    list => [...list.all()],
  )
  expect(() =>
    changeLog.run(2, () => {
      lists.vendors.insert({ name: 'Lost' }, NOW_MS)
      lists.vendors.edit(0, { name: 'Lost too' }, NOW_MS)
      lists.vendors.edit(0, { name: 'And again' }, NOW_MS)
      lists.vendors.remove(1)
      stock.take(product!.id, 1, NOW_MS)
      throw new Error('half way')
    }),
  ).toThrow('half way')
  expect(
    [lists.vendors, lists.products, lists.batches, lists.batch_quantities].map(list => [
      ...list.all(),
    ]),
  ).toEqual(before)
  expect(lists.vendors.get(kept)).toMatchObject({ name: 'Kept' })
  expect(lists.vendors.where('name', 'And again')).toEqual([])
})

it('finds records by a field, also after they changed', () => {
  const {
    lists: { vendors },
  } = world()
  const id = vendors.insert({ name: 'Twin' }, NOW_MS)
  const number = vendors.find(id)!
  expect(vendors.where('name', 'Twin')).toEqual([number])
  vendors.edit(number, { name: 'Single' }, NOW_MS)
  expect([vendors.where('name', 'Twin'), vendors.where('name', 'Single')]).toEqual([[], [number]])
  vendors.remove(number)
  expect(vendors.where('name', 'Single')).toEqual([])
})
