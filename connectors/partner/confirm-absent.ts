/**
 * Absence from a proven reading is not yet a delete: an edit may have moved the record to a later
 * `modified`, out of the window. What proves it is the API's word on the record itself, or a search
 * of everywhere that it could have moved to (INV-5).
 */
import { DAY_MS } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/interval.ts'
import { tile, wireRange } from '../../calendar/windows.ts'
import { TillageError } from '../../errors.ts'
import { lookUp } from './look-up.ts'
import type { Page } from './read-page.ts'
import { readWindow, startReading } from './read-window.ts'
import type { Endpoint } from './read-window.ts'

export interface Absence {
  /** Gone from the API for certain. */
  gone: string[]
  /**
   * Rows that are there, as the API has them now, and whether it says of them that they are
   * deleted.
   */
  found: { page: Page; deleted: boolean }[]
  /** Rows that the list itself showed, a moment later: their `modified`. */
  listed: (number | null)[]
  /** Nothing proves that they are gone; they stay as they are. */
  unclear: string[]
}

/**
 * What lookups say; undefined where they prove nothing on this API: the control, a record that is
 * there, must be found before and after. Throws what may succeed when it is tried again.
 */
export async function confirmByLookup(
  endpoint: Endpoint,
  ids: readonly string[],
  control: string | undefined,
  signal: AbortSignal,
): Promise<Absence | undefined> {
  const controlIsFound = async (): Promise<boolean> =>
    control !== undefined && (await lookUp(endpoint, control, signal)).kind === 'record'
  if (endpoint.stream.lookup === undefined || !(await controlIsFound())) return undefined
  const answers = await Promise.all(
    ids.map(async id => ({ id, found: await lookUp(endpoint, id, signal) })),
  )
  if (!(await controlIsFound())) return undefined
  return {
    gone: answers.flatMap(({ id, found }) => (found.kind === 'missing' ? [id] : [])),
    found: answers.flatMap(({ found }) => (found.kind === 'record' ? [found] : [])),
    listed: [],
    unclear: answers.flatMap(({ id, found }) => (found.kind === 'unclear' ? [id] : [])),
  }
}

/**
 * More than a year of windows costs more than a tombstone is worth; a sweep or a person may look
 * again.
 */
const MAX_SEARCHED = 100

/**
 * Reads everything from `fromMs` until now, oldest first, and at last a window that reaches into
 * the future. A record only moves forward: one that is there is seen where it was, or, edited after
 * that was read, in the last window. A list that shows no row at all, here nor in the reading
 * before (`isCredible`), proves nothing. Throws what may succeed when it is tried again.
 */
export async function confirmBySearch(
  endpoint: Endpoint,
  ids: readonly string[],
  fromMs: number,
  nowMs: number,
  timeZone: string,
  isCredible: boolean,
  signal: AbortSignal,
): Promise<Absence> {
  const lastFromMs = nowMs - DAY_MS
  const family = endpoint.stream.windowing
  const windows: Interval[] = [
    ...tile({ startMs: fromMs, endMs: lastFromMs }, timeZone, family),
    ...tile({ startMs: lastFromMs, endMs: nowMs + DAY_MS }, timeZone, family),
  ]
  const unclear: Absence = { gone: [], found: [], listed: [], unclear: [...ids] }
  if (windows.length > MAX_SEARCHED) return unclear
  const missing = new Set(ids)
  const listed: (number | null)[] = []
  let sawRows = isCredible
  try {
    for (const window of windows) {
      const reading = startReading('search')
      const verdict = await readWindow(
        reading,
        endpoint,
        wireRange(window, timeZone, family),
        async () => {},
        signal,
      )
      if (verdict.status !== 'proven') return unclear
      for (const { id, modified } of reading.staged.flat()) {
        sawRows = true
        if (missing.delete(id)) listed.push(modified)
      }
      if (missing.size === 0) break
    }
  } catch (error) {
    if (error instanceof TillageError && error.recovery === 'park') return unclear
    throw error
  }
  return sawRows ? { gone: [...missing], found: [], listed, unclear: [] } : unclear
}
