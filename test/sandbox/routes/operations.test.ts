import { beforeAll, describe, expect, it } from 'vitest'
import { operation, operations } from '../../../connectors/partner/contract/index.ts'
import { pathParameters } from '../../../connectors/partner/contract/operation.ts'
import type { Operation } from '../../../connectors/partner/contract/operation.ts'
import { routes } from '../../../sandbox/routes/table.ts'
import type { Sandbox } from '../../../sandbox/server.ts'
import { askJson, keysOf, sandboxWith } from '../asking.ts'
import type { Row } from '../asking.ts'

const played = new Set(
  routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
)

let sandbox: Sandbox
const SEEDED = new Set([
  'productId',
  'vendorId',
  'purchaseOrderId',
  'id',
  'categoryId',
  'employeeId',
  'regionId',
  'contactId',
  'memberId',
  'transactionId',
  'sku',
])
/** An id for each parameter of the paths, where there is something seeded. */
const known = new Map<string, string>()
beforeAll(async () => {
  sandbox = await sandboxWith({ transactionsPerDay: 60 })
  const first = async (path: string): Promise<Row> =>
    (await askJson<{ values: Row[] }>(sandbox, path)).values[0]!
  const [product, vendor, order, category, employee, region, contact, member, transaction] =
    await Promise.all(
      [
        '/products',
        '/vendors',
        '/purchaseorders/list',
        '/category',
        '/employees',
        '/regions',
        '/companycontacts',
        '/members/days?days=7',
        '/transactions',
      ].map(first),
    )
  for (const [name, row] of Object.entries({
    productId: product,
    vendorId: vendor,
    purchaseOrderId: order,
    id: category,
    categoryId: category,
    employeeId: employee,
    regionId: region,
    contactId: contact,
    memberId: member,
    transactionId: transaction,
  }))
    known.set(name, row!.id)
  known.set('sku', String(product!['sku']))
})

/**
 * Three GETs are actions on a transaction. Lists are held against the contract in
 * `contract.test.ts`.
 */
const records: readonly Operation[] = operations.filter(
  ({ method, answer, path }) =>
    method === 'GET' &&
    answer.kind === 'record' &&
    !/\/(start|stop|unassign)$/.test(path) &&
    pathParameters(path).length > 0 &&
    pathParameters(path).every(name => SEEDED.has(name)),
)

it('plays every operation of the documentation, and no other', () => {
  const documented = operations.map(({ method, path }) => `${method} ${path}`)
  expect(documented.filter(route => !played.has(route))).toEqual([])
  expect([...played].filter(route => !documented.includes(route))).toEqual([])
})

describe('one record is as the contract has it', () => {
  it.each(records.map(each => [each.id, each] as const))('%s', async (_id, { path, answer }) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(known.get(name)!),
    )
    const response = await fetch(`${sandbox.baseUrl}${filled}`, { headers: keysOf(sandbox) })
    expect(response.status).toBe(200)
    const body = JSON.parse(
      await response.text(),
      (_, inner: unknown) => inner ?? undefined,
    ) as unknown
    expect(
      answer.kind === 'record' ? (answer.schema.safeParse(body).error?.issues ?? []) : 'no record',
    ).toEqual([])
  })

  it('would not be, if a field had another kind', () => {
    expect(operation('getVendor').answer.schema.safeParse({ name: 12 }).success).toBe(false)
  })
})
