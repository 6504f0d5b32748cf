import type { Event } from '../events/event.ts'
import { disturb } from '../faults/busy.ts'
import { ApiError } from '../http/api-error.ts'
import type { Listing } from '../http/listing.ts'
import { writePage } from '../http/listing.ts'
import type { DateRules, Query } from '../http/parameters.ts'
import { readPaging } from '../http/parameters.ts'
import type { Collection, JsonRecord } from '../model/collection.ts'
import { findNumber } from '../model/records.ts'
import type { State } from '../model/state.ts'
import type { World } from '../model/world.ts'

/** One authenticated request to one operation. */
export interface Call {
  state: State
  /** The store of the developer key; a route sees no other. */
  world: World
  path: string
  query: Query
  params: Readonly<Record<string, string>>
  nowMs: number
  hasBody: boolean
  /**
   * The body with plain values, to decide by: `{}` if there was none; of a form, its texts and
   * files.
   */
  body: JsonRecord
  /** The same, whose numbers keep their digits: what is stored. Files are `Upload`s here. */
  exact: JsonRecord
  /**
   * Where the operation takes a JSON list: its items with plain values, and with the numbers'
   * digits.
   */
  plainItems: readonly JsonRecord[]
  items: readonly JsonRecord[]
  /** The consumer named by header or query `cuid` (Authentication, rule 4). */
  cuid: string | undefined
  /** The header `X-Auth-Token`, as the login answered it. */
  authToken: string | undefined
  /** Of the partner key (Authentication, rule 7). */
  permissions: readonly string[]
  /** What it did that webhooks are told about, see `emit`. */
  events: Event[]
}

/** An answer that is not JSON under status 200. */
export interface Reply {
  status?: number
  type: string
  body: string | Buffer
  headers?: Readonly<Record<string, string>>
}

/**
 * JSON as text or bytes; a record or list to be written as JSON; undefined is 200 without a body.
 */
export type Answer = string | Buffer | object | undefined

/**
 * One operation of the documentation. What it changes is kept together or, if it throws, not at
 * all.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  answer(call: Call): Answer
  /** Permission that the partner key must have. */
  permission?: string
  /** The body is a JSON list, or may be one. */
  takesList?: boolean | 'either'
  /** Takes no keys: finds its store by itself (the provider's callback). */
  open?: (state: State, query: Query) => World | undefined
}

/** For answers that are no JSON, or need a header. */
export class OtherAnswer {
  readonly reply: Reply

  constructor(reply: Reply) {
    this.reply = reply
  }
}

/**
 * What `error-200` and `html-200` answer instead of a list: the server hook knows how to send it.
 */
export class InsteadOfList extends Error {
  readonly kind: 'error' | 'html'

  constructor(kind: 'error' | 'html') {
    super(kind)
    this.name = 'InsteadOfList'
    this.kind = kind
  }
}

/** What this request's dates mean: the store's zone, the clock, the profiles in force. */
export const dateRules = (call: Call, { limited }: Pick<DateRules, 'limited'>): DateRules => ({
  timeZone: call.world.shop.timeZone,
  nowMs: call.nowMs,
  behaviour: call.state.behaviour,
  limited,
})

/** A page of a list, as the profiles in force have it. */
export function list(call: Call, listing: Listing): Buffer {
  const { state, world, path } = call
  const { behaviour } = state
  const paging = readPaging(call.query, behaviour)
  if (behaviour.instead !== undefined) throw new InsteadOfList(behaviour.instead)
  const { seed } = state.settings
  if (behaviour.busy && listing.quiet !== true)
    disturb(listing, call.nowMs, seed, state.requestNumber)
  const pathNumber = state.countPath(world.shop.developerKey, path)
  return writePage(listing, behaviour, {
    seed,
    path,
    requestNumber: state.requestNumber,
    pathNumber,
    ...paging,
  })
}

/** One record by its id, as JSON. */
export const single = (collection: Collection, id: string, field: string): string =>
  collection.text(findNumber(collection, id, field))

export const wrongMethod = (): ApiError =>
  new ApiError(405, 'method', 'This path does not take this method')
