import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../sandbox/server.ts'
import type { Page, Row } from '../asking.ts'
import {
  ask,
  askJson,
  everything,
  keysOf,
  refusal,
  sandboxWith,
  send,
  sendJson,
} from '../asking.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await sandboxWith({ transactionsPerDay: 5 })
})

const gone = async (path: string): Promise<void> => {
  const answer = await send(sandbox, 'DELETE', path)
  expect([answer.status, answer.text]).toEqual([200, ''])
  expect((await send(sandbox, 'DELETE', path)).status).toBe(404)
}

describe('vendors and brands', () => {
  it('creates with the documented defaults, replaces whole, and lists the brands that name it', async () => {
    expect(await refusal(sandbox, 'POST', '/vendors', { phone: '1' })).toEqual([400, 'name'])
    expect(
      await refusal(sandbox, 'POST', '/vendors', { name: 'Neu', armsLengthType: 'NEAR' }),
    ).toEqual([400, 'armsLengthType'])
    const vendor = await sendJson(sandbox, 'POST', '/vendors', {
      name: 'Neu',
      externalId: 'V-9',
      employeeId: 'e',
      credits: 1.5,
      fleet: ['kept'],
    })
    expect(vendor).toMatchObject({
      name: 'Neu',
      active: true,
      backOrderEnabled: false,
      armsLengthType: 'NON_ARMS_LENGTH',
      vendorType: 'VENDOR',
      createdBy: 'e',
      fleet: ['kept'],
    })
    expect(vendor['shopId']).toBeUndefined()
    const brand = await sendJson(sandbox, 'POST', '/brands', {
      name: 'Neue Marke',
      vendorList: [vendor.id],
    })
    expect(
      (await askJson<{ brandList: Row[] }>(sandbox, `/vendors/${vendor.id}`)).brandList,
    ).toEqual([brand])
    const { externalId: _, ...rest } = vendor
    const replaced = await sendJson(sandbox, 'PUT', `/vendors/${vendor.id}`, {
      ...rest,
      phone: '2',
      employeeId: 'f',
    })
    expect(replaced).toMatchObject({
      id: vendor.id,
      created: vendor['created'],
      phone: '2',
      updated: true,
      fleet: ['kept'],
      createdBy: 'e',
    })
    expect(replaced['externalId']).toBeUndefined()
    expect(replaced.modified).toBeGreaterThan(vendor.modified)
    expect(await refusal(sandbox, 'PUT', `/vendors/${vendor.id}`, { phone: '3' })).toEqual([
      400,
      'name',
    ])
    expect(await refusal(sandbox, 'PUT', '/vendors/nobody', { name: 'x' })).toEqual([
      404,
      'vendorId',
    ])
    expect(
      await sendJson(sandbox, 'PUT', `/brands/${brand.id}`, {
        ...brand,
        website: 'https://neu.example',
      }),
    ).toMatchObject({ website: 'https://neu.example', vendorList: [vendor.id] })
    await gone(`/brands/${brand.id}`)
    expect(
      (await askJson<{ brandList: Row[] }>(sandbox, `/vendors/${vendor.id}`)).brandList,
    ).toEqual([])
  })
})

describe('categories', () => {
  it('hides a deleted one, but for who asks for deleted ones', async () => {
    const category = await sendJson(sandbox, 'POST', '/category', { name: 'Seeds' })
    await gone(`/category/${category.id}`)
    expect((await ask(sandbox, `/category/${category.id}`)).status).toBe(404)
    const ids = async (path: string): Promise<string[]> =>
      (await askJson<Page>(sandbox, path)).values.map(({ id }) => id)
    expect(await ids('/category')).not.toContain(category.id)
    expect(await ids('/store/inventory/categories')).not.toContain(category.id)
    expect(await ids('/store/inventory/categories?includeDeleted=true')).toContain(category.id)
  })
})

describe('products', () => {
  it('are told of when they are updated, to who registered', async () => {
    const heard: Row[] = []
    const server = createServer((request, response) => {
      const parts: Buffer[] = []
      request
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          heard.push(JSON.parse(Buffer.concat(parts).toString()) as Row)
          response.end()
        })
    })
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
    await sendJson(sandbox, 'POST', '/webHooks', {
      webHookType: 'UPDATE_PRODUCT',
      webHookUrls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`],
    })
    const [product] = await everything(sandbox, '/products')
    const updated = await sendJson(sandbox, 'PUT', `/products/${product!.id}`, product)
    await expect
      .poll(() => heard)
      .toEqual([
        {
          webHookType: 'UPDATE_PRODUCT',
          id: product!.id,
          shopId: sandbox.stores[0]!.shopId,
          modified: updated.modified,
        },
      ])
    server.close()
  })

  it('creates with the documented defaults, finds by sku, and refuses what refers to nothing', async () => {
    const [category] = (await askJson<Page>(sandbox, '/category')).values
    expect(await refusal(sandbox, 'POST', '/products', { sku: 'X-1' })).toEqual([400, 'name'])
    expect(await refusal(sandbox, 'POST', '/products', { name: 'X', categoryId: 'none' })).toEqual([
      400,
      'categoryId',
    ])
    const answer = await send(
      sandbox,
      'POST',
      '/products',
      `{"name":"Käse","sku":"X-1","unitPrice":12.50,"categoryId":"${category!.id}"}`,
    )
    expect(answer.text).toContain('"unitPrice":12.50')
    const product = JSON.parse(answer.text) as Row
    expect(product).toMatchObject({
      productSaleType: 'Both',
      weightPerUnit: 'EACH',
      active: true,
      instock: false,
      quantities: [],
      category: { id: category!.id, name: category!['name'] },
    })
    expect(await askJson(sandbox, '/products/sku/X-1')).toEqual(product)
    expect(await askJson<Row>(sandbox, '/store/inventory/sku/X-1')).toMatchObject({
      ...product,
      batchQuantities: [],
    })
  })

  it('replaces whole, but for what the shelves say; merges metadata', async () => {
    const product = (await everything(sandbox, '/products')).find(row => row['instock'] === true)!
    const { tags: _, ...rest } = product
    const replaced = await sendJson(sandbox, 'PUT', `/products/${product.id}`, {
      ...rest,
      unitPrice: 99.5,
      quantities: [],
      instock: false,
    })
    expect(replaced).toMatchObject({
      unitPrice: 99.5,
      quantities: product['quantities'],
      instock: true,
    })
    expect(replaced['tags']).toBeUndefined()
    await sendJson(sandbox, 'PUT', `/products/${product.id}/metadata`, { shelf: 'A', row: 1 })
    expect(
      await sendJson(sandbox, 'PUT', `/products/${product.id}/metadata`, { shelf: 'B' }),
    ).toMatchObject({ metadataMap: { shelf: 'B', row: 1 }, unitPrice: 99.5 })
    expect(
      (await askJson<Page>(sandbox, '/products/prices/sync')).values.find(
        ({ id }) => id === product.id,
      ),
    ).toMatchObject({ sku: product['sku'], unitPrice: 99.5 })
  })

  it('drops tax tables on request, filters by strain and tags, and shows customers no costs', async () => {
    const [product] = await everything(
      sandbox,
      '/store/inventory/products?strain=Sativa&tags=value',
    )
    expect(product).toMatchObject({
      flowerType: 'Sativa',
      tags: expect.arrayContaining(['value']) as unknown,
    })
    const { taxTables, ...rest } = await askJson<Row>(sandbox, `/products/${product!.id}`)
    expect(taxTables).toHaveLength(2)
    expect(await askJson(sandbox, `/products/${product!.id}?omitTaxTables=true`)).toEqual(rest)
    const response = await fetch(`${sandbox.baseUrl}/api/v1/public/inventory/products?limit=5`, {
      headers: keysOf(sandbox),
    })
    const { values } = (await response.json()) as Page
    expect(values).toHaveLength(5)
    for (const shown of values)
      expect([shown['purchasePrice'], shown['active']]).toEqual([undefined, true])
  })
})

describe('places', () => {
  it('finds the region and the drivers of a place', async () => {
    const [centre, north] = await everything(sandbox, '/regions')
    const point = `lat=${String(north!['latitude'])}&long=${String(north!['longitude'])}`
    expect(await askJson(sandbox, `/regions/nearby?${point}`)).toEqual(north)
    expect(
      await askJson(sandbox, `/regions/nearby?zipCode=${(centre!['zipCodes'] as string[])[0]}`),
    ).toEqual(centre)
    expect(await refusal(sandbox, 'GET', '/regions/nearby')).toEqual([400, 'lat'])
    expect(await refusal(sandbox, 'GET', '/regions/nearby?lat=1')).toEqual([400, 'long'])
    expect(await refusal(sandbox, 'GET', '/regions/nearby?lat=0&long=0')).toEqual([404, 'lat'])
    const drivers = await askJson<{ distance: number; employeeId: string }[]>(
      sandbox,
      `/employees/drivers/nearby?${point}`,
    )
    expect(drivers.length).toBeGreaterThan(1)
    expect(drivers.map(({ distance }) => distance)).toEqual(
      drivers.map(({ distance }) => distance).sort((a, b) => a - b),
    )
    expect(
      await askJson<unknown[]>(
        sandbox,
        `/employees/drivers/nearby?useRegion=true&useTerminal=true&zipCode=${(centre!['zipCodes'] as string[])[0]}`,
      ),
    ).not.toHaveLength(0)
    expect(
      await askJson(sandbox, '/employees/drivers/nearby?useRegion=true&zipCode=00000'),
    ).toEqual([])
    expect(
      (await refusal(sandbox, 'GET', `/employees/drivers/auto-assigned?${point}`))[0],
    ).toBeGreaterThanOrEqual(400)
    expect(
      (await askJson<Page>(sandbox, `/products/nearby?${point}&limit=1`)).total,
    ).toBeGreaterThan(200)
    expect((await askJson<Page>(sandbox, '/products/nearby?lat=0&long=0')).total).toBe(0)
  })

  it('lists only what is active in the store, and everything in its inventory', async () => {
    for (const name of ['inventories', 'terminals']) {
      const [here, all] = await Promise.all([
        everything(sandbox, `/store/${name}`),
        everything(sandbox, `/store/inventory/${name}`),
      ])
      expect(here.length).toBe(all.length - 1)
      expect(here.every(row => row['active'] === true)).toBe(true)
    }
    const [doctor] = await everything(sandbox, '/store/doctors')
    expect(await everything(sandbox, `/store/doctors?term=${String(doctor!['license'])}`)).toEqual([
      doctor,
    ])
  })
})

describe('assets', () => {
  const picture = Buffer.from([0xff, 0xd8, 0xff, 0, 1, 2, 3, 255])
  const upload = (where: string, fields: Record<string, string | Blob>): Promise<Response> => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    return fetch(`${sandbox.baseUrl}/api/v1/partner/asset/upload/${where}`, {
      method: 'POST',
      headers: keysOf(sandbox),
      body: form,
    })
  }

  it.each([
    ['public', false],
    ['private', true],
  ])('keeps a %s file to the byte, cacheable for 30 days', async (where, secured) => {
    const asset = (await (
      await upload(where, {
        file: new File([picture], 'shelf.jpg', { type: 'image/jpeg' }),
        name: 'Shelf',
        assetType: 'Photo',
      })
    ).json()) as Row
    expect(asset).toMatchObject({ name: 'Shelf', type: 'Photo', active: true, secured })
    expect(typeof asset['publicURL']).toBe(secured ? 'undefined' : 'string')
    const url = `${sandbox.baseUrl}/api/v1/partner/asset/${String(asset['key'])}`
    const answer = await fetch(url, { headers: keysOf(sandbox) })
    expect([
      answer.status,
      answer.headers.get('content-type'),
      answer.headers.get('cache-control'),
    ]).toEqual([200, 'image/jpeg', `${where}, max-age=2592000`])
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(picture)
    expect((await fetch(url, { headers: keysOf(sandbox, 1) })).status).toBe(404)
  })

  it('refuses a form without its file, and another kind of asset', async () => {
    expect((await upload('public', { name: 'x' })).status).toBe(400)
    expect((await upload('public', { file: 'a text' })).status).toBe(400)
    expect(
      (await upload('public', { file: new File([picture], 'x.png'), assetType: 'Song' })).status,
    ).toBe(400)
  })
})

it('keeps company contacts', async () => {
  expect(await refusal(sandbox, 'POST', '/companycontacts/contact', { firstName: 'Ana' })).toEqual([
    400,
    'lastName',
  ])
  const contact = await sendJson(sandbox, 'POST', '/companycontacts/contact', {
    firstName: 'Ana',
    lastName: 'Zuñiga-Neu',
    email: 'ana@neu.example',
  })
  expect(
    await sendJson(sandbox, 'PUT', `/companycontacts/contact/${contact.id}`, { phoneNumber: '1' }),
  ).toMatchObject({ lastName: 'Zuñiga-Neu', phoneNumber: '1' })
  expect(
    (await askJson<Page>(sandbox, '/companycontacts?term=zu%C3%B1iga-neu')).values.map(
      ({ id }) => id,
    ),
  ).toEqual([contact.id])
  expect(await askJson<Row>(sandbox, `/companycontacts/contact/${contact.id}`)).toMatchObject({
    phoneNumber: '1',
  })
})
