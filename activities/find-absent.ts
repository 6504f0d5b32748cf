import type { Interval } from '../calendar/interval.ts'
import { confirmByLookup, confirmBySearch } from '../connectors/partner/confirm-absent.ts'
import type { Absence } from '../connectors/partner/confirm-absent.ts'
import type { Page } from '../connectors/partner/read-page.ts'
import { FILTERS_BY_ANOTHER_TIME } from '../connectors/partner/read-window.ts'
import type { Endpoint, Reading } from '../connectors/partner/read-window.ts'
import { otherRow, rowsOfLists, rowsToShow, wasFound } from '../connectors/sqlite/known-rows.ts'
import type { KnownRow } from '../connectors/sqlite/known-rows.ts'
import type { Stream } from '../connectors/stream.ts'
import type { Dependencies } from './dependencies.ts'

/**
 * More rows than this do not vanish between two readings; rather, the API shows less than before.
 */
const MANY = 200
/** So few rows may be all there are. */
const FEW = 10

/** What a proven reading says of rows that it does not show. */
export interface Absent {
  /** Gone from the API for certain. */
  gone: string[]
  /** Rows as the API has them now, elsewhere or said to be deleted. */
  moved: Page[]
  /**
   * Why the reading proves nothing after all: known rows are missing from it, and that they are
   * gone is not so.
   */
  doubt: 'many_absent' | 'list_hides_rows' | 'absence_unclear' | undefined
}

/**
 * Which rows of ours, known since before the reading, are gone from the API: judged by a proven
 * reading of their window and never by another (INV-5). Rows that have moved come along as they are
 * now. A list that lacks rows which are there, or of which nobody can say, is not proven whatever
 * its pages say of each other (INV-1), and no row is marked for it.
 */
export async function findAbsent(
  { destination, now }: Dependencies,
  store: string,
  endpoint: Endpoint,
  window: Interval,
  timeZone: string,
  reading: Reading,
  knownBefore: readonly KnownRow[],
  signal: AbortSignal,
): Promise<Absent> {
  const { stream } = endpoint
  const nothing: Absent = { gone: [], moved: [], doubt: undefined }
  const known = rowsOfLists(stream, knownBefore, reading.lists)
  const shown = new Set(provingPages(reading, stream).flatMap(page => page.map(({ id }) => id)))
  const left = fleeting(reading, stream, window, new Set([...shown, ...known.map(({ id }) => id)]))
  const missing = known.filter(({ id }) => !shown.has(id))
  if (missing.length + left.length === 0) return nothing
  // A neighbouring window may have brought a newer state meanwhile, or have found it gone.
  const still = new Set(
    (await rowsToShow(destination.db, store, stream, window)).map(({ id }) => id),
  )
  const absent = [...missing.filter(({ id }) => still.has(id)), ...left]
  if (absent.length === 0) return nothing
  const ids = absent.map(({ id }) => id)
  const isWhole = stream.windowing === 'full-refresh'
  const doubt = (code: NonNullable<Absent['doubt']>, detail: string): Absent => {
    reading.findings.set(code, detail)
    return { ...nothing, doubt: code }
  }
  const manyAbsent = (): Absent =>
    doubt(
      'many_absent',
      `${ids.length} of ${known.length + left.length} known rows are not in the list any more: too many to be believed, none was marked as deleted`,
    )
  if (ids.length > MANY && (!isWhole || ids.length * 2 > known.length)) return manyAbsent()
  // A list that shows nothing any more: few rows may be all there were, but not where it showed
  // some a moment ago.
  const isCredible = shown.size > 0 || (ids.length <= FEW && left.length === 0)
  const control = [...shown][0] ?? (await otherRow(destination.db, store, stream, ids))
  const byLookup =
    ids.length > MANY
      ? undefined
      : await whileLookupsWork(reading, () => confirmByLookup(endpoint, ids, control, signal))
  if (isWhole && byLookup === undefined && !isCredible) return manyAbsent()
  const unanswered = byLookup?.unclear ?? ids
  const search = (): Promise<Absence> =>
    confirmBySearch(
      endpoint,
      unanswered,
      Math.min(window.startMs, ...absent.map(({ earliestMs }) => earliestMs)),
      now(),
      timeZone,
      isCredible,
      signal,
    )
  // A whole list has no elsewhere: without lookups, what it does not show is gone.
  const fromWhole: Absence = {
    ...NOTHING,
    [byLookup === undefined ? 'gone' : 'unclear']: unanswered,
  }
  const rest = unanswered.length === 0 ? NOTHING : isWhole ? fromWhole : await search()
  const isInside = (modified: number | null): boolean =>
    isWhole || (modified !== null && modified >= window.startMs && modified < window.endMs)
  const found = byLookup?.found ?? []
  const moved = found.filter(
    ({
      deleted,
      page: {
        rows: [row],
      },
    }) => deleted || !isInside(row!.modified),
  )
  const hidden = found.length - moved.length + rest.listed.filter(isInside).length
  const settled: Absent = {
    gone: [...(byLookup?.gone ?? []), ...rest.gone],
    moved: moved.map(({ page }) => page),
    doubt: undefined,
  }
  if (hidden > 0) {
    const hides = doubt(
      'list_hides_rows',
      `${hidden} rows exist, and the list that should hold them did not show them`,
    )
    // A row that is listed by another of its times need not be in this list; where the API was
    // never seen to do that, it must be.
    const isCertain =
      reading.byModifiedAlone > 0 ||
      isWhole ||
      absent.every(({ earliestMs }) => earliestMs >= window.startMs) ||
      !(
        reading.findings.has(FILTERS_BY_ANOTHER_TIME) ||
        (await wasFound(destination.db, store, stream.name, FILTERS_BY_ANOTHER_TIME))
      )
    return isCertain ? { ...hides, moved: settled.moved } : settled
  }
  if (rest.unclear.length > 0)
    return {
      ...doubt(
        'absence_unclear',
        `${rest.unclear.length} known rows are not in the list any more, and nothing proves that they are gone`,
      ),
      moved: settled.moved,
    }
  return settled
}

/** An API that fails at lookups in so many attempts may never answer them. */
const MAX_FAILED_LOOKUPS = 3

/**
 * A 429 or a lost answer says nothing of the record, so the attempt ends and the next one asks
 * again. Where lookups fail each time they prove nothing, and a search has to.
 */
async function whileLookupsWork(
  reading: Reading,
  confirm: () => Promise<Absence | undefined>,
): Promise<Absence | undefined> {
  if (reading.failedLookups >= MAX_FAILED_LOOKUPS) return undefined
  try {
    return await confirm()
  } catch (error) {
    reading.failedLookups++
    throw error
  }
}

const NOTHING: Absence = { gone: [], found: [], listed: [], unclear: [] }

/**
 * The pages of the pass that proved the list. Where a stream has many lists, each was proven by
 * some of them: all count.
 */
const provingPages = (reading: Reading, { parent }: Stream): Reading['staged'] =>
  parent === undefined ? reading.passes.at(-1)!.pages.map(({ rows }) => rows) : reading.staged

/**
 * Rows that only an earlier pass of this reading showed: they left while it was read. Listed here
 * then, they can only have moved forward.
 */
function fleeting(
  reading: Reading,
  { windowing: family }: Stream,
  { startMs, endMs }: Interval,
  others: ReadonlySet<string>,
): KnownRow[] {
  const left = reading.staged
    .flat()
    .filter(
      ({ id, modified }) =>
        !others.has(id) &&
        (family === 'full-refresh' ||
          (modified !== null && modified >= startMs && modified < endMs)),
    )
  return [...new Set(left.map(({ id }) => id))].map(id => ({ id, earliestMs: startMs }))
}
