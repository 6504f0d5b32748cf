import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildRequest } from '../../connectors/partner/build-request.ts'
import { operation, operations } from '../../connectors/partner/contract/index.ts'
import type { OperationId } from '../../connectors/partner/contract/index.ts'
import type { Operation } from '../../connectors/partner/contract/operation.ts'
import { LONG, sized } from '../helpers/size.ts'
import { sandboxWith, sendJson } from '../sandbox/asking.ts'
import { brokenJson, fitting, parameters, spoiled } from './arbitrary.ts'
import type { Known } from './arbitrary.ts'
import { fillSandbox } from './fill-sandbox.ts'
import { judge, told } from './judge.ts'
import type { Problem } from './judge.ts'
import { readAll, Reader, SOURCES } from './read-all.ts'
import { targetOf } from './target.ts'

const sandbox = await sandboxWith({ stores: 1, transactionsPerDay: 20 })
const target = targetOf(sandbox, Date.UTC(2026, 2, 15, 20))
const known: Record<string, readonly (string | number)[]> = {}

beforeAll(async () => {
  await fillSandbox(sandbox)
  const reader = new Reader(target)
  for (const name of Object.keys(SOURCES)) known[name] = (await reader.values(name)).slice(0, 5)
})
afterAll(() => target.client.close())

/** Any request to an operation: as documented, nearly, or not at all. */
function requestsTo(
  asked: Operation,
  existing: Known,
): fc.Arbitrary<Parameters<typeof buildRequest>[1]> {
  const { body } = asked
  const fit = body === undefined ? fc.constant(undefined) : fitting(body.schema, existing)
  const bodies =
    body?.kind === 'json'
      ? fc.oneof(
          { weight: 4, arbitrary: fit },
          { weight: 3, arbitrary: spoiled(fit) },
          brokenJson,
          fc.constant(undefined),
        )
      : fit
  const cuids = fc.option(fc.constantFrom(...(existing['cuid'] ?? [])).map(String), {
    nil: undefined,
    freq: 4,
  })
  return fc.record({
    parameters: parameters(asked, existing),
    body: bodies,
    consumer: cuids.map(cuid => (cuid === undefined ? {} : { cuid })),
  })
}

describe('any request to', () => {
  it.each(operations.map(operation => [operation.id, operation] as const))(
    '%s is answered or refused as documented',
    async (_, asked) => {
      await fc.assert(
        fc.asyncProperty(requestsTo(asked, known), async given => {
          const answer = await target.client.send(buildRequest(asked, given))
          expect(told(judge(asked, `status ${answer.status}`, answer))).toBe('')
        }),
        // With each commit the same requests; at full size others each time.
        { numRuns: sized(4, 250), ...(LONG ? {} : { seed: 1 }) },
      )
    },
  )
})

it('has left everything that is still there as documented', async () => {
  expect(
    told((await readAll(target)).problems.filter(({ found }) => !found.startsWith('status 4'))),
  ).toBe('')
})

it('takes amounts and days beyond what can be written, and no list with nothing in it, without failing', async () => {
  const ask = async (id: OperationId, given: Parameters<typeof buildRequest>[1]): Promise<number> =>
    (await target.client.send(buildRequest(operation(id), given))).status
  const { id: cuid } = await sendJson(sandbox, 'POST', '/user/register', {
    email: 'far@example.com',
    firstName: 'Far',
    lastName: 'Off',
  })
  await ask('updateConsumerUser', {
    body: { email: 'far@example.com', recNo: 'R-2', recExpiration: 9e15 },
    consumer: { cuid },
  })
  expect(
    await ask('verifyConsumerUser', { parameters: { recNo: 'R-2' }, consumer: { cuid } }),
  ).toBe(200)
  expect(
    await ask('preparePurchaseOrder', { body: { adjustmentInfoList: [{ amount: 1e21 }] } }),
  ).toBe(200)
  expect(
    await ask('updateMember', {
      parameters: { memberId: known['memberId']![0] },
      body: { careGivers: [null] },
    }),
  ).toBe(400)
})

it('would find a failure, an undocumented error and a record of another kind', () => {
  const judged = (status: number, body: string): Problem[] =>
    judge(operation('getVendor'), '', { status, headers: {}, body: Buffer.from(body) })
  const found = (status: number, body: string): string[] =>
    judged(status, body).map(problem => problem.found)
  expect(found(500, '{"field":"a","message":"b","errorType":"c"}')).toEqual(['status 500'])
  expect(found(400, '{"error":"a","message":"b"}')).toEqual([
    'an error under 400 without field, message and errorType',
  ])
  expect(found(404, '<html>')).toEqual(['an error under 404 that is not JSON'])
  expect(found(200, '{"id":"v","vendorType":"FRIEND"}')).toEqual([
    'name invalid_type',
    'vendorType invalid_value',
  ])
  expect(found(200, '{"id":"v","name":"x"}')).toEqual([])
})
