import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { buildRequest } from '../../connectors/partner/build-request.ts'
import { operation, operations } from '../../connectors/partner/contract/index.ts'
import type { Operation } from '../../connectors/partner/contract/operation.ts'
import type { PartnerAnswer } from '../../connectors/partner/request.ts'
import { keysOf, sandboxWith } from '../sandbox/asking.ts'
import { fillSandbox } from './fill-sandbox.ts'
import { refusalProblems, told } from './judge.ts'
import type { Problem } from './judge.ts'
import { datesOf, readAll, reads } from './read-all.ts'
import { realTarget, sendAs, targetAt, targetOf } from './target.ts'
import type { Target } from './target.ts'

const sandbox = await sandboxWith()
const played = targetOf(sandbox, Date.UTC(2026, 2, 15, 20))
const real = realTarget(process.env)
const targets: [string, Target][] = [
  ['the sandbox', played],
  ...(real === undefined ? [] : [['the API at PARTNER_BASE_URL', real] as [string, Target]]),
]
afterAll(async () => {
  await Promise.all(targets.map(([, { client }]) => client.close()))
})

const LIMITED = [
  'listTransactions',
  'listMembers',
  'listBatchesByDates',
  'listPurchaseOrdersByDates',
] as const

/** What a target answers to requests that it must refuse: all of them only read. */
async function refusals(target: Target): Promise<Problem[]> {
  const problems: Problem[] = []
  const store = operation('getStore')
  const check = (id: string, asked: string, answer: PartnerAnswer, status: number): void => {
    const found = refusalProblems(answer)
    problems.push(
      ...found.map((one): Problem => ({
        operation: id,
        asked,
        found: one,
        against: 'documentation',
      })),
    )
    if (found.length === 0 && answer.status !== status)
      problems.push({
        operation: id,
        asked,
        found: `status ${answer.status}, not ${status}`,
        against: 'reading',
      })
  }
  for (const asked of reads) {
    const parameters = Object.fromEntries(
      [...asked.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, 'x']),
    )
    check(asked.id, 'without keys', await sendAs(target, buildRequest(asked, { parameters })), 401)
  }
  const bearer = { 'x-api-key': target.partnerKey, authorization: `Bearer ${target.developerKey}` }
  check(
    store.id,
    'Bearer before the key',
    await sendAs(target, buildRequest(store, {}), bearer),
    401,
  )
  check(
    'getProduct',
    'an unknown id',
    await target.client.send(
      buildRequest(operation('getProduct'), { parameters: { productId: 'no-such-product' } }),
    ),
    404,
  )
  for (const id of LIMITED)
    check(
      id,
      '8 days',
      await target.client.send(
        buildRequest(operation(id), { parameters: datesOf(operation(id), target.nowMs, 8) }),
      ),
      400,
    )
  return problems
}

describe.each(targets)('%s', (_, target) => {
  /** Readings are told; what the documentation says must be so. */
  const expectNone = (problems: readonly Problem[]): void => {
    if (target === real && problems.length > 0) process.stderr.write(`${told(problems)}\n`)
    expect(
      told(
        target === real ? problems.filter(({ against }) => against === 'documentation') : problems,
      ),
    ).toBe('')
  }

  it('answers everything that can be read as the contract says', async () => {
    if (target === played) await fillSandbox(sandbox)
    const { problems, notAsked } = await readAll(target)
    if (target === real && notAsked.length > 0)
      process.stderr.write(
        `not asked, for there are no records to ask for: ${notAsked.join(', ')}\n`,
      )
    expectNone(problems)
    if (target === played) expect(notAsked).toEqual([])
  })

  it('refuses what it must, with field, message and errorType', async () => {
    expectNone(await refusals(target))
  })
})

/** A path with something for its parameters. */
const somewhere = (path: string): string => path.replaceAll(/\{\w+\}/g, 'x')

describe('the sandbox, which may be written to,', () => {
  it('refuses every operation without keys first of all, except the callback of the payment provider', async () => {
    const statusOf = async ({ path, method }: Operation): Promise<number> =>
      (await fetch(`${sandbox.baseUrl}${somewhere(path)}`, { method })).status
    const answers = await Promise.all(
      operations.map(async one => [one.id, await statusOf(one)] as const),
    )
    expect(answers.filter(([, status]) => status !== 401).map(([id]) => id)).toEqual([
      'receiveAchCallback',
    ])
  })

  it('refuses every method that a path does not have', async () => {
    const known = new Set(operations.map(({ method, path }) => `${method} ${somewhere(path)}`))
    for (const { path } of operations) {
      const other = ['PATCH', 'DELETE', 'PUT', 'POST'].find(
        method => !known.has(`${method} ${somewhere(path)}`),
      )!
      const response = await fetch(`${sandbox.baseUrl}${somewhere(path)}`, {
        method: other,
        headers: keysOf(sandbox),
      })
      expect([path, response.status, Object.keys((await response.json()) as object)]).toEqual([
        path,
        405,
        ['field', 'message', 'errorType'],
      ])
      expect(response.headers.get('allow')?.split(', ')).not.toContain(other)
    }
  })
})

it('finds what an API does otherwise', async () => {
  const body = '{"results":[{"id":7,"name":"x"},{"id":7},{"id":7}]}'
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end(body),
  ).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const target = targetAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'p', 'd')
  const found = told([...(await readAll(target)).problems, ...(await refusals(target))])
  expect(found).toMatch(/documentation {2}listVendors +startDate, endDate +id invalid_type/)
  expect(found).toMatch(/documentation {2}listVendors +skip=2 +rows of the page before/)
  expect(found).toMatch(
    /reading {8}listVendors +startDate, endDate +the list is results, not values or searchResult/,
  )
  expect(found).toMatch(/documentation {2}getProduct +an unknown id +status 200/)
  expect(found).toMatch(/documentation {2}getStore +without keys +status 200/)
  await target.client.close()
  server.close()
})
