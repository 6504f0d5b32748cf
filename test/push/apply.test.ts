import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MINUTE_MS, toIso } from '../../calendar/days.ts'
import { PartnerError } from '../../errors.ts'
import { followReceipts } from '../../outbound/receipt.ts'
import { standingOf } from '../../push/document.ts'
import { loadPlan } from '../../push/load-plan.ts'
import type { Push } from '../../push/push.ts'
import { plansThatWait } from '../../push/waiting.ts'
import { operationsOf, startScene, statesOf } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

const find = async (externalId: string) =>
  (await scene.records('products')).find(record => record.externalId === externalId)!

it('what was approved is sent once, everything else goes back token for token, and is received', async () => {
  const { id } = await find('P-1001')
  const unknown = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`unknown${at}`, { nested: [at, null, `é${at}`] }]),
  )
  const extra = JSON.stringify({ ...unknown, marker: 0 }).replace(
    '"marker":0',
    '"marker":0,"big":123456789012345678901234567890,"long":0.1000000000000000000000000000001',
  )
  await scene.edit('products', id, extra)
  const before = await scene.raw('products')
  const planned = await scene.plan('products', 'external_id,unit_price,tags\nP-1001,51.25,a;b\n')
  expect(planned.stores[0]!.counts).toMatchObject({ update: 1 })
  await scene.approve(planned.plan)
  const written = (await scene.writes()).length
  const applied = await scene.apply(planned.plan)
  expect(applied.state).toBe('applied')
  expect(await scene.writes()).toHaveLength(written + 1)
  const [operation] = operationsOf(applied)
  expect(operation).toMatchObject({ state: 'applied', receipt: { by: 'Ana' } })
  const after = await scene.raw('products')
  const changed = after.filter(line => !before.includes(line))
  expect(changed).toHaveLength(1)
  expect(changed[0]).toContain('"big":123456789012345678901234567890')
  expect(changed[0]).toContain('"long":0.1000000000000000000000000000001')
  expect(changed[0]).toContain('"unitPrice":51.25')
  const old = before.find(line => line.includes('"big":1234'))!
  const plain = (line: string) => {
    const record = JSON.parse(line) as Record<string, unknown>
    for (const field of ['unitPrice', 'tags', 'modified', 'updated']) delete record[field]
    return record
  }
  expect(plain(changed[0]!)).toEqual(plain(old))
  await scene.apply(planned.plan)
  expect(await scene.writes()).toHaveLength(written + 1)
  const [receipt] = await scene.push.outbound.receipts(planned.plan)
  const path = scene.receiptPath(receipt!)
  expect(followReceipts(path).problems).toEqual([])
  expect(readFileSync(path, 'utf8')).toContain('123456789012345678901234567890')
})

it('a record that was edited since is stale, the others go, and nobody is overwritten', async () => {
  const planned = await scene.plan(
    'products',
    'external_id,unit_price,description\nP-1002,52.00,\nP-1003,,new words\nP-1004,,new words\n',
  )
  await scene.approve(planned.plan)
  const edited = await find('P-1002')
  await scene.edit('products', edited.id, '{"unitPrice":99.00}')
  // Stock moves by itself: it makes nothing stale, and goes back as it was just read.
  const { id, modified } = await find('P-1003')
  await scene.edit('products', id, `{"totalSellableQuantity":7,"modified":${String(modified)}}`)
  const applied = await scene.apply(planned.plan)
  expect(statesOf(applied)).toMatchObject({ 'P-1002': 'stale', 'P-1004': 'applied' })
  expect((await find('P-1002'))['unitPrice']).toBe(99)
  expect((await find('P-1004'))['description']).toBe('new words')
})

it('what needs an approval of its own waits for it; the rest does not', async () => {
  const planned = await scene.plan(
    'products',
    'external_id,unit_price,description\nP-1005,500.00,\nP-1006,,other words\n',
  )
  expect(operationsOf(planned)[0]).toMatchObject({ approval: 'required', flags: ['price_change'] })
  await scene.approve(planned.plan)
  expect(statesOf(await scene.apply(planned.plan))).toEqual({
    'P-1005': 'planned',
    'P-1006': 'applied',
  })
  await scene.approve(planned.plan, ['P-1005'])
  const applied = await scene.apply(planned.plan)
  expect(statesOf(applied)).toEqual({ 'P-1005': 'applied', 'P-1006': 'applied' })
  await expect(scene.approve(planned.plan, ['P-nobody'])).rejects.toThrow('P-nobody')
})

it('a category that is taken away is a change of cannabis where a move out of it is one', async () => {
  const cannabis = new Map(
    (await scene.records('categories')).map(one => [one.id, one['cannabis'] === true]),
  )
  const products = await scene.records('products')
  const keyOf = (isCannabis: boolean): string =>
    products.find(one => cannabis.get(String(one['categoryId'])) === isCannabis)!.externalId
  const keys = [keyOf(true), keyOf(false)]
  const rows = keys.map(key => `${key},__CLEAR__`)
  const planned = await scene.plan(
    'products',
    ['external_id,category_external_id', ...rows].join('\n'),
  )
  expect(operationsOf(planned).map(({ externalId, flags }) => [externalId, flags])).toEqual([
    [keys[0], ['cannabis_change']],
    [keys[1], []],
  ])
})

it('a product is created after its brand and category, and found again by its keys', async () => {
  const file = [
    'external_id,name,sku,category_external_id,category_name,brand_external_id,brand_name,vendor_external_id,unit_price',
    'P-NEW,New thing,SKU-NEW,CAT-NEW,New category,BR-NEW,New brand,V-1001,12.50',
  ].join('\n')
  const planned = await scene.plan('products', file, { create: ['brands', 'categories'] })
  expect(operationsOf(planned).map(({ entity, op, flags }) => [entity, op, flags])).toEqual([
    ['brands', 'create', ['new_brand']],
    ['categories', 'create', ['new_category']],
    ['products', 'create', []],
  ])
  await scene.approve(planned.plan)
  expect(statesOf(await scene.apply(planned.plan))).toEqual({
    'BR-NEW': 'planned',
    'CAT-NEW': 'planned',
    'P-NEW': 'approved',
  })
  await scene.approve(planned.plan, ['all'])
  const applied = await scene.apply(planned.plan)
  expect(new Set(Object.values(statesOf(applied)))).toEqual(new Set(['applied']))
  const [brand] = (await scene.records('brands')).filter(one => one.externalId === 'BR-NEW')
  expect((await find('P-NEW'))['brandId']).toBe(brand!.id)
  expect(
    statesOf(await scene.plan('products', file, { create: ['brands', 'categories'] })),
  ).toEqual({})
})

it('a lost reply is followed by a search, and nothing is sent twice', async () => {
  const planned = await scene.plan(
    'products',
    [
      'external_id,name,sku,category_external_id,vendor_external_id,description',
      'P-1010,,,,,lost one',
      'P-LOST,Lost creation,SKU-LOST,CAT-NEW,V-1001,lost two',
    ].join('\n'),
  )
  await scene.approve(planned.plan)
  const written = (await scene.writes()).length
  await scene.faults(
    { method: 'PUT', drop: true, times: 1 },
    { method: 'POST', drop: true, times: 1 },
  )
  const applied = await scene.apply(planned.plan)
  await scene.faults()
  expect(statesOf(applied)).toEqual({ 'P-1010': 'applied', 'P-LOST': 'applied' })
  expect(await scene.writes()).toHaveLength(written + 2)
  expect((await scene.records('products')).filter(one => one.externalId === 'P-LOST')).toHaveLength(
    1,
  )
})

it('a creation that nobody can find is parked, and a person decides', async () => {
  const planned = await scene.plan(
    'products',
    'external_id,name,sku,category_external_id,vendor_external_id\nP-UNKNOWN,Unknown,SKU-U,CAT-NEW,V-1001\n',
  )
  await scene.approve(planned.plan)
  await scene.faults({ method: 'POST', status: 502, times: 1 })
  // Half a minute of searching passes in no time.
  const startedMs = scene.push.now()
  let nowMs = startedMs
  const later = { ...scene.push, now: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) }
  const applied = await scene.apply(planned.plan, later)
  await scene.faults()
  expect(statesOf(applied)).toEqual({ 'P-UNKNOWN': 'unknown' })
  expect(nowMs - startedMs).toBeGreaterThanOrEqual(30_000)
  const written = (await scene.writes()).length
  expect(statesOf(await scene.apply(planned.plan))).toEqual({ 'P-UNKNOWN': 'unknown' })
  expect(await scene.writes()).toHaveLength(written)
})

it('a refusal is final, a 404 is stale, a 429 is waited for', async () => {
  const planned = await scene.plan(
    'products',
    'external_id,description\nP-1011,a\nP-1012,b\nP-1013,c\n',
  )
  await scene.approve(planned.plan)
  const [first, second] = await Promise.all([find('P-1011'), find('P-1012')])
  await scene.faults(
    { method: 'PUT', match: first.id, status: 400, times: 1 },
    { match: second.id, status: 404 },
    { method: 'PUT', match: 'products', status: 429, retryAfter: 0, times: 1, after: 1 },
  )
  expect(statesOf(await scene.apply(planned.plan))).toEqual({
    'P-1011': 'failed',
    'P-1012': 'stale',
    'P-1013': 'applied',
  })
  await scene.faults()
  const written = (await scene.writes()).length
  await scene.apply(planned.plan)
  expect(await scene.writes()).toHaveLength(written)
})

it('three of the first five writes that fail stop the plan', async () => {
  const rows = Array.from({ length: 12 }, (_, at) => `P-${1020 + at},words ${at}`)
  const planned = await scene.plan('products', ['external_id,description', ...rows].join('\n'))
  await scene.approve(planned.plan)
  const written = (await scene.writes()).length
  await scene.faults({ method: 'PUT', status: 400 })
  const applied = await scene.apply(planned.plan)
  await scene.faults()
  expect(applied.stores[0]!.state).toBe('stopped')
  expect(await scene.writes()).toHaveLength(written + 3)
  expect((await scene.apply(planned.plan)).stores[0]!.state).toBe('stopped')
  expect(await scene.writes()).toHaveLength(written + 3)
})

it('a receipt whose file a crash prevented is written by the next apply; what is there stays', async () => {
  const rows = 'external_id,description\nP-1014,one\nP-1015,two\nP-1016,three\n'
  const { plan } = await scene.plan('products', rows)
  await scene.approve(plan)
  await scene.apply(plan)
  const [first, second, third] = (await scene.push.outbound.receipts(plan)).map(scene.receiptPath)
  const bytes = readFileSync(third!)
  rmSync(third!)
  chmodSync(first!, 0o644)
  writeFileSync(first!, 'edited')
  const leftovers = [third!, second!].map(path => `${path}.${randomUUID()}.tmp`)
  for (const path of leftovers) writeFileSync(path, 'half')
  utimesSync(leftovers[0]!, 0, 0)
  const written = (await scene.writes()).length
  await scene.apply(plan)
  expect(readFileSync(third!)).toEqual(bytes)
  expect(readFileSync(first!, 'utf8')).toBe('edited')
  // What another process may still be writing is not touched.
  expect(leftovers.map(path => existsSync(path))).toEqual([false, true])
  expect(await scene.writes()).toHaveLength(written)
})

it('a row whose time has not come waits, and goes when it has', async () => {
  const planned = await scene.plan(
    'products',
    'external_id,description,effective_at\nP-1040,later,2099-07-01T06:00\nP-1041,now,2020-07-01T06:00\n',
  )
  const [later, late] = operationsOf(planned)
  expect(later!.effectiveAt).toMatch(/^2099-07-01T06:00:00-0\d:00$/)
  expect(late!.flags).toEqual(['late'])
  await scene.approve(planned.plan)
  const applied = await scene.apply(planned.plan)
  expect(applied.state).toBe('waiting')
  expect(statesOf(applied)).toEqual({ 'P-1040': 'waiting', 'P-1041': 'applied' })
  const then = Date.parse(later!.effectiveAt!) + 1
  const overdue = async (afterMs: number): Promise<unknown> => {
    const { runner } = scene.push
    const remembered = await loadPlan(scene.push, planned.plan)
    return standingOf(remembered, { runner, nowMs: then + afterMs }).overdue
  }
  expect(await overdue(19 * MINUTE_MS)).toBeUndefined()
  expect(await overdue(20 * MINUTE_MS)).toEqual({ detail: '1 row', at: toIso(then - 1) })
  await scene.apply(planned.plan, { ...scene.push, now: () => then })
  expect(statesOf(await scene.show(planned.plan))).toMatchObject({ 'P-1040': 'applied' })
  expect(await overdue(20 * MINUTE_MS)).toBeUndefined()
})

it('rows of a store that failed wait for another apply, as that says, and not for their time', async () => {
  const { plan } = await scene.plan(
    'products',
    'external_id,description,effective_at\nP-1043,now,\nP-1044,later,2099-07-01T06:00\n',
  )
  await scene.approve(plan)
  const isLeft = async (): Promise<boolean> => (await plansThatWait(scene.push)).includes(plan)
  const unreachable = new PartnerError('PARTNER_KEYS', 'refused')
  const store: Push['store'] = id => {
    const { client, ...rest } = scene.push.store(id)
    return { ...rest, client: { ...client, send: () => Promise.reject(unreachable) } }
  }
  const failed = await scene.apply(plan, { ...scene.push, store })
  expect(failed.stores).toMatchObject([{ state: 'failed', error: { code: 'PARTNER_KEYS' } }])
  expect(await isLeft()).toBe(false)
  await scene.apply(plan)
  expect(await isLeft()).toBe(true)
})

it('a vendor goes back without the brands that only its answer lists, its address field by field', async () => {
  const planned = await scene.plan(
    'vendors',
    'external_id,city,notes_append,license_expiration\nV-1001,Fresno,called on Monday,2031-01-31\n',
  )
  await scene.approve(planned.plan)
  const [operation] = operationsOf(await scene.apply(planned.plan))
  const { before, sent } = operation!.receipt as unknown as Record<string, Record<string, unknown>>
  expect(before!['brandList']).toBeDefined()
  expect(sent!['brandList']).toBeUndefined()
  expect(sent!['address']).toMatchObject({ ...(before!['address'] as object), city: 'Fresno' })
  const again = await scene.plan(
    'vendors',
    'external_id,city,notes_append,license_expiration\nV-1001,Fresno,called on Monday,2031-01-31\n',
  )
  expect(again.stores[0]!.counts).toMatchObject({ noop: 1, update: 0 })
})
