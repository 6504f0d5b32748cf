import { isUtf8 } from 'node:buffer'
import { FormData } from 'undici'
import type { PartnerClient } from '../connectors/partner/client.ts'
import { refusal } from '../connectors/partner/refusal.ts'
import { describeRequest } from '../connectors/partner/request.ts'
import type { PartnerAnswer, PartnerRequest } from '../connectors/partner/request.ts'
import { PartnerError } from '../errors.ts'
import { isRecord, parseExact } from '../text/exact-json.ts'
import type { Json, JsonRecord } from '../text/exact-json.ts'
import { idOf } from './live.ts'
import type { Entity } from './operation.ts'

/**
 * Single records of the API, digit by digit. One request each: no retries, no pace; whoever calls
 * goes through the governor.
 */
const PLACES: Readonly<Record<Entity, { path: string; canBeRead: boolean }>> = {
  products: { path: '/api/v1/partner/products', canBeRead: true },
  vendors: { path: '/api/v1/partner/vendors', canBeRead: true },
  categories: { path: '/api/v1/partner/category', canBeRead: true },
  // The documentation has no place for a single brand: it is found in its list.
  brands: { path: '/api/v1/partner/brands', canBeRead: false },
}

export const canBeRead = (entity: Entity): boolean => PLACES[entity].canBeRead

const REMEDY = 'Look at the record with tillage api, and make a new plan.'
/** Records go back whole: letters that nobody could read would be lost in the store. */
export class UnreadableRecord extends PartnerError {
  constructor(request: string) {
    super(
      'PARTNER_ENVELOPE',
      `${request} answered bytes that are no UTF-8, and did not say what else they are`,
      {
        remedy:
          'The record was not sent: its letters would be lost. ' +
          'Once the API answers UTF-8, or names its charset, make a new plan.',
      },
    )
  }
}

/** What says that there is no such record: not found, and gone for good. */
const GONE: ReadonlySet<number> = new Set([404, 410])

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
  throw new UnreadableRecord(`GET ${PLACES[entity].path}/{id} of ${client.origin}`)
}

interface ReadRecord {
  record: JsonRecord
  body: Buffer
}

async function readRecord(
  client: PartnerClient,
  entity: Entity,
  id: string,
  signal: AbortSignal,
): Promise<ReadRecord | undefined> {
  const { path } = PLACES[entity]
  const read = await get(client, `${path}/${encodeURIComponent(id)}`, `${path}/{id}`, signal)
  if (read === undefined || idOf(read.record) === id) return read
  throw new PartnerError(
    'PARTNER_ERROR_BODY',
    `GET ${path}/{id} of ${client.origin} was asked for ${id} and answered ${idOf(read.record)}`,
  )
}

export async function getProductBySku(
  client: PartnerClient,
  sku: string,
  signal: AbortSignal,
): Promise<JsonRecord | undefined> {
  const { path } = PLACES.products
  const read = await get(
    client,
    `${path}/sku/${encodeURIComponent(sku)}`,
    `${path}/sku/{sku}`,
    signal,
  )
  return read?.record
}

async function get(
  client: PartnerClient,
  path: string,
  redactedPath: string,
  signal: AbortSignal,
): Promise<ReadRecord | undefined> {
  const request: PartnerRequest = { method: 'GET', path, redactedPath }
  const answer = await client.send(request, signal)
  if (GONE.has(answer.status)) return undefined
  return { record: await readAnswer(client, request, answer), body: answer.body }
}

/** `PUT` of a whole record. Throws a PartnerError for anything but the record. */
export async function putRecord(
  client: PartnerClient,
  entity: Entity,
  target: { id: string; body: string },
): Promise<JsonRecord> {
  const { path } = PLACES[entity]
  return write(client, {
    method: 'PUT',
    path: `${path}/${encodeURIComponent(target.id)}`,
    redactedPath: `${path}/{id}`,
    body: target.body,
  })
}

export const postRecord = (
  client: PartnerClient,
  entity: Entity,
  body: string,
): Promise<JsonRecord> =>
  write(client, {
    method: 'POST',
    path: PLACES[entity].path,
    redactedPath: PLACES[entity].path,
    body,
  })

/** Uploads a picture that everybody may see, and answers its record. */
export function uploadImage(
  client: PartnerClient,
  image: { name: string; type: string; bytes: Buffer },
): Promise<JsonRecord> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(image.bytes)], { type: image.type }), image.name)
  form.append('name', image.name)
  form.append('assetType', 'Photo')
  const path = '/api/v1/partner/asset/upload/public'
  return write(client, { method: 'POST', path, redactedPath: path, body: form })
}

/** Not to be stopped half-way: what is on its way is waited for. */
const write = async (client: PartnerClient, request: PartnerRequest): Promise<JsonRecord> =>
  readAnswer(client, request, await client.send(request))

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
  throw new PartnerError('PARTNER_ERROR_BODY', `${name} answered something that is no record`)
}
