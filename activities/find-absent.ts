import { confirmByLookup, confirmBySearch, type Absence } from '../connectors/partner/confirm-absent.ts'
import type { Endpoint, Reading } from '../connectors/partner/read-window.ts'
import { otherRow, rowsToShow, type KnownRow } from '../connectors/sqlite/known-rows.ts'
import type { Stream } from '../connectors/stream.ts'
import type { Interval } from '../connectors/window.ts'
import type { Dependencies } from './dependencies.ts'

/** More rows than this do not vanish between two readings; rather, the API shows less than before. */
const MANY = 200

/**
 * Which rows of ours, known since before the reading, are gone from the API, judged by a proven reading of their window and never by another (INV-5). Rows that
 * have moved come along as they are now. What stays open is a finding of the reading, and no row is touched for it.
 */
export async function findAbsent({ destination, now }: Dependencies, store: string, endpoint: Endpoint, window: Interval, timeZone: string, reading: Reading, knownBefore: readonly KnownRow[], signal: AbortSignal): Promise<Absence> {
  const { stream } = endpoint
  const nothing: Absence = { gone: [], moved: [], unclear: [] }
  const known = knownBefore.filter(({ listedFor }) => stream.each === undefined || (typeof listedFor === 'string' && reading.lists.has(listedFor)))
  const shown = new Set(provingPages(reading, stream).flatMap((page) => page.map(({ id }) => id)))
  const missing = [...known.filter(({ id }) => !shown.has(id)), ...fleeting(reading, stream, window, new Set([...shown, ...known.map(({ id }) => id)]))]
  if (missing.length === 0) return nothing
  // A neighbouring window may have brought a newer state meanwhile, or have found it gone.
  const still = new Set((await rowsToShow(destination.db, store, stream, window)).map(({ id }) => id))
  const wasKnown = new Set(known.map(({ id }) => id))
  const absent = missing.filter(({ id }) => still.has(id) || !wasKnown.has(id))
  if (absent.length === 0) return nothing
  const ids = absent.map(({ id }) => id)
  const isWhole = stream.window === 'whole'
  if (ids.length > MANY && (!isWhole || ids.length * 2 > known.length)) {
    reading.findings.set('many_absent', `${ids.length} of ${known.length} known rows are not in a proven list any more: too many to be believed, none was marked as deleted`)
    return nothing
  }
  const control = reading.staged.find((page) => page.length > 0)?.[0]?.id ?? (await otherRow(destination.db, store, stream, ids))
  const byLookup = ids.length > MANY ? undefined : await confirmByLookup(endpoint, ids, control, signal)
  // Where a row is listed by `modified` alone, it can only have moved forward from here; else it may be listed by any of its times.
  const fromMs = reading.byModifiedAlone > 0 ? window.endMs : Math.min(...absent.map(({ earliestMs }) => earliestMs))
  const absence = byLookup ?? (isWhole ? { ...nothing, gone: ids } : await confirmBySearch(endpoint, ids, fromMs, now(), timeZone, signal))
  if (absence.unclear.length > 0) reading.findings.set('absence_unclear', `${absence.unclear.length} known rows are not in a proven list any more, and nothing proves that they are gone`)
  const elsewhere = absence.moved.filter(({ rows: [row] }) => !isWhole && (row!.modified === null || row!.modified < window.startMs || row!.modified >= window.endMs))
  const hidden = absence.moved.length - elsewhere.length
  if (hidden > 0) reading.findings.set('list_hides_rows', `${hidden} rows exist by their id, and the list that should hold them does not show them`)
  return { ...absence, moved: elsewhere }
}

/** The pages of the pass that proved the list. Where a stream has many lists, each was proven by some of them: all count. */
const provingPages = (reading: Reading, { each }: Stream): Reading['staged'] => (each === undefined ? reading.passes.at(-1)!.pages.map(({ rows }) => rows) : reading.staged)

/** Rows that only an earlier pass of this reading showed: they left while it was read. Listed here then, they can only have moved forward. */
function fleeting(reading: Reading, { window: family }: Stream, { startMs, endMs }: Interval, others: ReadonlySet<string>): KnownRow[] {
  const left = reading.staged.flat().filter(({ id, modified }) => !others.has(id) && (family === 'whole' || (modified !== null && modified >= startMs && modified < endMs)))
  return [...new Set(left.map(({ id }) => id))].map((id) => ({ id, earliestMs: startMs }))
}
