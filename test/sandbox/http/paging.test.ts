import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ModifiedOrder } from '../../../sandbox/model/modified-order.ts'
import type { Page } from '../asking.ts'
import { ask, askJson, everything, idsOf, sandboxWith, truth } from '../asking.ts'

const WINDOW = '/transactions?startDate=03/09/2026&endDate=03/14/2026'

it('gives 100 rows a page, never more, and tells offset, limit and total', async () => {
  const sandbox = await sandboxWith()
  const page = await askJson<Page>(sandbox, `${WINDOW}&limit=1000&skip=20`)
  expect(page.values).toHaveLength(100)
  expect(page).toMatchObject({ skip: 20, limit: 100 })
  expect(page.total).toBeGreaterThan(300)
  const beyond = await askJson<Page>(sandbox, `${WINDOW}&skip=${page.total + 5}`)
  expect(beyond).toEqual({ values: [], skip: page.total + 5, limit: 100, total: page.total })
})

it('takes start as well as skip, since the documentation leaves open which', async () => {
  const sandbox = await sandboxWith()
  const bySkip = await askJson<Page>(sandbox, `${WINDOW}&skip=7&limit=3`)
  expect(await askJson<Page>(sandbox, `${WINDOW}&start=7&limit=3`)).toEqual(bySkip)
})

it('sorts what has dates by modified, newest first, and catalogs by id', async () => {
  const sandbox = await sandboxWith()
  for (const path of [WINDOW, '/members', '/store/batches', '/purchaseorders/list']) {
    const times = (await everything(sandbox, path)).map(row => row.modified)
    expect(times).toEqual([...times].sort((a, b) => b - a))
  }
  for (const path of ['/products', '/vendors']) {
    const ids = idsOf(await everything(sandbox, path))
    expect(ids).toEqual([...ids].sort())
  }
})

it('gives every row exactly once over all pages', async () => {
  const sandbox = await sandboxWith()
  const rows = await everything(sandbox, '/store/batches')
  expect(idsOf(rows).sort()).toEqual(idsOf(await truth(sandbox, 'batches')).sort())
})

it('filters batches and products by what the documentation names', async () => {
  const sandbox = await sandboxWith()
  const [product] = (await askJson<Page>(sandbox, '/products?limit=1')).values
  const batches = await everything(sandbox, `/store/batches?productId=${product!.id}`)
  expect(batches.length).toBeGreaterThan(0)
  expect(batches.every(batch => batch['productId'] === product!.id)).toBe(true)
  const ready = await everything(sandbox, '/store/batches?status=READY_FOR_SALE')
  expect(ready.every(batch => batch['status'] === 'READY_FOR_SALE')).toBe(true)
  const filters = ['categoryId', 'vendorId', 'brandId'].map(
    name => `${name}=${product![name] as string}`,
  )
  const flowers = await everything(sandbox, `/store/inventory/products?${filters.join('&')}`)
  expect(idsOf(flowers)).toContain(product!.id)
  expect(await askJson(sandbox, `/products/sku/${product!['sku'] as string}`)).toEqual(product)
  expect(await askJson(sandbox, `/products/${product!.id}?omitTaxTables=true`)).not.toHaveProperty(
    'taxTables',
  )
  const categories = await askJson<{ values: { id: string }[] }>(sandbox, '/category')
  expect(Object.keys(categories)).toEqual(['values'])
  expect(categories.values.map(({ id }) => id)).toContain(product!['categoryId'])
})

it.each([
  'limit=0',
  'limit=ten',
  'skip=-1',
  'start=1.5',
  'startDate=2026-03-01',
  'startDate=02/30/2026',
  'startDate=03/09/2026&endDate=03/01/2026',
  'days=0',
])('refuses %s with 400 and names the field', async query => {
  const answer = await ask(
    await sandboxWith({ transactionsPerDay: 5, stores: 1 }),
    `/transactions?${query}`,
  )
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.text)).toMatchObject({
    field: expect.stringMatching(/limit|skip|start|Date|days/) as unknown,
    message: expect.any(String) as unknown,
    errorType: 'partner.exceptions.InvalidArgumentException',
  })
})

it('keeps its index sorted through any inserts, edits and deletes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(200_000_000), { maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(2), fc.nat(), fc.nat(200_000_000)), { maxLength: 40 }),
      (seeded, changes) => {
        const model = new Map(seeded.map((modified, number) => [number, modified]))
        const order = new ModifiedOrder(seeded.length, number => seeded[number]!)
        let next = seeded.length
        for (const [kind, pick, modified] of changes) {
          const number = [...model.keys()][pick % Math.max(1, model.size)]
          if (kind !== 0 && number !== undefined) {
            order.remove(number, model.get(number)!)
            model.delete(number)
          }
          if (kind !== 1) {
            const added = kind === 2 && number !== undefined ? number : next++
            order.insert(added, modified)
            model.set(added, modified)
          }
        }
        const expected = [...model].sort(([a, x], [b, y]) => x - y || a - b)
        expect(
          Array.from({ length: order.length }, (_, rank) => [
            order.numberAt(rank),
            order.modifiedAt(rank),
          ]),
        ).toEqual(expected)
        for (const at of [0, 1, 100_000_000])
          expect(order.rankOf(at)).toBe(expected.filter(([, modified]) => modified < at).length)
      },
    ),
    { numRuns: 200 },
  )
})
