/**
 * `npm run openapi`: writes openapi.json from the contract. `test/tools/openapi.test.ts` checks
 * that it is fresh and valid.
 */
import { writeFileSync } from 'node:fs'
import { z } from 'zod'
import { operations } from '../connectors/partner/contract/index.ts'
import { GROUPS, pathParameters, WEBHOOK_TYPES } from '../connectors/partner/contract/operation.ts'
import type {
  AnswerShape,
  Envelope,
  Operation,
  RequestBody,
} from '../connectors/partner/contract/operation.ts'

type Json = Record<string, unknown>

export const OPENAPI = new URL('../openapi.json', import.meta.url)

const DESCRIPTION = `Partner-facing API of a dispensary store-management platform, written down from its documentation.
Every call acts for one company and one shop: those of the developer key.
What the documentation does not show is marked with x-not-shown, with our reading of it; x-emits names the webhook events that we read an operation to cause.
Lists are read as {values, skip, limit, total}; {count, total, searchResult} is documented too. Dates are MM/dd/yyyy or epoch milliseconds, as described; most ranges are limited to 7 days.
A field that is null is read as one that is not there.`

const SECURITY_SCHEMES: Json = {
  partnerKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'Identifies the partner integration.',
  },
  developerKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description:
      'The developer key itself, without a scheme in front. ' +
      'It says which company and shop a request is for.',
  },
  consumerToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-Token',
    description:
      'The token of a consumer login. How it is presented is not shown in the documentation: ' +
      'this is our reading.',
  },
}

const ERROR: Json = {
  type: 'object',
  properties: {
    field: { type: 'string', description: 'name of the field that causes the error' },
    message: { type: 'string', description: 'why' },
    errorType: { type: 'string', description: 'a dotted exception-style name' },
  },
}

const ERROR_RESPONSE: Json = {
  description:
    'A failure. Whether one error comes or a list, and which statuses are used, is not shown; ' +
    'we read 400, 401, 403, 404, 429 and 5xx.',
  content: {
    'application/json': {
      schema: {
        anyOf: [
          { $ref: '#/components/schemas/Error' },
          { type: 'array', items: { $ref: '#/components/schemas/Error' } },
        ],
      },
    },
  },
}

/** What the API sends to registered addresses. */
const EVENT: Json = {
  post: {
    summary: 'Something happened; answer 200 within a few seconds. May come more than once.',
    requestBody: {
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              webHookType: { type: 'string', enum: WEBHOOK_TYPES },
              id: { type: 'string' },
              shopId: { type: 'string' },
              modified: { type: 'integer', format: 'int64' },
            },
          },
        },
      },
    },
    responses: { '200': { description: 'Acknowledged.' } },
    security: [],
    'x-not-shown': [
      'The body: webHookType, and id, shopId and modified of the record.',
      'A signature: none.',
      'Retries: a few.',
    ],
  },
}

/** Named resources of all schemas that were converted. */
const schemas: Record<string, Json> = { Error: ERROR }

/**
 * JSON Schema of one body, answer or parameter; resources with a name become references to the
 * components.
 */
function schemaOf(schema: z.ZodType): Json {
  const converted = z.toJSONSchema(z.object({ root: schema }), {
    io: 'input',
    override: ({ jsonSchema }) => {
      // The bounds of what JavaScript holds exactly, and the openness of every object, are not the
      // API's words.
      if (jsonSchema.type === 'integer') {
        delete jsonSchema.minimum
        delete jsonSchema.maximum
      }
      if (jsonSchema.type === 'object') delete jsonSchema.additionalProperties
      delete jsonSchema.id
    },
  })
  const rooted = JSON.parse(
    JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as { $defs?: Record<string, Json>; properties: { root: Json } }
  Object.assign(schemas, rooted.$defs)
  return rooted.properties.root
}

/**
 * The same of a body: a field that may be missing may be null as well. A resource that is answered,
 * too, has another name there.
 */
function sentSchemaOf(schema: z.ZodType): Json {
  const root = schemaOf(schema)
  const sent = (name: string): string => (ANSWERED.has(name) ? `${name}Sent` : name)
  for (const name of usedIn(root)) schemas[sent(name)] = withNulls(schemas[name]!, sent) as Json
  return withNulls(root, sent) as Json
}

const REFERENCE = '#/components/schemas/'

/** The names of all resources that a schema refers to, however deep. */
function usedIn(schema: unknown, found = new Set<string>()): ReadonlySet<string> {
  for (const [, name] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name!)) continue
    found.add(name!)
    usedIn(schemas[name!], found)
  }
  return found
}

function withNulls(schema: unknown, sent: (name: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map(one => withNulls(one, sent))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, properties, required = [], ...rest } = schema as Json & { required?: string[] }
  if (typeof $ref === 'string') return { $ref: REFERENCE + sent($ref.slice(REFERENCE.length)) }
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, withNulls(value, sent)]),
  )
  if (properties === undefined) return inner
  const fields = Object.entries(properties as Json).map(([name, field]) => {
    const one = withNulls(field, sent) as Json
    return [name, required.includes(name) ? one : nullable(one)]
  })
  return {
    ...inner,
    properties: Object.fromEntries(fields) as Json,
    ...(required.length === 0 ? {} : { required }),
  }
}

function nullable(schema: Json): Json {
  const { type, enum: values } = schema
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  const choices = Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}
  return { ...schema, type: [type, 'null'], ...choices }
}

const integer = (format: 'int32' | 'int64'): Json => ({ type: 'integer', format })

const ENVELOPES: Record<Envelope, (items: Json) => Json> = {
  values: items => ({
    type: 'object',
    properties: {
      limit: integer('int32'),
      skip: integer('int32'),
      total: integer('int64'),
      values: { type: 'array', items },
    },
    required: ['values'],
  }),
  searchResult: items => ({
    type: 'object',
    properties: {
      count: integer('int32'),
      total: integer('int32'),
      searchResult: { type: 'array', items },
    },
    required: ['searchResult'],
  }),
}

function pageOf(of: z.ZodType, envelopes: readonly Envelope[]): Json {
  const shapes = envelopes.map(envelope => ENVELOPES[envelope](schemaOf(of)))
  return shapes.length === 1
    ? shapes[0]!
    : { 'x-not-shown': 'Which of the two shapes comes; read as the first.', anyOf: shapes }
}

const asJson = (schema: Json): Json => ({ content: { 'application/json': { schema } } })
const header = (description: string): Json => ({ description, schema: { type: 'string' } })

type Shape<Kind extends AnswerShape['kind']> = Extract<AnswerShape, { kind: Kind }>

function answeredRecord(answer: Shape<'record'>): Json {
  const token = header('the same access token as in the body')
  const headers = Object.fromEntries((answer.headers ?? []).map(name => [name, token]))
  return {
    description: answer.orNone ? 'Success, with this answer or without a body.' : 'Success.',
    ...(answer.headers === undefined ? {} : { headers }),
    ...asJson(schemaOf(answer.schema)),
  }
}

const answeredPage = ({ cap, of, envelopes }: Shape<'page'>): Json => ({
  description: `A page${cap === undefined ? '' : ` of at most ${cap}`}.`,
  ...asJson(pageOf(of, envelopes)),
})

function answeredFile({ types, cacheSeconds }: Shape<'binary'>): Json {
  const file = { schema: { type: 'string', format: 'binary' } }
  const caching =
    cacheSeconds === undefined
      ? undefined
      : header(`cacheable for ${cacheSeconds / 86_400} days: max-age=${cacheSeconds}`)
  return {
    description: 'The file.',
    ...(caching === undefined ? {} : { headers: { 'Cache-Control': caching } }),
    content: Object.fromEntries(types.map(type => [type, file])),
  }
}

const completeList = (schema: Json): Json => ({
  description: 'The complete list.',
  ...asJson(schema),
})

/** The response of a success. */
function answered(answer: AnswerShape): Json {
  switch (answer.kind) {
    case 'record':
      return answeredRecord(answer)
    case 'page':
      return answeredPage(answer)
    case 'values':
      return completeList({
        type: 'object',
        properties: { values: { type: 'array', items: schemaOf(answer.of) } },
        required: ['values'],
      })
    case 'array':
      return completeList({ type: 'array', items: schemaOf(answer.of) })
    case 'none':
      return { description: 'Success, without a body.' }
    case 'binary':
      return answeredFile(answer)
    case 'html':
      return {
        description: 'A page for a browser.',
        content: { 'text/html': { schema: { type: 'string' } } },
      }
  }
}

const CUID_HEADER: Json = {
  name: 'cuid',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'consumer user id; may also be sent in the query',
}

function parametersOf({ path, query, needs }: Operation): Json[] {
  const queried = Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    const { description, ...rest } = schemaOf(schema as z.ZodType)
    return {
      name,
      in: 'query',
      required: !(schema as z.ZodType).safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      schema: rest,
    }
  })
  const cuid = needs.includes('consumer') || 'cuid' in (query?.shape ?? {}) ? [CUID_HEADER] : []
  return [
    ...pathParameters(path).map(name => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...queried,
    ...cuid,
  ]
}

const KEYS = { partnerKey: [], developerKey: [] }

function securityOf({ needs }: Operation): Json[] {
  if (needs.length === 0) return []
  return needs.includes('consumer') ? [KEYS, { ...KEYS, consumerToken: [] }] : [KEYS]
}

/** A form has no nulls. */
const bodySchemaOf = ({ kind, schema }: RequestBody): Json =>
  kind === 'json' ? sentSchemaOf(schema) : schemaOf(schema)

/** The names of the resources of all answers. */
const ANSWERED: ReadonlySet<string> = usedIn(operations.map(({ answer }) => answered(answer)))

const MEDIA = { json: 'application/json', multipart: 'multipart/form-data' }

function described(operation: Operation): Json {
  const { id, group, title, body, answer, needs, emits, notShown, writes } = operation
  const parameters = parametersOf(operation)
  return {
    operationId: id,
    tags: [group],
    summary: title,
    security: securityOf(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !body.schema.safeParse({}).success,
            content: { [MEDIA[body.kind]]: { schema: bodySchemaOf(body) } },
          },
        }),
    responses: { '200': answered(answer), default: { $ref: '#/components/responses/Error' } },
    'x-needs': needs,
    ...(writes === undefined ? {} : { 'x-writes': writes }),
    ...(emits === undefined ? {} : { 'x-emits': emits }),
    ...(notShown === undefined ? {} : { 'x-not-shown': notShown }),
  }
}

/**
 * Two paths that differ by a parameter's name alone are one path in OpenAPI: the first name counts.
 */
function pathOf(path: string): string {
  const anonymous = (one: string): string => one.replaceAll(/\{\w+\}/g, '{}')
  return operations.find(other => anonymous(other.path) === anonymous(path))!.path
}

/** The document, as JSON text. */
export function openApiDocument(): string {
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = pathOf(operation.path)
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: described({ ...operation, path }),
    }
  }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Partner Commerce API', version: '1.0.0', description: DESCRIPTION },
    servers: [{ url: '{baseUrl}', variables: { baseUrl: { default: 'https://partner.example' } } }],
    tags: GROUPS.map(name => ({ name })),
    paths,
    webhooks: { event: EVENT },
    components: {
      securitySchemes: SECURITY_SCHEMES,
      responses: { Error: ERROR_RESPONSE },
      schemas: Object.fromEntries(
        Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)),
      ),
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

if (import.meta.main) writeFileSync(OPENAPI, openApiDocument())
