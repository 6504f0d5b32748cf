import { expect, test } from 'vitest'
import { BOOKED_FACTS, readProduct } from '../../../exports/sales/catalog-facts.ts'
import type { ProductFacts } from '../../../exports/sales/catalog-facts.ts'
import { catalogOf } from '../../../exports/sales/catalog.ts'
import type { Fields } from '../../../text/record-fields.ts'

/** What the catalog says of p1, whichever round of looking up brings it. */
async function productOf(product: object): Promise<ProductFacts | undefined> {
  const category = { id: 'c1', name: 'Accessories', cannabis: false }
  const records = new Map<string, object>([
    ['products p1', product],
    ['categories c1', category],
  ])
  const catalog = catalogOf({
    lookUp: (list, column) => async ids =>
      new Map(
        ids.flatMap(id => {
          const record = records.get(`${list} ${id}`)
          return column === 'raw' && record !== undefined ? [[id, JSON.stringify(record)]] : []
        }),
      ),
    missingSince: () => async () => new Map(),
  })
  const [facts] = await catalog.readAll(['p1'], (id, { product: find }) => find(id))
  return facts
}

test('a product that only names its category gets its facts from the list of categories', async () => {
  expect(await productOf({ id: 'p1', categoryId: 'c1' })).toMatchObject({
    categoryId: 'c1',
    categoryName: 'Accessories',
    cannabis: false,
  })
})

test('what a product says itself of its category counts, and an unknown one stays unknown', async () => {
  const own = { id: 'p1', categoryId: 'c1', category: { id: 'c1', name: 'Flower', cannabis: true } }
  expect(await productOf(own)).toMatchObject({ categoryName: 'Flower', cannabis: true })
  const unknown = await productOf({ id: 'p1', categoryId: 'c9' })
  expect([unknown?.categoryName, unknown?.cannabis]).toEqual([undefined, undefined])
})

test('days are looked at again for every field of a product that is read, except its names', () => {
  const asked = new Set<string>()
  const listening = (prefix: string, fields: Fields): Fields =>
    new Proxy(fields, {
      get(target, key) {
        asked.add(`${prefix}${String(key)}`)
        return Reflect.get(target, key)
      },
    })
  const customs = { weightPerUnit: 'CUSTOM_GRAMS' }
  readProduct(listening('', { ...customs, category: listening('category.', {}) }))
  const names = ['name', 'sku', 'brandId', 'vendorId', 'category']
  expect([...asked].filter(path => !names.includes(path)).toSorted()).toEqual(
    BOOKED_FACTS.product.toSorted(),
  )
})
