import { request } from 'node:http'
import { beforeEach, expect, it } from 'vitest'
import type { Sandbox } from '../../../sandbox/server.ts'
import type { Row } from '../asking.ts'
import { ask, askJson, control, everything, sandboxWith, truth } from '../asking.ts'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await sandboxWith({ transactionsPerDay: 20 })
})

const change = async (body: Record<string, unknown>): Promise<{ id: string; modified: number }> => {
  const answer = await control(sandbox, 'POST', '/records', { store: 'downtown', ...body })
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return JSON.parse(answer.text) as { id: string; modified: number }
}

it.each([
  ['transactions', '/transactions'],
  ['members', '/members'],
  ['batches', '/store/batches'],
  ['purchase_orders', '/purchaseorders'],
  ['products', '/products'],
  ['vendors', '/vendors'],
])('inserts, edits and deletes %s', async (stream, path) => {
  const before = await truth(sandbox, stream)
  const { id } = await change({
    stream,
    op: 'insert',
    record: { name: 'Neu', modified: 1773400000000 },
  })
  const [first] = before
  const edited = await change({ stream, op: 'edit', id: first!.id, patch: { deleted: true } })
  expect(edited.modified).toBeGreaterThan(first!.modified)
  await change({ stream, op: 'delete', id: before[1]!.id })
  const after = new Map((await truth(sandbox, stream, '&full=1')).map(row => [row.id, row]))
  expect(after.size).toBe(before.length)
  expect(after.get(id)).toMatchObject({
    name: 'Neu',
    modified: 1773400000000,
    companyId: sandbox.stores[0]!.companyId,
  })
  expect(after.get(first!.id)).toMatchObject({ deleted: true, modified: edited.modified })
  expect(after.has(before[1]!.id)).toBe(false)
  if (stream !== 'batches') {
    expect((await ask(sandbox, `${path}/${before[1]!.id}`)).status).toBe(404)
    expect(await askJson<Row>(sandbox, `${path}/${id}`)).toMatchObject({ name: 'Neu' })
  }
  await control(sandbox, 'POST', '/reset')
  expect(await truth(sandbox, stream)).toEqual(before)
})

it('shows an edit in the lists of its new moment, and every other digit as it was', async () => {
  const [first] = await truth(sandbox, 'transactions')
  const before = (await ask(sandbox, `/transactions/${first!.id}`)).text
  await change({
    stream: 'transactions',
    op: 'edit',
    id: first!.id,
    patch: { memo: 'später bezahlt', modified: 1773500000000 },
  })
  const after = (await ask(sandbox, `/transactions/${first!.id}`)).text
  expect(after.replace(',"memo":"später bezahlt"', '').replace(/"modified":\d+/, '')).toBe(
    before.replace(/"modified":\d+/, ''),
  )
  const latest = await everything(sandbox, '/transactions?startDate=03/14/2026&endDate=03/14/2026')
  expect(latest.some(row => row.id === first!.id)).toBe(true)
})

it('tells the truth whatever profiles and faults do, for a range if asked', async () => {
  const honest = await truth(sandbox, 'members')
  await control(sandbox, 'POST', '/profiles', [
    'liar-total-low',
    'bad-records',
    'dates-ignored',
    'cap37',
  ])
  await control(sandbox, 'POST', '/faults', { status: 500 })
  expect(await truth(sandbox, 'members')).toEqual(honest)
  const [from, to] = [honest[100]!.modified, honest[200]!.modified]
  expect(await truth(sandbox, 'members', `&from=${from}&to=${to}`)).toEqual(honest.slice(100, 200))
  expect(
    await truth(
      sandbox,
      'members',
      `&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`,
    ),
  ).toEqual(honest.slice(100, 200))
})

it('lists what was asked since the last reset, with counts for each path', async () => {
  await ask(sandbox, '/vendors?limit=2')
  await ask(sandbox, '/vendors?limit=3')
  await ask(sandbox, '/no/such/path')
  const log = JSON.parse((await control(sandbox, 'GET', '/requests')).text) as {
    total: number
    counts: Record<string, number>
    requests: Record<string, unknown>[]
  }
  expect(log.total).toBe(3)
  expect(log.counts).toEqual({ '/api/v1/partner/vendors': 2, '/api/v1/partner/no/such/path': 1 })
  expect(log.requests[0]).toEqual({
    method: 'GET',
    path: '/api/v1/partner/vendors',
    query: 'limit=2',
    status: 200,
    at: expect.any(Number) as unknown,
    ms: expect.any(Number) as unknown,
  })
  await control(sandbox, 'POST', '/reset')
  expect(JSON.parse((await control(sandbox, 'GET', '/requests')).text)).toEqual({
    total: 0,
    counts: {},
    requests: [],
  })
})

it('says what is wrong with a change', async () => {
  const refused = async (body: unknown): Promise<string> => {
    const answer = await control(sandbox, 'POST', '/records', body)
    expect(answer.status).toBe(400)
    return answer.text
  }
  expect(await refused({ store: 'nowhere', stream: 'vendors', op: 'delete' })).toContain(
    'valid are downtown, harbor',
  )
  expect(await refused({ store: 'downtown', stream: 'cats', op: 'delete' })).toContain(
    'valid are transactions',
  )
  expect(await refused({ store: 'downtown', stream: 'vendors', op: 'delete', id: 'x' })).toContain(
    'vendors has no record x',
  )
  const [first] = await truth(sandbox, 'vendors')
  expect(
    await refused({
      store: 'downtown',
      stream: 'vendors',
      op: 'insert',
      record: { id: first!.id },
    }),
  ).toContain('already has')
})

it.each([
  ['a web page that had its own name point here', { host: 'evil.example' }, 403],
  ['a name that only begins like this machine', { host: 'localhost.evil.example' }, 403],
  ['a form on a web page of another', { origin: 'https://evil.example' }, 403],
  ['a page without an origin, as in a frame', { origin: 'null' }, 403],
  ['a page of this machine', { origin: 'http://localhost:3000' }, 200],
  ['this machine by its name', { host: 'localhost:8700' }, 200],
])('is controlled from this machine alone: %s', async (_, headers, expected) => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const asked = request(`${sandbox.baseUrl}/_control/requests`, { headers }, answer => {
      answer.resume()
      resolve(answer.statusCode)
    })
    asked.on('error', reject).end()
  })
  expect(status).toBe(expected)
})

it('an idle connection is left to whoever opened it', async () => {
  const { headers } = await fetch(`${sandbox.baseUrl}/_control/faults`)
  // Where a server would close it, it says when.
  expect([headers.get('connection'), headers.get('keep-alive')]).toEqual(['keep-alive', null])
})
