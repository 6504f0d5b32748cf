/**
 * How operations write records: ids, owners and times are the server's, whatever a request says
 * about them.
 */
import { notFound } from '../http/api-error.ts'
import { parseExactly } from '../values/money.ts'
import type { Collection, JsonRecord } from './collection.ts'

const SERVERS_OWN = [
  'id',
  'companyId',
  'shopId',
  'created',
  'modified',
  'deleted',
  'updated',
] as const

/** A text; an empty one in place of anything else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export function withoutOwn(sent: JsonRecord): JsonRecord {
  const rest = { ...sent }
  for (const field of SERVERS_OWN) delete rest[field]
  return rest
}

/**
 * The number of the record with this id in its list; 404 without one, or where it was deleted and
 * its resource hides that.
 */
export function findNumber(
  collection: Collection,
  id: string,
  field: string,
  hidesDeleted = false,
): number {
  const number = collection.find(id)
  if (number === undefined || (hidesDeleted && collection.read(number)['deleted'] === true))
    throw notFound(field, `There is nothing with id ${id.slice(0, 64)}`)
  return number
}

/** A new record of what was sent; returns it as JSON. */
export function create(collection: Collection, sent: JsonRecord, nowMs: number): string {
  const id = collection.insert(withoutOwn(sent), nowMs)
  return collection.text(collection.find(id)!)
}

/**
 * "full X": what was sent takes the place of the record, so that fields which were not sent are
 * gone.
 */
export function replaceWhole(
  collection: Collection,
  number: number,
  sent: JsonRecord,
  nowMs: number,
): string {
  const before = parseExactly(collection.text(number)) as JsonRecord
  const own = Object.fromEntries(
    SERVERS_OWN.filter(field => field in before).map(field => [field, before[field]]),
  )
  collection.replace(
    number,
    { ...own, deleted: sent['deleted'] === true, updated: true, ...withoutOwn(sent) },
    nowMs,
  )
  return collection.text(number)
}

/** Where the documentation does not say "full": what was sent changes, what was not stays. */
export function merge(
  collection: Collection,
  number: number,
  sent: JsonRecord,
  nowMs: number,
): string {
  collection.edit(number, { ...withoutOwn(sent), updated: true }, nowMs)
  return collection.text(number)
}

/** `deleted: true`: the row stays for those who ask for it. */
export function softDelete(
  collection: Collection,
  number: number,
  nowMs: number,
  also: JsonRecord = {},
): undefined {
  collection.edit(number, { ...also, deleted: true, updated: true }, nowMs)
}
