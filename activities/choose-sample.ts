import { randomInt } from 'node:crypto'
import { dayOf, dayStart } from '../calendar/clock.ts'
import { addDays, fromIso, toIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/interval.ts'
import { readLedger } from '../connectors/sqlite/read-ledger.ts'
import { drawRows } from '../connectors/sqlite/sampled-rows.ts'
import type { Dependencies } from './dependencies.ts'
import { draw, randomNumbers } from './draw.ts'
import { identifyStore } from './identify-store.ts'
import type { WindowText } from './plan-windows.ts'

export interface SampleInput {
  store: string
  streams: readonly string[]
  windows: number
  /**
   * Of each stream whose records can be asked for by their id; none in inputs of before there was
   * this.
   */
  records?: number | undefined
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
  { store, streams, windows, records = 0, seed = randomInt(2 ** 31) }: SampleInput,
  signal: AbortSignal,
): Promise<Sample> {
  const { timeZone } = await identifyStore(dependencies, { store }, signal)
  const pool: SampledWindow[] = []
  for (const name of streams) {
    const stream = dependencies.stream(name)
    for (const { startMs, endMs, status, evidence } of await readLedger(
      dependencies.destination.db,
      store,
      name,
    )) {
      if (status !== 'proven') continue
      const readAt = (JSON.parse(evidence) as { readAt?: string }).readAt ?? toIso(endMs)
      const parts =
        stream.windowing === 'full-refresh'
          ? [{ startMs, endMs }]
          : days({ startMs, endMs }, timeZone)
      pool.push(
        ...parts.map(part => ({
          stream: name,
          window: { start: toIso(part.startMs), end: toIso(part.endMs) },
          readAt,
        })),
      )
    }
  }
  const all = newestOfWhole(pool, dependencies)
  const of = Object.fromEntries(
    streams.map(name => [name, all.filter(one => one.stream === name).length]),
  )
  return {
    seed,
    timeZone,
    windows: draw(all, windows, seed),
    of,
    records: await drawRecords(dependencies, { store, streams, records, seed }),
  }
}

async function drawRecords(
  { destination, stream }: Dependencies,
  {
    store,
    streams,
    records,
    seed,
  }: { store: string; streams: readonly string[]; records: number; seed: number },
): Promise<SampledRecords[]> {
  const random = randomNumbers(seed)
  const drawn: SampledRecords[] = []
  for (const name of streams.filter(
    candidate => records > 0 && stream(candidate).lookup !== undefined,
  ))
    drawn.push({
      stream: name,
      rows: await drawRows(destination.db, stream(name), store, records, random),
    })
  return drawn.filter(({ rows }) => rows.length > 0)
}

/** A whole list is one window, however often it was read. */
function newestOfWhole(pool: readonly SampledWindow[], { stream }: Dependencies): SampledWindow[] {
  const whole = (one: SampledWindow): boolean => stream(one.stream).windowing === 'full-refresh'
  return pool.filter(
    one =>
      !whole(one) ||
      !pool.some(
        other => other.stream === one.stream && fromIso(other.window.end) > fromIso(one.window.end),
      ),
  )
}

function days({ startMs, endMs }: Interval, timeZone: string): Interval[] {
  const parts: Interval[] = []
  for (let fromMs = startMs; fromMs < endMs;) {
    const untilMs = Math.min(dayStart(addDays(dayOf(fromMs, timeZone), 1), timeZone), endMs)
    parts.push({ startMs: fromMs, endMs: untilMs })
    fromMs = untilMs
  }
  return parts
}
