import { expect, test } from 'vitest'
import { catalogOf } from '../../../exports/sales/catalog.ts'

function catalogWith(product: object): ReturnType<typeof catalogOf> {
  const category = { id: 'c1', name: 'Accessories', cannabis: false }
  const records = new Map<string, object>([
    ['products p1', product],
    ['categories c1', category],
  ])
  return catalogOf({
    lookUp: (list, column) => id => {
      const record = records.get(`${list} ${id}`)
      return column === 'raw' && record !== undefined ? JSON.stringify(record) : undefined
    },
    missingSince: () => () => undefined,
  })
}

test('a product that only names its category gets its facts from the list of categories', () => {
  expect(catalogWith({ id: 'p1', categoryId: 'c1' }).product('p1')).toMatchObject({
    categoryId: 'c1',
    categoryName: 'Accessories',
    cannabis: false,
  })
})

test('what a product says itself of its category counts, and an unknown one stays unknown', () => {
  const own = { id: 'p1', categoryId: 'c1', category: { id: 'c1', name: 'Flower', cannabis: true } }
  expect(catalogWith(own).product('p1')).toMatchObject({ categoryName: 'Flower', cannabis: true })
  const unknown = catalogWith({ id: 'p1', categoryId: 'c9' }).product('p1')
  expect([unknown?.categoryName, unknown?.cannabis]).toEqual([undefined, undefined])
})
