import { randomInt } from 'node:crypto'
import { readLedger } from '../connectors/sqlite/read-ledger.ts'
import { addDays, dayOf, dayStart, fromIso, toIso, type Interval } from '../connectors/window.ts'
import type { Dependencies } from './dependencies.ts'
import { identifyStore } from './identify-store.ts'
import type { WindowText } from './plan-windows.ts'

export interface SampleInput {
  store: string
  streams: readonly string[]
  windows: number
  /** The same seed draws the same windows from the same ledger. */
  seed?: number | undefined
}

/** A proven day of a stream, or its whole list, and when it was read. */
export interface SampledWindow {
  stream: string
  window: WindowText
  readAt: string
}

export interface Sample {
  seed: number
  timeZone: string
  windows: SampledWindow[]
}

/** Draws windows at random, each proven day of each stream with the same chance, so that a day without any row is drawn as well. */
export async function chooseSample(dependencies: Dependencies, { store, streams, windows, seed = randomInt(2 ** 31) }: SampleInput, signal: AbortSignal): Promise<Sample> {
  const { timeZone } = await identifyStore(dependencies, { store }, signal)
  const pool: SampledWindow[] = []
  for (const name of streams) {
    const stream = dependencies.stream(name)
    for (const { startMs, endMs, status, evidence } of await readLedger(dependencies.destination.db, store, name)) {
      if (status !== 'proven') continue
      const readAt = (JSON.parse(evidence) as { readAt?: string }).readAt ?? toIso(endMs)
      const parts = stream.window === 'whole' ? [{ startMs, endMs }] : days({ startMs, endMs }, timeZone)
      pool.push(...parts.map((part) => ({ stream: name, window: { start: toIso(part.startMs), end: toIso(part.endMs) }, readAt })))
    }
  }
  return { seed, timeZone, windows: draw(newestOfWhole(pool, dependencies), windows, seed) }
}

/** A whole list is one window, however often it was read. */
function newestOfWhole(pool: readonly SampledWindow[], { stream }: Dependencies): SampledWindow[] {
  const whole = (one: SampledWindow): boolean => stream(one.stream).window === 'whole'
  return pool.filter((one) => !whole(one) || !pool.some((other) => other.stream === one.stream && fromIso(other.window.end) > fromIso(one.window.end)))
}

function days({ startMs, endMs }: Interval, timeZone: string): Interval[] {
  const parts: Interval[] = []
  for (let fromMs = startMs; fromMs < endMs; ) {
    const untilMs = Math.min(dayStart(addDays(dayOf(fromMs, timeZone), 1), timeZone), endMs)
    parts.push({ startMs: fromMs, endMs: untilMs })
    fromMs = untilMs
  }
  return parts
}

/** Some of a list, without replacement, by a small generator of numbers (mulberry32) that is the same everywhere. */
export function draw<Item>(pool: readonly Item[], count: number, seed: number): Item[] {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const left = [...pool]
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(Math.floor(next() * left.length), 1)[0]!)
}
