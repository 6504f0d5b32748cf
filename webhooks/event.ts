import { WEBHOOK_TYPES } from '../connectors/partner/contract/operation.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import type { Stream } from '../connectors/stream.ts'

const told = streams.filter(({ events = [] }) => events.length > 0)

/** The types that the API is asked to tell of. */
export const HINTED_TYPES: readonly string[] = told.flatMap(({ events = [] }) => events)

/** What a body that says nothing may be about: what changes all day, and makes the books. */
const UNKNOWN = streams.find(({ bookedAt }) => bookedAt !== undefined)!

/** What an event concerns. Without an id: what changed lately. */
export interface EventTarget {
  stream: string
  id?: string
}

const TYPE_FIELDS = ['webHookType', 'eventType', 'type', 'event']
const INNER_FIELDS = ['data', 'payload', 'record', 'object']
/** Of records of this API family: letters, digits, `-` and `_`. */
const ID = /^[\w-]{1,64}$/

/**
 * What a body names. The documentation shows no payload (Events, rule 7), so any is taken, and
 * nothing of it is believed: an id is asked for at the API (INV-12). Undefined: it is of a
 * documented type that is of no stream.
 */
export function readEvent(body: Buffer): EventTarget | undefined {
  const event = asObject(parse(body))
  const type = TYPE_FIELDS.map(field => event[field]).find(value => typeof value === 'string')
  if (type === undefined) return { stream: UNKNOWN.name }
  const stream = streamOf(type)
  if (stream === undefined)
    return WEBHOOK_TYPES.some(known => known === type) ? undefined : { stream: UNKNOWN.name }
  const places = [event, ...INNER_FIELDS.map(field => asObject(event[field]))]
  const id = places
    .flatMap(place => [place['id'], place[`${stream.singular}Id`]])
    .find(value => typeof value === 'string' && ID.test(value))
  return id === undefined ? { stream: stream.name } : { stream: stream.name, id: id as string }
}

/**
 * By the type (Events, rule 2), else by the record that its name holds: the documentation's own
 * example has a type that is not in its list. Events of consumers are of no stream; an order of
 * theirs is a transaction, which has events of its own.
 */
const streamOf = (type: string): Stream | undefined =>
  told.find(({ events = [] }) => events.includes(type)) ??
  told.find(({ singular }) => type.toLowerCase().includes(singular))

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
