import { randomInt } from 'node:crypto'
import { dayOf, dayStart } from '../calendar/clock.ts'
import { addDays, toIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/days.ts'
import type { LedgerRow } from '../connectors/destination/coverage.ts'
import type { Dependencies } from './dependencies.ts'
import { identifyStore } from './identify-store.ts'
import type { WindowText } from './plan-windows.ts'

export interface SampleInput {
  store: string
  streams: readonly string[]
  windows: number
  /** Of each stream whose records can be asked for by their id. */
  records: number
  /** The same seed draws the same windows and records from the same database. */
  seed?: number | undefined
}

/** A proven day of a stream, or its whole list, and when it was read. */
export interface SampledWindow {
  stream: string
  window: WindowText
  readAt: string
}

/** Records of a stream, as the numbers of their rows. */
export interface SampledRecords {
  stream: string
  rows: number[]
}

export interface Sample {
  seed: number
  timeZone: string
  windows: SampledWindow[]
  records: SampledRecords[]
  /** Out of how many windows of each stream they were drawn. */
  of: Record<string, number>
}

/**
 * Draws windows at random, each proven day of each stream with the same chance, so that a day
 * without any row is drawn as well; and single records, each living row of a stream with the same
 * chance.
 */
export async function chooseSample(
  dependencies: Dependencies,
  input: SampleInput,
  signal: AbortSignal,
): Promise<Sample> {
  const { store, streams, windows, records, seed = randomInt(2 ** 31) } = input
  const { timeZone } = await identifyStore(dependencies, { store }, signal)
  const pools = new Map<string, SampledWindow[]>()
  for (const stream of streams)
    pools.set(stream, await provenWindows(dependencies, store, stream, timeZone))
  return {
    seed,
    timeZone,
    windows: draw([...pools.values()].flat(), windows, seed),
    of: Object.fromEntries([...pools].map(([stream, pool]) => [stream, pool.length])),
    records: await drawRecords(dependencies, { store, streams, records, seed }),
  }
}

/**
 * The proven days of a stream; of a list without dates its
 * newest reading, however often it was read.
 */
async function provenWindows(
  dependencies: Dependencies,
  store: string,
  name: string,
  timeZone: string,
): Promise<SampledWindow[]> {
  const { windowing } = dependencies.stream(name)
  const rows = await dependencies.destination.ledger.windows(store, name)
  const proven = rows.filter(({ status }) => status === 'proven')
  if (windowing !== 'full-refresh')
    return proven.flatMap(row => days(row, timeZone).map(day => sampled(name, day, row)))
  const newest = proven.toSorted((a, b) => b.endMs - a.endMs).slice(0, 1)
  return newest.map(row => sampled(name, row, row))
}

function sampled(stream: string, part: Interval, { endMs, evidence }: LedgerRow): SampledWindow {
  const { readAt = toIso(endMs) } = JSON.parse(evidence) as { readAt?: string }
  return { stream, window: { start: toIso(part.startMs), end: toIso(part.endMs) }, readAt }
}

async function drawRecords(
  { destination, stream }: Dependencies,
  sample: { store: string; streams: readonly string[]; records: number; seed: number },
): Promise<SampledRecords[]> {
  if (sample.records === 0) return []
  const random = randomNumbers(sample.seed)
  const drawn: SampledRecords[] = []
  for (const declared of sample.streams.map(stream)) {
    if (declared.lookup === undefined) continue
    const count = { count: sample.records, random }
    const rows = await destination.rows.draw(sample.store, declared, count)
    if (rows.length > 0) drawn.push({ stream: declared.name, rows })
  }
  return drawn
}

/** The store's days of an interval; the first and the last may be parts of days. */
function days({ startMs, endMs }: Interval, timeZone: string): Interval[] {
  const parts: Interval[] = []
  for (let fromMs = startMs; fromMs < endMs;) {
    const tomorrow = dayStart(addDays(dayOf(fromMs, timeZone), 1), timeZone)
    const untilMs = Math.min(tomorrow, endMs)
    parts.push({ startMs: fromMs, endMs: untilMs })
    fromMs = untilMs
  }
  return parts
}

/** Numbers in [0, 1) that are the same everywhere for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Some of a list, without replacement. */
export function draw<Item>(pool: readonly Item[], count: number, seed: number): Item[] {
  const next = randomNumbers(seed)
  const left = [...pool]
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(Math.floor(next() * left.length), 1)[0]!,
  )
}
