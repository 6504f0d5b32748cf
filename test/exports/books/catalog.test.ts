import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { catalogOf } from '../../../exports/books/catalog.ts'

function catalogWith(product: object): ReturnType<typeof catalogOf> {
  const database = new Database(':memory:')
  for (const view of ['products', 'categories'])
    database.exec(`CREATE TABLE "${view}" (store_id TEXT, id TEXT, raw TEXT)`)
  const insert = (view: string, id: string, raw: object): void =>
    void database.prepare(`INSERT INTO "${view}" VALUES ('a', ?, ?)`).run(id, JSON.stringify(raw))
  insert('products', 'p1', product)
  insert('categories', 'c1', { id: 'c1', name: 'Accessories', cannabis: false })
  return catalogOf(database, 'a')
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
