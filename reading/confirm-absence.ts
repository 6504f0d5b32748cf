/**
 * Absence from a proven reading is not yet a delete: an edit may have moved the record to a later
 * `modified`, out of the window. What proves it is the API's word on the record itself, or a search
 * of everywhere that it could have moved to (INV-5).
 */
import { DAY_MS } from '../calendar/days.ts'
import type { Interval } from '../calendar/days.ts'
import { tile, wireRange } from '../calendar/windows.ts'
import type { Endpoint } from '../connectors/partner/endpoint.ts'
import { lookUp } from '../connectors/partner/look-up.ts'
import type { Page } from '../connectors/partner/read-page.ts'
import { TillageError } from '../errors.ts'
import type { ReadContext } from './context.ts'
import { readWindow } from './read-window.ts'
import { startReading } from './reading.ts'

/** What the API says of rows that a list does not show any more. */
export interface Answers {
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

export const NO_ANSWERS: Answers = { gone: [], found: [], listed: [], unclear: [] }

/**
 * What lookups say; undefined where they prove nothing on this API: the control, a record that is
 * there, must be found before and after. Throws what may succeed when it is tried again.
 */
export async function confirmByLookup(
  endpoint: Endpoint,
  ids: readonly string[],
  control: string | undefined,
  signal: AbortSignal,
): Promise<Answers | undefined> {
  const controlIsFound = async (): Promise<boolean> =>
    control !== undefined && (await lookUp(endpoint, control, signal)).kind === 'record'
  if (endpoint.stream.lookup === undefined || !(await controlIsFound())) return undefined
  const answers = await Promise.all(
    ids.map(async id => ({ id, answer: await lookUp(endpoint, id, signal) })),
  )
  if (!(await controlIsFound())) return undefined
  const idsOf = (kind: 'missing' | 'unclear'): string[] =>
    answers.filter(({ answer }) => answer.kind === kind).map(({ id }) => id)
  return {
    gone: idsOf('missing'),
    found: answers.flatMap(({ answer }) => (answer.kind === 'record' ? [answer] : [])),
    listed: [],
    unclear: idsOf('unclear'),
  }
}

/** Everything from an instant until now, oldest first, and at last a window into the future. */
function windowsSince(fromMs: number, { stream, timeZone, now }: ReadContext): Interval[] {
  const [nowMs, lastFromMs] = [now(), now() - DAY_MS]
  return [
    ...tile({ startMs: fromMs, endMs: lastFromMs }, timeZone, stream.windowing),
    ...tile({ startMs: lastFromMs, endMs: nowMs + DAY_MS }, timeZone, stream.windowing),
  ]
}

/**
 * Searches all windows from an instant on. A record only moves forward: one that is there is seen
 * where it was, or, edited after that was read, in the last window. A list that shows no row at
 * all, neither here nor in the reading before (`isCredible`), proves nothing.
 * Throws what may succeed when it is tried again.
 */
export async function confirmBySearch(
  context: ReadContext,
  ids: readonly string[],
  { fromMs, isCredible, mostWindows }: { fromMs: number; isCredible: boolean; mostWindows: number },
): Promise<Answers> {
  const unclear: Answers = { ...NO_ANSWERS, unclear: [...ids] }
  const windows = windowsSince(fromMs, context)
  if (windows.length > mostWindows) return unclear
  const missing = new Set(ids)
  const listed: (number | null)[] = []
  let sawRows = isCredible
  for (const window of windows) {
    const rows = await searchWindow(context, window)
    if (rows === undefined) return unclear
    sawRows ||= rows.length > 0
    for (const { id, modified } of rows) if (missing.delete(id)) listed.push(modified)
    if (missing.size === 0) break
  }
  return sawRows ? { ...NO_ANSWERS, gone: [...missing], listed } : unclear
}

/** All rows that a window shows; undefined where the API refuses it, or it cannot be proven. */
async function searchWindow(
  context: ReadContext,
  window: Interval,
): Promise<{ id: string; modified: number | null }[] | undefined> {
  const wire = wireRange(window, context.timeZone, context.stream.windowing)
  const reading = startReading('search')
  try {
    // What a search sees is looked at and not kept.
    const verdict = await readWindow({ ...context, wire, keepPage: async () => {} }, reading)
    return verdict.status === 'proven' ? reading.staged.flat() : undefined
  } catch (error) {
    if (error instanceof TillageError && error.recovery === 'park') return undefined
    throw error
  }
}
