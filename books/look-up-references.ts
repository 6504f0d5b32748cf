import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { toIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/interval.ts'
import type { Destination } from '../connectors/destination/destination.ts'
import type { WindowCounts, WindowToCommit } from '../connectors/destination/windows.ts'
import { lookUp } from '../connectors/partner/look-up.ts'
import type { LookedUp, LookUpPlace } from '../connectors/partner/look-up.ts'
import { streams } from '../connectors/partner/streams/index.ts'
import type { Stream } from '../connectors/stream.ts'
import { TillageError } from '../errors.ts'
import { referencesIn } from '../exports/books/references.ts'
import { bookedStream } from './order-journal.ts'

/**
 * A backfill whose lots and members are all older than what was read does not ask for all at once.
 */
const MOST_AT_ONCE = 1_000

/** Where records are asked for by their ids, and where they are kept. */
export interface ReferencePlace {
  destination: Pick<Destination, 'location' | 'windows' | 'rows' | 'lookUps'>
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

/**
 * Asks the API for the lots, products, vendors and members that the transactions of a range of
 * business days refer to and that no list has brought: each once, by its id. What it has is merged
 * like any record; what it does not know is remembered with the time. Nothing is thrown for an API
 * that does not answer.
 */
export async function lookUpReferences(
  place: ReferencePlace,
  store: string,
  range: Interval,
  only: (stream: string) => boolean = () => true,
): Promise<LookedUpStream[]> {
  const { destination } = place
  const done: LookedUpStream[] = []
  let left = MOST_AT_ONCE
  for (const [name, ids] of referencesIn(destination.location, bookedStream(), store, range)) {
    if (!only(name) || place.signal.aborted) continue
    const unknown = await destination.lookUps.unanswered(store, name, ids)
    if (unknown.length === 0) continue
    const stream = streams.find(one => one.name === name)!
    const asked = unknown.slice(0, left)
    left -= asked.length
    const one = await lookUpOfStream(place, store, stream, asked)
    done.push({ ...one, waiting: one.waiting + unknown.length - asked.length })
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
    return lookUpIfAnswered(endpoint, id, signal)
  }
  const answers: { id: string; answer: LookedUp }[] = []
  const [first, ...rest] = ids
  if (first !== undefined) answers.push({ id: first, answer: await ask(first) })
  // An API that is gone is not asked a thousand times.
  if (answers[0]?.answer.kind !== 'unclear')
    answers.push(...(await Promise.all(rest.map(async id => ({ id, answer: await ask(id) })))))
  const pages = answers.flatMap(({ answer }) => (answer.kind === 'record' ? [answer.page] : []))
  const counts = await mergePages(destination, { store, stream: stream.name, since }, pages)
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

/**
 * What fails in passing is asked again after these; books cannot wait longer for a single record.
 */
const PAUSES_MS = [200, 600, 1_800]
/** An answer that says nothing may have been cut off on its way: it is asked for twice more. */
const UNCLEAR_TURNS = 2

/** A refusal, or an API that is gone, is no answer: books are made without it. */
async function lookUpIfAnswered(
  endpoint: LookUpPlace,
  id: string,
  signal: AbortSignal,
): Promise<LookedUp> {
  let unclear = 0
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    const answer = await lookUp(endpoint, id, signal).catch(asPassing)
    const isClear = answer !== 'passing' && answer.kind !== 'unclear'
    if (isClear) return answer
    if (answer !== 'passing' && unclear++ === UNCLEAR_TURNS) return answer
    if (pauseMs !== undefined) await pause(pauseMs, undefined, { signal })
  }
  return { kind: 'unclear' }
}

function asPassing(error: unknown): 'passing' | LookedUp {
  if (!(error instanceof TillageError)) throw error
  return error.recovery === 'retry' ? 'passing' : { kind: 'unclear' }
}

type Page = Extract<LookedUp, { kind: 'record' }>['page']

/** In one transaction, as a reading of its own. */
async function mergePages(
  { windows }: Pick<Destination, 'windows'>,
  { store, stream, since }: Pick<WindowToCommit, 'store' | 'stream' | 'since'>,
  pages: readonly Page[],
): Promise<WindowCounts | undefined> {
  if (pages.length === 0) return undefined
  const reading = randomUUID()
  for (const [page, { body, listPath, examined }] of pages.entries())
    await windows.stage({ reading, page, listPath, rows: 1, body, examined })
  const readAt = toIso(Date.now())
  const { counts } = await windows.commit({
    reading,
    store,
    stream,
    window: { start: readAt, end: readAt },
    status: 'proven',
    byId: true,
    evidence: {},
    superseded: {},
    since,
    fetched: pages.length,
    findings: [],
    readAt,
  })
  return counts
}
