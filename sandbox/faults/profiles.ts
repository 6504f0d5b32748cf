import { DAY_MS } from '../../calendar/days.ts'
import type { ErrorShape } from '../http/api-error.ts'
import type { EnvelopeName } from '../http/envelopes.ts'
import { fraction, mix, mixText } from '../values/random.ts'

/** The request that a profile decides about. */
export interface Asked {
  seed: number
  path: string
  /** How many requests the sandbox had answered before. */
  requestNumber: number
  /** How many list requests this path had answered before. */
  pathNumber: number
  offset: number
  limit: number
  /** Rows in the whole list. */
  length: number
}

/**
 * Where the documentation is silent or a server may misbehave. The default is the first reading of
 * each open point.
 */
export interface Behaviour {
  cap: number
  /** A `limit` above this is refused. */
  largestLimit: number
  /** How many rows a page holds, if the list has them. */
  pageRows(asked: Asked, cap: number): number
  total(honest: number, asked: Asked): number | undefined
  offset(asked: Asked): number
  offsetParameter: 'either' | 'start' | 'skip'
  order: 'natural' | 'modified-ascending' | 'id' | 'hash' | 'shuffled'
  /** The last of every ten rows stands in the list twice. */
  repeatsIds: boolean
  /** The list also holds rows from this long before and after the asked range. */
  widenedByMs: number
  datesIgnored: boolean
  endExclusive: boolean
  daysInUtc: boolean
  envelope(asked: Asked): EnvelopeName
  errorShape: ErrorShape
  /** Other statuses of refusals, by the usual ones. */
  errorStatuses: Readonly<Record<number, number>>
  /** Every list is answered with this under status 200. */
  instead: 'error' | 'html' | undefined
  /** Rows are inserted, edited and deleted between requests. */
  busy: boolean
  badRecords: boolean
  refundSign: 1 | -1
  /** How often webhooks are told of each event. */
  eventCopies: number
  /** Events overtake each other. */
  eventsShuffled: boolean
}

export const FAITHFUL: Behaviour = {
  cap: 100,
  largestLimit: Infinity,
  pageRows: (asked, cap) => Math.min(asked.limit, cap),
  total: honest => honest,
  offset: asked => asked.offset,
  offsetParameter: 'either',
  order: 'natural',
  repeatsIds: false,
  widenedByMs: 0,
  datesIgnored: false,
  endExclusive: false,
  daysInUtc: false,
  envelope: () => 'values',
  errorShape: 'object',
  errorStatuses: {},
  instead: undefined,
  busy: false,
  badRecords: false,
  refundSign: -1,
  eventCopies: 1,
  eventsShuffled: false,
}

interface Profile {
  does: string
  behaviour: Partial<Behaviour>
}

const chanceOf = (asked: Asked, salt: number): number =>
  fraction(mix(mixText(asked.seed ^ salt, asked.path), asked.offset))

/**
 * Every way of being difficult, by name; several can be combined, the later one wins where two
 * decide the same.
 */
export const PROFILES = {
  cap37: { does: 'pages hold at most 37 rows, whatever is asked', behaviour: { cap: 37 } },
  'cap-unlimited': {
    does: 'no cap, and pages hold half as many rows again as asked',
    behaviour: { cap: Infinity, pageRows: asked => Math.ceil(asked.limit * 1.5) },
  },
  'limit-refused': {
    does: 'a `limit` above 60 is refused with 400',
    behaviour: { largestLimit: 60 },
  },
  'short-pages': {
    does: 'pages stop early at a random row, the same one for the same offset',
    behaviour: {
      pageRows: (asked, cap) =>
        Math.max(1, Math.ceil(Math.min(asked.limit, cap) * chanceOf(asked, 0x5407))),
    },
  },
  'no-total': { does: 'envelopes lack total', behaviour: { total: () => undefined } },
  'liar-total-high': {
    does: 'total is 7 more than there is',
    behaviour: { total: honest => honest + 7 },
  },
  'liar-total-low': {
    does: 'total is a tenth less than there is, at least one',
    behaviour: { total: honest => Math.max(0, honest - Math.max(1, Math.floor(honest / 10))) },
  },
  'moving-total': {
    does: 'total differs from request to request by up to 4',
    behaviour: { total: (honest, asked) => honest + (asked.requestNumber % 5) },
  },
  'offset-ignored': { does: 'every page is the first page', behaviour: { offset: () => 0 } },
  'only-start': { does: 'start counts, skip is ignored', behaviour: { offsetParameter: 'start' } },
  'only-skip': { does: 'skip counts, start is ignored', behaviour: { offsetParameter: 'skip' } },
  'repeat-ids': {
    does: 'the last of every ten rows comes twice; total counts it twice',
    behaviour: { repeatsIds: true },
  },
  'out-of-range': {
    does: 'lists hold rows from two days before and after the asked range',
    behaviour: { widenedByMs: 2 * DAY_MS },
  },
  'dates-ignored': {
    does: 'date parameters are checked, then ignored: always the whole list',
    behaviour: { datesIgnored: true },
  },
  'envelope-search-result': {
    does: '{count, total, searchResult}',
    behaviour: { envelope: () => 'search-result' },
  },
  'envelope-results': {
    does: '{count, cursor, results}, no total',
    behaviour: { envelope: () => 'results' },
  },
  'envelope-values-only': {
    does: '{values}, no total',
    behaviour: { envelope: () => 'values-only' },
  },
  'envelope-array': { does: 'a bare array', behaviour: { envelope: () => 'array' } },
  'envelope-changes': {
    does: '{values, ...} for the first three requests of a path, then {count, total, searchResult}',
    behaviour: { envelope: asked => (asked.pathNumber < 3 ? 'values' : 'search-result') },
  },
  'error-200': {
    does: 'lists are answered with an error body under status 200',
    behaviour: { instead: 'error' },
  },
  'html-200': {
    does: 'lists are answered with an HTML page under status 200',
    behaviour: { instead: 'html' },
  },
  'empty-middle': {
    does: 'every third page before the last is empty, though there is more',
    behaviour: {
      pageRows: (asked, cap) =>
        asked.offset + asked.limit < asked.length &&
        Math.floor(asked.offset / Math.min(asked.limit, cap)) % 3 === 1
          ? 0
          : Math.min(asked.limit, cap),
    },
  },
  'end-exclusive': {
    does: 'the end of a date range is not part of it, be it a day or a millisecond',
    behaviour: { endExclusive: true },
  },
  'days-utc': {
    does: 'MM/dd/yyyy means a day in UTC, not in the zone of the store',
    behaviour: { daysInUtc: true },
  },
  unsorted: {
    does: 'rows in an order that means nothing but never changes',
    behaviour: { order: 'hash' },
  },
  unstable: { does: 'rows in another order with each request', behaviour: { order: 'shuffled' } },
  'sorted-id': { does: 'rows by id, ascending', behaviour: { order: 'id' } },
  'sorted-modified-ascending': {
    does: 'rows by modified, oldest first',
    behaviour: { order: 'modified-ascending' },
  },
  busy: {
    does: 'before one list request in three a row of the list is edited, deleted or inserted',
    behaviour: { busy: true },
  },
  'bad-records': {
    does: 'about one record in 500 has a text where a decimal belongs, or no id',
    behaviour: { badRecords: true },
  },
  'error-list': {
    does: 'errors are lists of {field, message, errorType}',
    behaviour: { errorShape: 'list' },
  },
  'error-message': {
    does: 'errors are {error, message, status}',
    behaviour: { errorShape: 'message' },
  },
  'error-statuses': {
    does: 'refusals have other statuses: 422 for 400, 403 for 401, 404 for 405',
    behaviour: { errorStatuses: { 400: 422, 401: 403, 405: 404 } },
  },
  'refunds-positive': {
    does: 'refunds are written with positive amounts and quantities',
    behaviour: { refundSign: 1 },
  },
  'events-repeated': {
    does: 'webhooks are told of each event twice',
    behaviour: { eventCopies: 2 },
  },
  'events-shuffled': {
    does: 'each event is held back for up to a second, so that others overtake it',
    behaviour: { eventsShuffled: true },
  },
} as const satisfies Record<string, Profile>

export type ProfileName = keyof typeof PROFILES

export const isProfile = (name: string): name is ProfileName => Object.hasOwn(PROFILES, name)

export function findProfile(name: string): ProfileName {
  if (isProfile(name)) return name
  throw new RangeError(
    `sandbox: there is no profile ${name}; valid are ${Object.keys(PROFILES).join(', ')}`,
  )
}

export function combineProfiles(names: readonly ProfileName[]): Behaviour {
  const chosen: readonly Partial<Behaviour>[] = names.map(name => PROFILES[name].behaviour)
  return chosen.reduce<Behaviour>((all, next) => ({ ...all, ...next }), FAITHFUL)
}
