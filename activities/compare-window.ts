import { randomUUID } from 'node:crypto'
import { dayOf } from '../calendar/clock.ts'
import { addDays, fromIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/days.ts'
import { wireRange } from '../calendar/windows.ts'
import { recordTexts } from '../connectors/answer/judge-records.ts'
import type { DifferentRow, KnownRow } from '../connectors/destination/rows.ts'
import type { ReadContext } from '../reading/context.ts'
import { rowsOfLists } from '../reading/deletions.ts'
import { readLists } from '../reading/read-window.ts'
import { startReading } from '../reading/reading.ts'
import type { Reading } from '../reading/reading.ts'
import type { SampledWindow } from './choose-sample.ts'
import type { Dependencies } from './dependencies.ts'

export interface CompareInput extends SampledWindow {
  store: string
  timeZone: string
  /** Repair what needs no reading, and prepare the rest for the reading that follows. */
  heal: boolean
}

/** What a comparison says: counts, no ids (INV-10). */
export interface Compared {
  stream: string
  compared: number
  /** Rows that are not what the API has, though it has not changed them since. */
  mismatched: number
  /** Rows that the API has changed, or does not have any more, since they were read. */
  changed: number
}

export interface Comparison extends Compared {
  /** Store days to read again, `to` exclusive. */
  again: { from: string; to: string } | undefined
}

/**
 * Reads a window from the API once more, beside everything that is stored, and compares row by row.
 */
export async function compareWindow(
  dependencies: Dependencies,
  input: CompareInput,
  signal: AbortSignal,
): Promise<Comparison> {
  const different = new Map<string, DifferentRow>()
  const context = contextOf(dependencies, input, signal, different)
  const { store, stream, window, destination } = context
  const expected = await destination.rows.expected(store, stream, window)
  const reading = startReading(randomUUID())
  const { status } = await readLists(context, reading)
  const absent = status === 'proven' ? countAbsent(context, reading, expected) : 0
  const found = [...different.values()]
  const wrong = found.filter(({ difference }) => difference !== 'changed')
  if (input.heal && wrong.length > 0) await destination.rows.repair(store, stream, found)
  // Neighbours come along on the wire; a row counts in the one window that it was modified in, or a
  // sum would count it twice.
  const counts = ({ modified }: { modified: number | null }): boolean =>
    stream.windowing === 'full-refresh' ||
    (modified !== null && modified >= window.startMs && modified < window.endMs)
  const compared = reading.staged.flat().filter(counts)
  const changed = found.filter(({ difference }) => difference === 'changed')
  return {
    stream: stream.name,
    compared: new Set(compared.map(({ id }) => id)).size,
    mismatched: wrong.filter(counts).length,
    changed: changed.filter(counts).length + absent,
    again: daysOf(found, absent, window, input.timeZone),
  }
}

/** A reading whose pages are compared instead of kept. */
function contextOf(
  { destination, backPressure, now, store: storeOf, stream: streamOf }: Dependencies,
  { store, stream: name, window: asked, readAt, timeZone }: CompareInput,
  signal: AbortSignal,
  different: Map<string, DifferentRow>,
): ReadContext {
  const stream = streamOf(name)
  const window = { startMs: fromIso(asked.start), endMs: fromIso(asked.end) }
  const readAtMs = fromIso(readAt)
  return {
    store,
    stream,
    endpoint: storeOf(store).endpoint(stream),
    window,
    timeZone,
    wire: wireRange(window, timeZone, stream.windowing),
    destination,
    backPressure,
    signal,
    now,
    async keepPage(page) {
      const records = recordTexts(stream, page)
      const toCompare = { records, readAtMs, fields: 'all' } as const
      for (const row of await destination.rows.compare(store, stream, toCompare))
        different.set(row.id, row)
    },
  }
}

function countAbsent(
  { stream }: ReadContext,
  { staged, lists }: Reading,
  expected: readonly KnownRow[],
): number {
  const shown = new Set(staged.flat().map(({ id }) => id))
  return rowsOfLists(stream, expected, lists).filter(({ id }) => !shown.has(id)).length
}

/** The window's own days, and those of rows that came along from its neighbours. */
function daysOf(
  found: readonly DifferentRow[],
  absent: number,
  interval: Interval,
  timeZone: string,
): Comparison['again'] {
  if (found.length === 0 && absent === 0) return undefined
  const times = found.flatMap(({ modified }) => (modified === null ? [] : [modified]))
  const days = [interval.startMs, interval.endMs - 1, ...times]
    .map(ms => dayOf(ms, timeZone))
    .toSorted()
  return { from: days[0]!, to: addDays(days.at(-1)!, 1) }
}
