import { streams } from '../connectors/partner/streams/index.ts'

/**
 * Which stream an event concerns, by its type (Events, rule 2). Events of consumers are of no
 * stream; an order of theirs is a transaction, which has events of its own.
 */
const STREAM_OF_EVENT: ReadonlyMap<string, string> = new Map(
  streams.flatMap(({ name, events = [] }) => events.map(type => [type, name] as const)),
)

/** The types that the API is asked to tell of. */
export const HINTED_TYPES: readonly string[] = [...STREAM_OF_EVENT.keys()]

/** What a body that says nothing may be about: what changes all day, and makes the books. */
const STREAM_OF_UNKNOWN = streams.find(({ bookedAt }) => bookedAt !== undefined)!.name

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
 * nothing of it is believed: an id is asked for at the API (INV-12). Undefined: its type is of no
 * stream.
 */
export function readEvent(body: Buffer): EventTarget | undefined {
  const event = asObject(parse(body))
  const type = TYPE_FIELDS.map(field => event[field]).find(value => typeof value === 'string')
  if (type === undefined) return { stream: STREAM_OF_UNKNOWN }
  const stream = STREAM_OF_EVENT.get(type)
  if (stream === undefined) return undefined
  const id = [event, ...INNER_FIELDS.map(field => asObject(event[field]))]
    .map(one => one['id'])
    .find(value => typeof value === 'string' && ID.test(value))
  return id === undefined ? { stream } : { stream, id: id as string }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
