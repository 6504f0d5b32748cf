import { readFileSync } from 'node:fs'
import { validate } from '@readme/openapi-parser'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { operations } from '../connectors/partner/contract/index.ts'
import { OPENAPI, openApiDocument } from '../tools/write-openapi.ts'

interface Described {
  operationId: string
  security: Record<string, unknown>[]
  parameters?: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Record<string, unknown> }> }
  responses: Record<
    string,
    {
      content?: Record<string, { schema: Record<string, unknown> }>
      headers?: Record<string, unknown>
    }
  >
  'x-not-shown'?: string[]
}

interface Document {
  openapi: string
  paths: Record<string, Record<string, Described>>
  components: {
    schemas: Record<
      string,
      { properties: Record<string, Record<string, unknown>>; required?: string[] }
    >
  }
}

const text = openApiDocument()
const parsed = (): Document => JSON.parse(text) as Document
const described = Object.values(parsed().paths).flatMap(path => Object.values(path))
const one = (id: string): Described => described.find(({ operationId }) => operationId === id)!
const check = (document: unknown): Promise<{ valid: boolean }> =>
  validate(structuredClone(document) as Parameters<typeof validate>[0])

describe('openapi.json', () => {
  it('is what the contract gives now (npm run openapi)', () => {
    expect(readFileSync(OPENAPI, 'utf8') === text, 'stale: run npm run openapi').toBe(true)
  })

  it('is valid OpenAPI 3.1 for a validator that is not ours', async () => {
    expect(parsed().openapi).toBe('3.1.0')
    expect((await check(parsed())).valid).toBe(true)
  })

  it('would not be valid with a path parameter that nobody declares, or a reference into nothing', async () => {
    const undeclared = parsed()
    undeclared.paths['/api/v1/partner/members/{memberId}']!['get']!.parameters = []
    expect((await check(undeclared)).valid).toBe(false)
    const dangling = parsed()
    dangling.paths['/api/v1/partner/members/{memberId}']!['get']!.responses['200'] = {
      $ref: '#/components/responses/Nothing',
    } as never
    await expect(
      check(dangling).then(
        ({ valid }) => valid,
        () => false,
      ),
    ).resolves.toBe(false)
  })

  it('holds schemas that another library takes, and judges records by', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ ...parsed(), $id: 'document' })
    const judge = (id: string, record: unknown): boolean =>
      ajv.validate({ $ref: `document#/components/schemas/${id}` }, record)
    for (const id of Object.keys(parsed().components.schemas))
      expect(judge(id, 'no object'), id).toBe(false)
    expect(judge('Vendor', { name: 'Green Leaf', address: { city: 'Oakland' }, ours: 1 })).toBe(
      true,
    )
    expect(
      [
        {},
        { name: 7 },
        { name: 'x', vendorType: 'FRIEND' },
        { name: 'x', address: { city: 7 } },
      ].filter(record => judge('Vendor', record)),
    ).toEqual([])
    expect(() => ajv.compile({ type: 'words' })).toThrow('schema is invalid')
  })

  it('has every operation of the contract, under its id', () => {
    expect(described.map(({ operationId }) => operationId).sort()).toEqual(
      operations.map(({ id }) => id).sort(),
    )
  })

  it('tells which keys a request carries, and that a consumer comes by cuid or by the token of a login', () => {
    expect(one('getMember').security).toEqual([{ partnerKey: [], developerKey: [] }])
    expect(one('getConsumerUser').security).toEqual([
      { partnerKey: [], developerKey: [] },
      { partnerKey: [], developerKey: [], consumerToken: [] },
    ])
    expect(
      one('getConsumerUser').parameters?.map(parameter => `${parameter.in} ${parameter.name}`),
    ).toEqual(['query cuid', 'header cuid'])
    expect(one('receiveAchCallback').security).toEqual([])
  })

  it('tells defaults, enumerations, required fields, formats, files and what is not shown', () => {
    const { Vendor, Member, MemberUpdate } = parsed().components.schemas
    expect(Vendor!.required).toEqual(['name'])
    expect(Vendor!.properties['vendorType']).toEqual({
      default: 'VENDOR',
      type: 'string',
      enum: ['CUSTOMER', 'VENDOR', 'BOTH'],
    })
    expect(Vendor!.properties['licenseExpirationDate']).toEqual({
      type: 'integer',
      format: 'int64',
      description: 'epoch milliseconds',
    })
    expect([
      Member!.properties['status']!['default'],
      MemberUpdate!.properties['status']!['default'],
    ]).toEqual(['Inactive', undefined])
    expect(Member!.properties['mergeRole']).toEqual({
      type: 'string',
      'x-not-shown': expect.stringMatching(/values are not shown/) as string,
    })
    expect(
      one('listBatches').parameters?.find(({ name }) => name === 'status')?.schema['enum'],
    ).toContain('READY_FOR_SALE')
    expect(one('listBatches').parameters?.find(({ name }) => name === 'limit')).toMatchObject({
      required: false,
      schema: { default: 100 },
    })
    expect(one('searchMembers').parameters?.[0]).toMatchObject({
      name: 'licenseNumber',
      required: true,
    })
    expect(one('uploadPublicAsset').requestBody).toMatchObject({
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            required: ['file'],
            properties: { file: { type: 'string', format: 'binary' } },
          },
        },
      },
    })
    expect(one('submitCart').requestBody?.required).toBe(false)
    expect(Object.keys(one('getAsset').responses['200']!.content!)).toEqual([
      'image/jpeg',
      'application/pdf',
      'image/png',
    ])
    expect(one('getAsset').responses['200']!.headers).toMatchObject({
      'Cache-Control': { description: expect.stringContaining('max-age=2592000') as string },
    })
    expect(one('loginConsumer').responses['200']!.headers).toHaveProperty('X-Auth-Token')
    expect(
      one('listEmployees').responses['200']!.content!['application/json']!.schema,
    ).toMatchObject({ required: ['values'] })
    expect(
      one('listVendors').responses['200']!.content!['application/json']!.schema['anyOf'],
    ).toHaveLength(2)
    expect(one('listTransactions')['x-not-shown']!.length).toBeGreaterThan(0)
  })
})
