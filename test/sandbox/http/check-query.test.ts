import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { operations } from '../../../connectors/partner/contract/index.ts'
import type { Operation } from '../../../connectors/partner/contract/operation.ts'
import { ApiError } from '../../../sandbox/http/api-error.ts'
import { checkQuery } from '../../../sandbox/http/check-query.ts'
import type { Sandbox } from '../../../sandbox/server.ts'
import { keysOf, sandboxWith, send } from '../asking.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await sandboxWith({ stores: 1, transactionsPerDay: 10 })
})

const lists = operations.filter(
  ({ method, path, query }) => method === 'GET' && !path.includes('{') && query !== undefined,
)

async function statusOf({ path }: Operation, name: string, value: string): Promise<number> {
  const url = `${sandbox.baseUrl}${path}?${name}=${encodeURIComponent(value)}`
  return (await fetch(url, { headers: keysOf(sandbox) })).status
}

const BEYOND_INT32 = String(2 ** 31)

describe('a page offset beyond int32', () => {
  const paged = lists.filter(({ query }) => 'start' in query!.shape)
  it.each(paged.map(each => [each.id, each] as const))('is refused by %s', async (_id, list) => {
    expect(await statusOf(list, 'start', BEYOND_INT32)).toBe(400)
  })

  it('is not refused within int32, which shows an empty page', async () => {
    const [employees] = paged.filter(({ id }) => id === 'listEmployees')
    expect(await statusOf(employees!, 'start', String(2 ** 31 - 1))).toBe(200)
  })
})

const QUERY = z.object({
  flag: z.boolean().optional(),
  many: z.int32().default(1),
  kind: z.enum(['a', 'b']).optional(),
  words: z.string().optional(),
  list: z.array(z.string()).optional(),
})

it.each([
  ['flag', 'true'],
  ['many', '-5'],
  ['kind', 'b'],
  ['words', '12'],
  ['list', 'a,b'],
  ['undocumented', 'null'],
])('takes %s as %s', (name, value) => {
  expect(() => checkQuery(QUERY, { [name]: value })).not.toThrow()
})

it.each([
  ['flag', 'null'],
  ['flag', '1'],
  ['many', '1.5'],
  ['many', '0x10'],
  ['many', BEYOND_INT32],
  ['kind', 'c'],
  ['many', ''],
])('refuses %s as %s', (name, value) => {
  expect(() => checkQuery(QUERY, { [name]: value })).toThrow(ApiError)
})

describe('a field that is null', () => {
  it('is one that was not sent, and does not come back', async () => {
    const { status, text } = await send(sandbox, 'POST', '/brands', {
      name: 'Nova',
      website: null,
      brandLogo: { key: null, name: 'logo' },
      undocumented: null,
    })
    expect(status).toBe(200)
    const brand = JSON.parse(text) as Record<string, unknown>
    expect(brand).not.toHaveProperty('website')
    expect(brand['brandLogo']).not.toHaveProperty('key')
    expect(brand).toHaveProperty('undocumented', null)
  })

  it('whose name every object has is like any that is not documented', async () => {
    const body = '{"name":"Nova","constructor":{"a":null},"toString":null}'
    const { status, text } = await send(sandbox, 'POST', '/brands', body)
    expect([status, text]).toEqual([200, expect.stringContaining('"toString":null')])
  })

  it('is refused where it is required', async () => {
    const refused = await send(sandbox, 'POST', '/vendors', { name: null })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('name')])
  })
})

it('refuses a change without a body where the contract requires one', async () => {
  const { status } = await send(sandbox, 'POST', '/store/webHook')
  expect(status).toBe(400)
})
