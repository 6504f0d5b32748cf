import { randomUUID } from 'node:crypto'
import { dayOf } from '../calendar/clock.ts'
import { addDays, fromIso } from '../calendar/days.ts'
import type { Interval } from '../calendar/interval.ts'
import { wireRange } from '../calendar/windows.ts'
import { startReading } from '../connectors/partner/read-window.ts'
import { compareRows, mendRows } from '../connectors/sqlite/compare-rows.ts'
import type { DifferentRow } from '../connectors/sqlite/compare-rows.ts'
import { rowsOfLists, rowsToShow } from '../connectors/sqlite/known-rows.ts'
import type { SampledWindow } from './choose-sample.ts'
import type { Dependencies } from './dependencies.ts'
import { readList } from './read-list.ts'

export interface CompareInput extends SampledWindow {
  store: string
  timeZone: string
  /** Mend what can be mended here, and prepare the rest for the reading that follows. */
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
  { store, stream: name, window, readAt, timeZone, heal }: CompareInput,
  signal: AbortSignal,
): Promise<Comparison> {
  const { destination } = dependencies
  const stream = dependencies.stream(name)
  const endpoint = dependencies.store(store).endpoint(stream)
  const interval = { startMs: fromIso(window.start), endMs: fromIso(window.end) }
  const different = new Map<string, DifferentRow>()
  // Neighbours come along on the wire; a row counts in the one window that it was modified in, or a
  // sum would count it twice.
  const counts = ({ modified }: { modified: number | null }): boolean =>
    stream.windowing === 'full-refresh' ||
    (modified !== null && modified >= interval.startMs && modified < interval.endMs)
  const known = await rowsToShow(destination.db, store, stream, interval)
  const reading = startReading(randomUUID())
  const verdict = await readList(
    dependencies,
    store,
    endpoint,
    reading,
    wireRange(interval, timeZone, stream.windowing),
    async ({ body, listPath }) => {
      for (const row of await compareRows(
        destination.db,
        stream,
        store,
        { body, listPath },
        fromIso(readAt),
      ))
        different.set(row.id, row)
    },
    signal,
  )
  const shown = new Set(reading.staged.flatMap(page => page.map(({ id }) => id)))
  const absent =
    verdict.status === 'proven'
      ? rowsOfLists(stream, known, reading.lists).filter(({ id }) => !shown.has(id)).length
      : 0
  const found = [...different.values()]
  const wrong = found.filter(({ difference }) => difference !== 'changed')
  if (heal && wrong.length > 0) await destination.executeAll(mendRows(stream, store, found))
  const compared = new Set(reading.staged.flatMap(page => page.filter(counts).map(({ id }) => id)))
  const changed =
    found.filter(({ difference }) => difference === 'changed').filter(counts).length + absent
  return {
    stream: name,
    compared: compared.size,
    mismatched: wrong.filter(counts).length,
    changed,
    again: daysOf(found, absent, interval, timeZone),
  }
}

/** The window's own days, and those of rows that came along from its neighbours. */
function daysOf(
  found: readonly DifferentRow[],
  absent: number,
  interval: Interval,
  timeZone: string,
): Comparison['again'] {
  if (found.length === 0 && absent === 0) return undefined
  const days = [
    interval.startMs,
    interval.endMs - 1,
    ...found.flatMap(({ modified }) => (modified === null ? [] : [modified])),
  ]
    .map(ms => dayOf(ms, timeZone))
    .toSorted()
  return { from: days[0]!, to: addDays(days.at(-1)!, 1) }
}
