import { toIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/days.ts'
import type { Destination } from '../connectors/destination/destination.ts'
import type { WindowCounts } from '../connectors/destination/windows.ts'
import type { LookedUp, LookUpPlace } from '../connectors/partner/look-up.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import { askById, mergeRecords } from '../connectors/store/by-id.ts'
import type { Stream } from '../connectors/stream.ts'
import { referencesIn } from '../exports/sales/references.ts'
import { bookedStream } from './order-journal.ts'

/**
 * A backfill whose lots and members are all older than what was read does not ask for all at once.
 */
const MOST_AT_ONCE = 1_000

/** Where records are asked for by their ids, and where they are kept. */
export interface ReferencePlace {
  destination: Pick<Destination, 'windows' | 'rows' | 'lookUps'>
  /** The endpoint of a store, under the store's governor. */
  endpoint: (store: string, stream: Stream) => LookUpPlace
  signal: AbortSignal
}

/** What became of the records of one stream. */
export interface LookedUpStream {
  stream: string
  requests: number
  found: number
  /** Of what was found: added to the tables, changed there, or refused by them. */
  counts: WindowCounts | undefined
  /** The API does not know them. */
  missing: number
  /** It did not answer, or there were too many for once: they are asked for the next time. */
  waiting: number
}

/** Ids by the stream that would hold their records. */
type Unknown = ReadonlyMap<string, readonly string[]>

/**
 * The lots, products, vendors and members that the transactions of a range of business days refer
 * to, that no list has brought, and that the API was not asked for yet.
 */
export async function unknownReferences(
  { database, lookUps }: Pick<Destination, 'database' | 'lookUps'>,
  store: string,
  range: Interval,
  only: (stream: string) => boolean = () => true,
): Promise<Unknown> {
  const found = new Map<string, string[]>()
  for (const [name, ids] of await referencesIn(database, bookedStream(), store, range)) {
    const unknown = only(name) ? await lookUps.unanswered(store, name, ids) : []
    if (unknown.length > 0) found.set(name, unknown)
  }
  return found
}

/**
 * Asks the API for records: each once, by its id. What it has is merged like any record; what it
 * does not know is remembered with the time. Nothing is thrown for an API that does not answer.
 */
export async function lookUpReferences(
  place: ReferencePlace,
  store: string,
  unknown: Unknown,
): Promise<LookedUpStream[]> {
  const done: LookedUpStream[] = []
  let left = MOST_AT_ONCE
  for (const [name, ids] of unknown) {
    if (place.signal.aborted) continue
    const stream = streams.find(one => one.name === name)!
    const asked = ids.slice(0, left)
    left -= asked.length
    const one = await lookUpOfStream(place, store, stream, asked)
    done.push({ ...one, waiting: one.waiting + ids.length - asked.length })
  }
  return done
}

async function lookUpOfStream(
  place: ReferencePlace,
  store: string,
  stream: Stream,
  ids: readonly string[],
): Promise<LookedUpStream> {
  const { destination, signal } = place
  const endpoint = place.endpoint(store, stream)
  const since = await destination.rows.lastReading()
  let requests = 0
  const ask = (id: string): Promise<LookedUp> => {
    requests++
    return askById(endpoint, id, signal)
  }
  const answers: { id: string; answer: LookedUp }[] = []
  const [first, ...rest] = ids
  if (first !== undefined) answers.push({ id: first, answer: await ask(first) })
  // An API that is gone is not asked a thousand times.
  if (answers[0]?.answer.kind !== 'unclear')
    answers.push(...(await Promise.all(rest.map(async id => ({ id, answer: await ask(id) })))))
  const pages = answers.flatMap(({ answer }) => (answer.kind === 'record' ? [answer.page] : []))
  const counts = await mergeRecords(destination, { store, stream: stream.name, since }, pages)
  const missing = answers.flatMap(({ id, answer }) => (answer.kind === 'missing' ? [id] : []))
  // Where no record at all is found by its id, "no such record" says nothing of any.
  const isBelieved =
    missing.length > 0 && (pages.length > 0 || (await findsOne(place, store, stream, ask)))
  if (isBelieved)
    await destination.lookUps.rememberMissing(store, stream.name, missing, toIso(Date.now()))
  const known = isBelieved ? missing.length : 0
  return {
    stream: stream.name,
    requests,
    found: pages.length,
    counts,
    missing: known,
    waiting: ids.length - pages.length - known,
  }
}

async function findsOne(
  { destination }: ReferencePlace,
  store: string,
  stream: Stream,
  ask: (id: string) => Promise<LookedUp>,
): Promise<boolean> {
  const control = await destination.rows.newestLiving(store, stream, [])
  return control !== undefined && (await ask(control)).kind === 'record'
}
