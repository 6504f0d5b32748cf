import type { AskedDays } from '../calendar/day-interpretations.ts'
import { COUNTER } from '../connectors/answer/places.ts'
import type { Place, Places } from '../connectors/answer/places.ts'
import { grown } from '../connectors/answer/walk-answer.ts'
import type { Walked } from '../connectors/answer/walk-answer.ts'
import type { KnownFact } from '../connectors/destination/behaviours.ts'
import type { PageToStage } from '../connectors/destination/windows.ts'
import type { FindingCode } from '../connectors/findings.ts'
import { pageBytes } from '../connectors/partner/read-page.ts'
import type { Page } from '../connectors/partner/read-page.ts'
import type { SeenRow } from '../connectors/partner/read-rows.ts'
import { emptyShape } from '../connectors/shape.ts'
import type { Kind, Shape } from '../connectors/shape.ts'
import type { Stream } from '../connectors/stream.ts'
import type { ListContext } from './context.ts'
import type { PassUnderWay } from './paginate.ts'
import type { Pass, Verdict } from './prove.ts'
import { startUse } from './window-limits.ts'
import type { WindowUse } from './window-limits.ts'

/** What the proof says in the end. */
export type FinalVerdict = Exclude<Verdict, { status: 'again' }>

/**
 * What was read of one window so far. It survives a failed attempt, so the next one asks only for
 * what is missing.
 */
export interface Reading {
  /** By `performance.now()`: of several, the requests of the first go first. */
  begunMs: number
  /** Under this its pages are staged; no two readings share one, not even of the same window. */
  id: string
  /** The calendar days that its passes ask for, of an endpoint that takes such. */
  asked: AskedDays | undefined
  /** The reading that was committed last before its first page was asked for. */
  since: number | undefined
  passes: Pass[]
  current: PassUnderWay | undefined
  /** The rows of each staged page, in the order in which pages arrived. */
  staged: (readonly SeenRow[])[]
  /** Pages that are on their way, and why the first that could not be kept was not. */
  keeping: { pending: Set<Promise<void>>; failure: unknown }
  requests: number
  /** Of the current pass; and how long earlier attempts have lasted. */
  use: WindowUse
  earlierMs: number
  /** How its pages came; none may come in another one. */
  envelope: string | undefined
  /** A page named the next by a cursor. */
  hasCursor: boolean
  /** Rows that the pages of the current pass are asked for; none: what the API documents. */
  limit: number | undefined
  /** Detail by code. */
  findings: Map<FindingCode, string>
  /** What it learned of the list, to be kept for the next run. */
  facts: Pick<KnownFact, 'name' | 'value' | 'evidence'>[]
  /** Rows that the server can only have listed by their `modified`. */
  byModifiedAlone: number
  /** Fields and kinds of all records that came. */
  watch: ShapeWatch
  /** Attempts in which the API failed when it was asked for single records. */
  failedLookups: number
  /** Of a stream that has one list for each value of its parent: what was judged already. */
  lists: Map<string, FinalVerdict>
}

export const startReading = (id: string): Reading => ({
  begunMs: performance.now(),
  id,
  asked: undefined,
  since: undefined,
  passes: [],
  current: undefined,
  staged: [],
  keeping: { pending: new Set(), failure: undefined },
  requests: 0,
  use: startUse(),
  earlierMs: 0,
  envelope: undefined,
  hasCursor: false,
  limit: undefined,
  findings: new Map(),
  facts: [],
  byModifiedAlone: 0,
  watch: startWatch(),
  failedLookups: 0,
  lists: new Map(),
})

/**
 * Hands a page over, and waits only where too much is under way. Its rows count once it is kept: a
 * full disk must not leave rows behind that are in no table. Throws where an earlier page could not
 * be kept: then the reading is to be given up, since its passes have counted that page.
 */
export async function handOverPage(
  { keepPage, backPressure }: Pick<ListContext, 'keepPage' | 'backPressure'>,
  reading: Reading,
  page: Page,
): Promise<void> {
  const { keeping, staged } = reading
  const number = staged.push([]) - 1
  const bytes = pageBytes(page)
  await backPressure?.admit(bytes)
  const kept = (async () => {
    try {
      if (keeping.failure === undefined) {
        await keepPage(page, number)
        staged[number] = page.rows
      }
    } catch (error) {
      keeping.failure ??= error
    } finally {
      backPressure?.release(bytes)
    }
  })()
  keeping.pending.add(kept)
  void kept.then(() => keeping.pending.delete(kept))
  if (keeping.failure !== undefined) throw keeping.failure
}

/** A page as the destination takes it. */
export function pageToStage(reading: string, page: Page, number: number): PageToStage {
  const { rows, text: body, unfit } = page
  return { reading, page: number, rows: rows.length, body, unfit }
}

/** Waits until nothing of a reading is under way; answers why a page could not be kept. */
export async function settlePages({ keeping }: Reading): Promise<unknown> {
  while (keeping.pending.size > 0) await Promise.all(keeping.pending)
  return keeping.failure
}

/** Waits until every page is kept. No pass is judged, and nothing committed, before that. */
export async function awaitPages(reading: Reading): Promise<void> {
  const failure = await settlePages(reading)
  if (failure !== undefined) throw failure
}

/**
 * The rows of the pass that proved the list. Where a stream has many lists, each was proven by some
 * of them: all count.
 */
export const provingRows = (reading: Reading, { parent }: Stream): SeenRow[] =>
  parent === undefined
    ? reading.passes.at(-1)!.pages.flatMap(({ rows }) => rows)
    : reading.staged.flat()

/** Rows of a reading of which another copy counts, as positions by page; and how many rows came. */
export interface Superseded {
  superseded: Record<number, number[]>
  rows: number
}

/**
 * Of several copies of a record the newest `modified` counts, at equal times what was read last.
 */
export function supersededRows(
  staged: readonly (readonly Pick<SeenRow, 'id' | 'modified'>[])[],
): Superseded {
  const newest = new Map<string, { page: number; position: number; modified: number }>()
  const superseded: Record<number, number[]> = {}
  let rows = 0
  staged.forEach((page, number) => {
    page.forEach(({ id, modified }, position) => {
      rows++
      const row = { page: number, position, modified: modified ?? 0 }
      const other = newest.get(id)
      const isOlder = other !== undefined && other.modified > row.modified
      const replaced = isOlder ? row : other
      if (replaced !== undefined) (superseded[replaced.page] ??= []).push(replaced.position)
      if (!isOlder) newest.set(id, row)
    })
  })
  return { superseded, rows }
}

/** Which list of an endpoint: most have one. */
export interface ListAddress {
  path: string
  query: Readonly<Record<string, string>>
}

/** One request for a page, counted with those of the reading; windows begun earlier go first. */
export function requestPage(
  { endpoint, wire, signal }: ListContext,
  reading: Reading,
  list: ListAddress,
  { offset, limit }: { offset: number; limit: number },
): Promise<Buffer> {
  const { stream, client, offsetParameter } = endpoint
  const query = { ...wire.query, [offsetParameter]: String(offset), limit: String(limit) }
  return endpoint.send(reading.begunMs, () => {
    reading.requests++
    const redacted = { path: stream.path, query }
    return client.get(list.path, { ...list.query, ...query }, signal, redacted)
  })
}

/**
 * Which fields and kinds the records of a reading have had so far: the sum of what walks counted.
 */
export interface ShapeWatch {
  /** Undefined before the first answer. */
  places: Places | undefined
  counts: Int32Array
  /** By counter: the key of the first record. */
  firsts: Map<number, string>
}

export const startWatch = (): ShapeWatch => ({
  places: undefined,
  counts: new Int32Array(0),
  firsts: new Map(),
})

/** Adds the records of one answer, whose keys these are, by position. */
export function watchAnswer(
  watch: ShapeWatch,
  { places, counts, firsts }: Walked,
  keyOf: (position: number) => string,
): void {
  watch.places = places
  if (counts.length > watch.counts.length) watch.counts = grown(watch.counts, counts.length)
  for (let counter = 0; counter < counts.length; counter++) {
    const count = counts[counter]!
    if (count === 0) continue
    if (watch.counts[counter] === 0 && firsts[counter]! >= 0)
      watch.firsts.set(counter, keyOf(firsts[counter]!))
    watch.counts[counter]! += count
  }
}

/** What was seen so far, as one shape. */
export const watchedShape = (watch: ShapeWatch): Shape =>
  watch.places === undefined ? emptyShape() : shapeOf(watch, watch.places.record)

const KIND_COUNTERS: readonly (readonly [Kind, number])[] = (
  ['text', 'number', 'boolean', 'list', 'object'] as const
).map(kind => [kind, COUNTER[kind]])

function shapeOf(watch: ShapeWatch, place: Place): Shape {
  const countOf = (at: Place, counter: number): number => watch.counts[at.slot + counter] ?? 0
  const shape = emptyShape()
  shape.count = countOf(place, COUNTER.filled)
  shape.objects = countOf(place, COUNTER.object)
  for (const [kind, counter] of KIND_COUNTERS)
    if (countOf(place, counter) > 0) shape.kinds[kind] = watch.firsts.get(place.slot + counter)!
  for (const [name, field] of place.fields)
    if (countOf(field, COUNTER.filled) > 0) shape.fields[name] = shapeOf(watch, field)
  if (place.items !== undefined && countOf(place.items, COUNTER.filled) > 0)
    shape.items = shapeOf(watch, place.items)
  return shape
}
