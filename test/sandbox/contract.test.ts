import type { z } from 'zod'
import { describe, expect, it } from 'vitest'
import { readValue } from '../../connectors/partner/call.ts'
import { operations } from '../../connectors/partner/contract/index.ts'
import { pathParameters, type Operation } from '../../connectors/partner/contract/operation.ts'
import { keysOf, sandboxWith } from './asking.ts'

const sandbox = await sandboxWith()

/** Lists of the contract that need nothing but the keys, and the required parameters of some. */
const asked: Readonly<Record<string, string>> = { listMembersByDays: 'days=3', searchMembers: 'licenseNumber=D1', searchMembersByDob: 'dob=0', searchMembersByPhone: 'phone=1', listNearbyDrivers: 'lat=34&long=-118', listNearbyProducts: 'lat=34&long=-118', getLoyaltyPoints: 'memberId=x' }
const lists = operations.filter(({ method, path, answer, needs }) => method === 'GET' && pathParameters(path).length === 0 && ['page', 'values', 'array'].includes(answer.kind) && !needs.includes('consumer'))

async function read({ id, path, answer }: Operation): Promise<{ status: number; items: unknown[] }> {
  const response = await fetch(`${sandbox.baseUrl}${path}${asked[id] === undefined ? '' : `?${asked[id]}`}`, { headers: keysOf(sandbox) })
  const body = Buffer.from(await response.arrayBuffer())
  return { status: response.status, items: response.status === 200 ? (readValue(answer, { status: 200, headers: {}, body }, id) as { items: unknown[] }).items : [] }
}

/** null is as good as missing, in the contract. */
const withoutNulls = (value: unknown): unknown => JSON.parse(JSON.stringify(value), (_, inner: unknown) => inner ?? undefined)

/** What of a record the contract declares otherwise: the place, never the value. */
const strayed = (schema: z.ZodType, record: unknown): string[] => schema.safeParse(withoutNulls(record)).error?.issues.map(({ path, code }) => `${path.join('.')} ${code}`) ?? []

describe('the sandbox and the contract', () => {
  it.each(lists.map((operation) => [operation.id, operation] as const))('agree on the records of %s', async (_, operation) => {
    const { status, items } = await read(operation)
    expect(status).toBe(200)
    const { of } = operation.answer as { of: z.ZodType }
    expect([...new Set(items.flatMap((item) => strayed(of, item)))]).toEqual([])
  })

  it('would not, about a record of another kind', () => {
    const { of } = operations.find(({ id }) => id === 'listVendors')!.answer as { of: z.ZodType }
    expect(strayed(of, { name: 7, vendorType: 'FRIEND' })).toEqual(['name invalid_type', 'vendorType invalid_value'])
  })
})
