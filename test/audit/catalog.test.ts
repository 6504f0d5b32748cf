import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { completeCatalog, lotOf, readCatalog } from '../../audit/catalog.ts'
import type { Catalog } from '../../audit/catalog.ts'
import { openStoreApi } from '../../audit/store-api.ts'
import { createPartnerClient } from '../../connectors/partner/client.ts'
import { governorAlone } from '../helpers/governor.ts'
import { serve } from '../reading/list-server.ts'
import { AuditScene } from '../reconcile/audit-scene.ts'

let scene: AuditScene
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterEach(() => scene.noFaults())
afterAll(() => scene.close())

/** Without them units, cannabis, rooms or vendors would be wrong or missing. */
const LISTS = [
  { what: 'products', match: String.raw`/products\?` },
  { what: 'categories', match: '/category($|[?])' },
  { what: 'vendors', match: String.raw`/vendors\?` },
  { what: 'rooms out of use', match: String.raw`/store/inventory/inventories\?` },
]

it.each(LISTS)('a list of $what that fails is an error, and not an empty list', async one => {
  // Stands for any failure; those that pass are asked again first.
  await scene.fault({ match: one.match, status: 401 })
  await expect(readCatalog(scene.api)).rejects.toThrow('answered 401')
  expect(await scene.fired()).toBeGreaterThan(0)
})

it.each([403, 404])('lists that an API answers with %i are done without', async status => {
  const { batches } = await readCatalog(scene.api)
  const [batchId, batch] = [...batches][0]!
  for (const { match } of LISTS) await scene.fault({ match, status })
  const catalog = await readCatalog(scene.api)
  expect(catalog.rooms.length).toBeGreaterThan(0)
  catalog.batches = new Map([[batchId, batch]])
  await completeCatalog(scene.api, catalog, [batchId])
  // The product is asked for by itself, and says its category.
  expect(lotOf(catalog, batchId).product).not.toBe('')
})

it.each([403, 404])('a lot of which the API answers %i is held without a name', async status => {
  const { batches, ...rest } = await readCatalog(scene.api)
  const [batchId] = [...batches.keys()]
  const catalog = { ...rest, batches: new Map() }
  await scene.fault({ match: 'batchId=', status })
  await completeCatalog(scene.api, catalog, [batchId!])
  expect(await scene.fired()).toBeGreaterThan(0)
  expect(lotOf(catalog, batchId!)).toMatchObject({ batchId, product: '' })
})

it('a product that fails is an error, and no lot without a name and a unit', async () => {
  const { batches, ...rest } = await readCatalog(scene.api)
  const one = new Map([...batches].slice(0, 1))
  const catalog = { ...rest, batches: one, products: new Map() }
  await scene.fault({ match: '/store/inventory/products/', status: 401 })
  await expect(completeCatalog(scene.api, catalog, [...one.keys()])).rejects.toThrow('answered 401')
})

it.each([
  { answered: 'P-1', name: 'Gummies' },
  { answered: 'P-2', name: '' },
])('a product that is asked for as P-1 and comes as $answered names a lot: "$name"', async one => {
  const baseUrl = await serve((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id: one.answered, name: 'Gummies', active: true }))
  })
  const client = createPartnerClient({ baseUrl, partnerKey: 'p', developerKey: 'd' })
  const governor = governorAlone({ concurrency: 1, requestsPerSecond: Infinity })
  const api = openStoreApi({ id: 'downtown', client, governor }, new AbortController().signal)
  const catalog: Catalog = {
    rooms: [],
    batches: new Map([['B-1', { id: 'B-1', productId: 'P-1' }]]),
    products: new Map(),
    categories: new Map(),
    vendors: new Map(),
  }
  await completeCatalog(api, catalog, ['B-1'])
  expect(lotOf(catalog, 'B-1').product).toBe(one.name)
})
