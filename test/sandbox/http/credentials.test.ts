import { expect, it } from 'vitest'
import { ask, askJson, everything, idsOf, keysOf, sandboxWith } from '../asking.ts'

it('refuses every way of having no right with 401, also where there is no such path', async () => {
  const sandbox = await sandboxWith()
  const { 'x-api-key': partnerKey, authorization } = keysOf(sandbox) as {
    'x-api-key': string
    authorization: string
  }
  const wrong: Record<string, string>[] = [
    {},
    { 'x-api-key': partnerKey },
    { authorization },
    { 'x-api-key': 'nobody', authorization },
    { 'x-api-key': partnerKey, authorization: 'nobody' },
    { 'x-api-key': partnerKey, authorization: `Bearer ${authorization}` },
  ]
  for (const headers of wrong) {
    for (const path of [
      '/store',
      '/transactions?limit=none',
      '/no/such/path',
      '/transactions/nothing',
      '/%zz',
    ]) {
      const answer = await ask(sandbox, path, { headers })
      expect(answer.status).toBe(401)
      expect(Object.keys(JSON.parse(answer.text) as object)).toEqual([
        'field',
        'message',
        'errorType',
      ])
    }
  }
})

it('takes the partner key as partner_key too, the name in the machine-readable description', async () => {
  const sandbox = await sandboxWith()
  const { authorization } = keysOf(sandbox) as { authorization: string }
  expect(
    (await ask(sandbox, '/store', { headers: { partner_key: sandbox.partnerKey, authorization } }))
      .status,
  ).toBe(200)
  expect(
    (
      await ask(sandbox, '/store', {
        headers: { 'X-API-Key': sandbox.partnerKeys[1]!.key, authorization },
      })
    ).status,
  ).toBe(200)
})

it('shows each key its own store and nothing of another', async () => {
  const sandbox = await sandboxWith()
  for (const [store, expected] of sandbox.stores.entries()) {
    const answer = await askJson<{ shop: Record<string, unknown> }>(sandbox, '/store', store)
    expect(answer.shop).toMatchObject({
      id: expected.shopId,
      companyId: expected.companyId,
      name: expected.name,
      timeZone: expected.timeZone,
    })
    expect(Object.keys(answer)).toEqual(['shop', 'contract', 'companyLogoURL'])
  }
  for (const path of [
    '/transactions',
    '/members',
    '/store/batches',
    '/purchaseorders/list',
    '/products',
    '/vendors',
  ]) {
    const [here, there] = await Promise.all([
      everything(sandbox, path, 0),
      everything(sandbox, path, 1),
    ])
    const both = idsOf(here).filter(id => idsOf(there).includes(id))
    expect(both).toEqual([])
    expect(here.every(row => row['companyId'] === sandbox.stores[0]!.companyId)).toBe(true)
  }
  const [foreign] = await everything(sandbox, '/vendors', 1)
  expect((await ask(sandbox, `/vendors/${foreign!.id}`)).status).toBe(404)
})

it('answers unknown paths, ids and methods with an error body, and takes a trailing slash', async () => {
  const sandbox = await sandboxWith()
  for (const [path, status, method] of [
    ['/no/such/path', 404, 'GET'],
    ['/transactions/000000000000000000000000', 404, 'GET'],
    ['/products/sku/NOTHING', 404, 'GET'],
    ['/vendors/', 405, 'DELETE'],
    ['/%zz', 400, 'GET'],
  ] as const) {
    const answer = await ask(sandbox, path, { method })
    expect([path, answer.status]).toEqual([path, status])
    expect(Object.keys(JSON.parse(answer.text) as object)).toEqual([
      'field',
      'message',
      'errorType',
    ])
  }
  expect((await ask(sandbox, '/vendors/')).text).toBe((await ask(sandbox, '/vendors')).text)
})

it.each([
  [
    'error-list',
    (body: unknown): boolean =>
      Array.isArray(body) &&
      body.length === 1 &&
      Object.keys(body[0] as object).join() === 'field,message,errorType',
  ],
  [
    'error-message',
    (body: unknown): boolean => Object.keys(body as object).join() === 'error,message,status',
  ],
] as const)('has other error bodies under the profile %s', async (profile, check) => {
  const sandbox = await sandboxWith({ profiles: [profile] })
  expect(check(JSON.parse((await ask(sandbox, '/no/such/path')).text))).toBe(true)
})

it('refuses with other statuses under the profile error-statuses', async () => {
  const sandbox = await sandboxWith({ profiles: ['error-statuses', 'error-message'] })
  const wrongDates = await ask(sandbox, '/transactions?limit=ten')
  expect([wrongDates.status, (JSON.parse(wrongDates.text) as { status: number }).status]).toEqual([
    422, 422,
  ])
  expect((await ask(sandbox, '/store', { headers: {} })).status).toBe(403)
  expect((await ask(sandbox, '/store', { method: 'DELETE' })).status).toBe(404)
})
