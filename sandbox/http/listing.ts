import type { Asked, Behaviour } from '../faults/profiles.ts'
import { FAITHFUL } from '../faults/profiles.ts'
import { flawOf, spoil } from '../faults/spoil.ts'
import type { Collection, JsonRecord } from '../model/collection.ts'
import { JsonWriter } from '../values/json-writer.ts'
import { parseExactly } from '../values/money.ts'
import { mix } from '../values/random.ts'
import { envelopes } from './envelopes.ts'
import type { Range } from './parameters.ts'
import { EVERYTHING } from './parameters.ts'

/** What a route found out about a list request. */
export interface Listing {
  collection: Collection
  range: Range
  /** Documented for batches: most recently modified first. For catalogs, a reading: by id. */
  sortedBy: 'modified' | 'id' | ((record: Readonly<Record<string, unknown>>) => number)
  /** The documented page cap, where it is not 100. */
  cap?: number
  /** Further filters of the endpoint, on the record's own fields. */
  matches?: (record: Readonly<Record<string, unknown>>) => boolean
  /** What the endpoint shows of a record, where that is not all of it. */
  shape?: (record: JsonRecord) => object
  /** Nobody works at the till here (profile `busy`): other records follow from these. */
  quiet?: boolean
  /** Text that every match has in its JSON: long lists are not parsed for the others. */
  hint?: string
}

/** Rows by rank, without any of them being written yet. */
interface View {
  length: number
  at(rank: number): number
}

/** One buffer for all pages: a page is written without a pause, then copied out. */
const out = new JsonWriter()

/** One page as JSON, with whatever the behaviour does to it. */
export function writePage(
  listing: Listing,
  behaviour: Behaviour,
  asked: Omit<Asked, 'length'>,
): Buffer {
  const { collection } = listing
  const view = repeat(arrange(listing, behaviour, asked), behaviour)
  const request: Asked = { ...asked, length: view.length }
  const offset = behaviour.offset(request)
  const cap = behaviour.cap === FAITHFUL.cap ? (listing.cap ?? behaviour.cap) : behaviour.cap
  const count = Math.max(0, Math.min(behaviour.pageRows(request, cap), view.length - offset))
  const [before, after] = envelopes[behaviour.envelope(request)]({
    count,
    offset: asked.offset,
    limit: Math.min(asked.limit, cap),
    total: behaviour.total(view.length, request),
  })
  out.length = 0
  out.ascii(before)
  for (let at = 0; at < count; at++) {
    if (at > 0) out.ascii(',')
    const number = view.at(offset + at)
    if (behaviour.badRecords && flawOf(collection.name, number, asked.seed) !== undefined)
      out.text(spoil(collection.name, number, collection.text(number), asked.seed))
    else if (listing.shape !== undefined)
      out.text(JSON.stringify(listing.shape(parseExactly(collection.text(number)) as JsonRecord)))
    else collection.write(out, number)
  }
  out.ascii(after)
  return out.copy(0)
}

function arrange(listing: Listing, behaviour: Behaviour, asked: Omit<Asked, 'length'>): View {
  const { collection, matches } = listing
  const { order } = collection
  const { fromMs, toMs } = behaviour.datesIgnored ? EVERYTHING : listing.range
  const low = order.rankOf(fromMs - behaviour.widenedByMs)
  const high = order.rankOf(toMs + behaviour.widenedByMs)
  const sortedBy = orderOf(listing, behaviour)
  if (matches === undefined) {
    if (sortedBy === 'modified-descending')
      return { length: high - low, at: rank => order.numberAt(high - 1 - rank) }
    if (sortedBy === 'modified-ascending')
      return { length: high - low, at: rank => order.numberAt(low + rank) }
  }
  const numbers = order.slice(low, high).filter(number => fits(listing, number))
  if (typeof sortedBy === 'function') return by(sortedBy, collection, numbers)
  const sorted = sort(numbers, sortedBy, asked)
  return { length: sorted.length, at: rank => sorted[rank]! }
}

type Sorting = Exclude<Behaviour['order'], 'natural'> | 'modified-descending'

/** The endpoint's own order, or the one that a profile wants. */
function orderOf(
  { sortedBy }: Listing,
  { order }: Behaviour,
): Sorting | Exclude<Listing['sortedBy'], string> {
  if (order !== 'natural') return order
  return sortedBy === 'modified' ? 'modified-descending' : sortedBy
}

function fits({ collection, matches, hint }: Listing, number: number): boolean {
  if (matches === undefined) return true
  const text = collection.text(number)
  if (hint !== undefined && !text.includes(hint)) return false
  return matches(JSON.parse(text) as Record<string, unknown>)
}

/** `numbers` come by `modified`, ascending. */
function sort(
  numbers: Uint32Array<ArrayBuffer>,
  sortedBy: Sorting,
  { seed, requestNumber }: Omit<Asked, 'length'>,
): Uint32Array<ArrayBuffer> {
  switch (sortedBy) {
    case 'modified-ascending':
      return numbers
    case 'modified-descending':
      return numbers.reverse()
    case 'id':
      return numbers.sort()
    case 'hash':
      return byHash(numbers, seed)
    case 'shuffled':
      return byHash(numbers, mix(seed, requestNumber))
  }
}

/** Ascending by what is in the records, for short lists. */
function by(
  value: (record: Readonly<Record<string, unknown>>) => number,
  collection: Collection,
  numbers: Uint32Array,
): View {
  const rows = [...numbers]
    .map(number => ({ number, value: value(collection.read(number)) }))
    .sort((a, b) => a.value - b.value || a.number - b.number)
  return { length: rows.length, at: rank => rows[rank]!.number }
}

/** 26 bits of hash before 27 bits of number fit one double, which sorts natively. */
function byHash(numbers: Uint32Array<ArrayBuffer>, seed: number): Uint32Array<ArrayBuffer> {
  const scale = 2 ** 27
  const keys = Float64Array.from(
    numbers,
    number => (mix(seed, number) >>> 6) * scale + number,
  ).sort()
  return Uint32Array.from(keys, key => key % scale)
}

/** Of ten rows the last comes twice, so eleven places hold ten rows. */
function repeat(view: View, behaviour: Behaviour): View {
  if (!behaviour.repeatsIds) return view
  return {
    length: view.length + Math.floor(view.length / 10),
    at: place => view.at(Math.floor(place / 11) * 10 + Math.min(place % 11, 9)),
  }
}
