import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { contract, operation, operations } from '../../../../connectors/partner/contract/index.ts'
import type { OperationId } from '../../../../connectors/partner/contract/index.ts'
import { GROUPS, pathParameters } from '../../../../connectors/partner/contract/operation.ts'
import type { Operation } from '../../../../connectors/partner/contract/operation.ts'
import { streams } from '../../../../connectors/partner/streams/index.ts'

/** `Store: GET /api/v1/partner/store`, from the list that was typed from the documentation. */
const documented = readFileSync(join(import.meta.dirname, 'operations.txt'), 'utf8')
  .split(/\n\n/)
  .slice(1)
  .flatMap(block => {
    const [group, ...lines] = block.trim().split('\n')
    return lines.map(line => `${group}: ${line}`)
  })

const told = ({ group, method, path }: Operation): string => `${group}: ${method} ${path}`
const differences = (ours: readonly Operation[]): string[] => {
  const declared = ours.map(told)
  return [
    ...documented.filter(line => !declared.includes(line)).map(line => `missing ${line}`),
    ...declared
      .filter((line, at) => !documented.includes(line) || declared.indexOf(line) !== at)
      .map(line => `not documented ${line}`),
  ]
}

describe('the contract', () => {
  it('has every operation of the documentation, once, in its group, and no other', () => {
    expect(documented).toHaveLength(158)
    expect(operations).toHaveLength(158)
    expect(differences(operations)).toEqual([])
    expect(new Set(operations.map(({ group }) => group))).toEqual(new Set(GROUPS))
  })

  it('would show one that is missing, doubled or made up', () => {
    expect(differences(operations.slice(1))).toEqual(['missing Store: GET /api/v1/partner/store'])
    expect(differences([...operations, operations[0]!])).toHaveLength(1)
    expect(
      differences([...operations, { ...operations[0]!, path: '/api/v1/partner/nothing' }]),
    ).toEqual(['not documented Store: GET /api/v1/partner/nothing'])
  })

  it('knows each operation by its id, which is a verb and a noun', () => {
    for (const [id, one] of Object.entries(contract)) expect(one.id).toBe(id)
    expect(operation('getMember').path).toBe('/api/v1/partner/members/{memberId}')
    expect(operations.map(({ id }) => id).filter(id => !/^[a-z]+([A-Z][a-z]+)+$/.test(id))).toEqual(
      [],
    )
  })

  it('says what each needs: 10 a consumer, 3 the permission, one nothing, one the company', () => {
    const needing = (need: string): string[] =>
      operations
        .filter(({ needs }) => (needs as readonly string[]).includes(need))
        .map(({ id }) => id)
    expect(needing('consumer')).toHaveLength(10)
    expect(needing('PERFORM_RECONCILIATION')).toEqual([
      'listReconciliations',
      'getReconciliation',
      'createReconciliation',
    ])
    expect(needing('company')).toEqual(['getInventoryProductBySku'])
    expect(operations.filter(({ needs }) => needs.length === 0).map(({ id }) => id)).toEqual([
      'receiveAchCallback',
    ])
    expect(needing('store')).toHaveLength(156)
  })

  it('marks as writing the GETs that change something, and those alone', () => {
    expect(
      operations
        .filter(({ writes }) => writes)
        .map(({ method, path }) => `${method} ${path.split('/').at(-1)}`),
    ).toEqual(['GET start', 'GET stop', 'GET unassign', 'GET ext'])
  })

  it('has the endpoints of the streams, with their offset parameter and their page cap', () => {
    for (const stream of streams) {
      const found = operations.find(({ method, path }) => method === 'GET' && path === stream.path)
      expect(found, stream.path).toBeDefined()
      if (stream.answers === undefined)
        expect(Object.keys(found!.query?.shape ?? {}), stream.name).toContain(stream.offset)
      if (found!.answer.kind === 'page' && found!.answer.cap !== undefined)
        expect(stream.pageCap).toBe(found!.answer.cap)
    }
  })

  it('has the columns of the streams as fields of their records', () => {
    const fieldsOf = (stream: (typeof streams)[number]): string[] => {
      const { answer } = operations.find(
        ({ method, path }) => method === 'GET' && path === stream.path,
      )!
      return 'of' in answer ? Object.keys((answer.of as z.ZodObject).shape) : []
    }
    const unknown = streams
      .filter(({ answers }) => typeof answers !== 'object')
      .flatMap(stream =>
        Object.values(stream.columns)
          .map(({ path }) => path.split('.')[0]!)
          .filter(field => !fieldsOf(stream).includes(field))
          .map(field => `${stream.name}.${field}`),
      )
    expect(unknown, 'not documented on these; taken where they come').toEqual([
      'vendors.shopId',
      'vendors.brandList',
      'doctors.created',
      'doctors.modified',
      'doctors.deleted',
      'tax_rates.id',
      'tax_rates.created',
      'tax_rates.modified',
      'batch_quantities.id',
      'batch_quantities.created',
      'batch_quantities.modified',
      'batch_quantities.batchPurchaseDate',
    ])
  })

  it('says what it reads into the documentation as whole sentences', () => {
    const sentences = operations.flatMap(({ notShown }) => notShown ?? [])
    expect(sentences.length).toBeGreaterThan(80)
    expect(sentences.filter(sentence => !/^[A-Z].*\.$/.test(sentence))).toEqual([])
  })
})

describe('a body', () => {
  const bodyOf = (id: OperationId): z.ZodType => {
    const { body } = operation(id) as Operation
    return body!.schema
  }
  const problemsOf = (id: OperationId, body: unknown): string[] => {
    const parsed = bodyOf(id).safeParse(body)
    return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'))
  }

  it.each([
    ['createPromotion', ['name']],
    ['createMember', ['firstName', 'lastName']],
    [
      'createPurchaseOrder',
      ['currentEmployeeId', 'poPaymentTerms', 'paymentType', 'poProductAddRequestList'],
    ],
    ['registerConsumer', ['email', 'firstName', 'lastName']],
    ['loginConsumer', ['email', 'password']],
    ['createVendor', ['name']],
    ['createCategory', ['name']],
    ['createWebHook', ['webHookUrls']],
    ['signContract', ['contractId']],
  ] as const)('of %s names the required fields that it lacks', (id, fields) => {
    expect(problemsOf(id, {})).toEqual(fields)
  })

  it('of a create operation gets the documented defaults, and keeps what nobody documented', () => {
    expect(bodyOf('createVendor').parse({ name: 'Green Leaf', ours: 1 })).toEqual({
      name: 'Green Leaf',
      ours: 1,
      active: true,
      backOrderEnabled: false,
      armsLengthType: 'NON_ARMS_LENGTH',
      vendorType: 'VENDOR',
    })
    expect(bodyOf('createMember').parse({ firstName: 'A', lastName: 'B' })).toMatchObject({
      emailOptIn: true,
      enableLoyalty: false,
      banned: false,
      consumerType: 'AdultUse',
    })
  })

  it('of an update sets nothing that is not in it', () => {
    expect(bodyOf('updateVendor').parse({ name: 'Green Leaf' })).toEqual({ name: 'Green Leaf' })
    expect(bodyOf('updateMember').parse({ firstName: 'A', lastName: 'B' })).toEqual({
      firstName: 'A',
      lastName: 'B',
    })
    for (const { method, body, id } of operations)
      if (method === 'PUT' && body?.schema.type === 'object')
        expect(
          Object.values((body.schema as z.ZodObject).shape).filter(
            field => (field as z.ZodType).type === 'default',
          ),
          id,
        ).toEqual([])
  })

  it('outside its enumerations is refused', () => {
    expect(
      problemsOf('createWebHook', { webHookUrls: [], webHookType: 'TRANSACTION_UPDATE' }),
    ).toEqual(['webHookType'])
    expect(problemsOf('createVendor', { name: 'x', vendorType: 'FRIEND' })).toEqual(['vendorType'])
    expect(problemsOf('createWebHook', { webHookUrls: [], webHookType: 'NEW_MEMBER' })).toEqual([])
  })
})

describe('the parameters of a path', () => {
  it('are read from its braces', () => {
    expect(pathParameters('/a/{one}/b/{two}')).toEqual(['one', 'two'])
    expect(pathParameters('/a')).toEqual([])
  })
})
