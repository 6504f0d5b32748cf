import { isUtf8 } from 'node:buffer'
import { buildRequest } from '../connectors/partner/build-request.ts'
import type { PartnerClient } from '../connectors/partner/client.ts'
import type { OperationId } from '../connectors/partner/contract/index.ts'
import { pathParameters } from '../connectors/partner/contract/operation.ts'
import type { Operation } from '../connectors/partner/contract/operation.ts'
import { GONE } from '../connectors/partner/look-up.ts'
import { refusal } from '../connectors/partner/refusal.ts'
import { describeRequest } from '../connectors/partner/request.ts'
import type { PartnerAnswer, PartnerRequest } from '../connectors/partner/request.ts'
import { PartnerError } from '../errors.ts'
import { isRecord, parseExact } from '../text/exact-json.ts'
import type { Json, JsonRecord } from '../text/exact-json.ts'
import { idOf } from './live.ts'
import type { Entity } from './operation.ts'

/**
 * Single records of the API, digit by digit. One request each, as the contract has it: no retries,
 * no pace; whoever calls goes through the governor.
 */
const OPERATIONS = {
  products: { read: 'getProduct', create: 'createProduct', update: 'updateProduct' },
  vendors: { read: 'getVendor', create: 'createVendor', update: 'updateVendor' },
  categories: { read: 'getCategory', create: 'createCategory', update: 'updateCategory' },
  // The documentation has no place for a single brand: it is found in its list.
  brands: { read: undefined, create: 'createBrand', update: 'updateBrand' },
} as const satisfies Record<Entity, EntityOperations>

interface EntityOperations {
  read: OperationId | undefined
  create: OperationId
  update: OperationId
}

export const canBeRead = (entity: Entity): boolean => OPERATIONS[entity].read !== undefined

/** A request of the contract, with what stands in its path in the order of the path. */
async function requestOf(
  operationId: OperationId,
  inPath: readonly string[],
  body?: unknown,
): Promise<PartnerRequest> {
  // Loaded for the first request: a process that only waits does without the contract's memory.
  const { operation } = await import('../connectors/partner/contract/index.ts')
  const asked: Operation = operation(operationId)
  const parameters = Object.fromEntries(
    pathParameters(asked.path).map((name, index) => [name, inPath[index]]),
  )
  return buildRequest(asked, { parameters, body })
}

const REMEDY = 'Look at the record with tillage api, and make a new plan.'
/** Records go back whole: letters that nobody could read would be lost in the store. */
export class UnreadableRecord extends PartnerError {
  constructor(request: string) {
    super(
      'PARTNER_ENVELOPE',
      `${request} answered bytes that are not UTF-8, and named no other charset`,
      {
        remedy:
          'The record was not sent: its letters would be lost. ' +
          'Once the API answers UTF-8, or names its charset, make a new plan.',
      },
    )
  }
}

/** A key that is refused says nothing about a record: it may be sent with another key. */
export const isKeyRefused = (error: unknown): error is PartnerError =>
  error instanceof PartnerError && error.code === 'PARTNER_KEYS'

/** One record by its id; undefined where the API says that there is none. */
export async function getRecord(
  client: PartnerClient,
  entity: Entity,
  id: string,
  signal: AbortSignal,
): Promise<JsonRecord | undefined> {
  return (await readRecord(client, entity, id, signal))?.record
}

/** The same record, to be sent back whole: every byte of it has to be a letter. */
export async function getRecordToSend(
  client: PartnerClient,
  entity: Entity,
  id: string,
  signal: AbortSignal,
): Promise<JsonRecord | undefined> {
  const read = await readRecord(client, entity, id, signal)
  if (read === undefined || isUtf8(read.body)) return read?.record
  throw new UnreadableRecord(read.name)
}

interface ReadRecord {
  /** Of the request: `GET /api/v1/partner/products/{productId} of https://...`. */
  name: string
  record: JsonRecord
  body: Buffer
}

/** A path of dots is another path, and no record has such an id. */
const NO_IDS: ReadonlySet<string> = new Set(['', '.', '..'])

async function readRecord(
  client: PartnerClient,
  entity: Entity,
  id: string,
  signal: AbortSignal,
): Promise<ReadRecord | undefined> {
  const { read } = OPERATIONS[entity]
  if (read === undefined) throw new TypeError(`no operation reads one of ${entity}`)
  const found = await get(client, read, id, signal)
  if (found === undefined || idOf(found.record) === id) return found
  throw new PartnerError(
    'PARTNER_ERROR_BODY',
    `${found.name} was asked for ${id} and answered ${idOf(found.record)}`,
  )
}

export async function getProductBySku(
  client: PartnerClient,
  sku: string,
  signal: AbortSignal,
): Promise<JsonRecord | undefined> {
  return (await get(client, 'getProductBySku', sku, signal))?.record
}

async function get(
  client: PartnerClient,
  operationId: OperationId,
  key: string,
  signal: AbortSignal,
): Promise<ReadRecord | undefined> {
  if (NO_IDS.has(key)) return undefined
  const request = await requestOf(operationId, [key])
  const answer = await client.send(request, signal)
  if (GONE.has(answer.status)) return undefined
  const record = await readAnswer(client, request, answer)
  return { name: describeRequest(request, client.origin), record, body: answer.body }
}

/** `PUT` of a whole record. Throws a PartnerError for anything but the record. */
export const putRecord = (
  client: PartnerClient,
  entity: Entity,
  target: { id: string; body: string },
): Promise<JsonRecord> => write(client, OPERATIONS[entity].update, [target.id], target.body)

export const postRecord = (
  client: PartnerClient,
  entity: Entity,
  body: string,
): Promise<JsonRecord> => write(client, OPERATIONS[entity].create, [], body)

/** Uploads a picture that everybody may see, and answers its record. */
export function uploadImage(
  client: PartnerClient,
  { name, type, bytes }: { name: string; type: string; bytes: Buffer },
): Promise<JsonRecord> {
  const file = new File([new Uint8Array(bytes)], name, { type })
  return write(client, 'uploadPublicAsset', [], { file, name, assetType: 'Photo' })
}

/** Not to be stopped half-way: what is on its way is waited for. */
async function write(
  client: PartnerClient,
  operationId: OperationId,
  inPath: readonly string[],
  body: unknown,
): Promise<JsonRecord> {
  const request = await requestOf(operationId, inPath, body)
  return readAnswer(client, request, await client.send(request))
}

/** A success is a record with an id (INV-4); everything else is an error. */
async function readAnswer(
  client: PartnerClient,
  request: PartnerRequest,
  answer: PartnerAnswer,
): Promise<JsonRecord> {
  const name = describeRequest(request, client.origin)
  const isWrite = request.method !== 'GET'
  if (answer.status !== 200 && answer.status !== 201)
    throw await refusal({ name, isWrite }, answer, REMEDY)
  const text = answer.body.toString('utf8')
  let value: Json
  try {
    value = parseExact(text)
  } catch {
    throw new PartnerError(
      'PARTNER_TRUNCATED',
      `${name} answered something that is not JSON (${answer.body.length} bytes)`,
    )
  }
  const record = Array.isArray(value) && value.length === 1 ? (value as Json[])[0] : value
  if (isRecord(record) && idOf(record) !== '') return record
  throw new PartnerError('PARTNER_ERROR_BODY', `${name} answered something that is not a record`)
}
