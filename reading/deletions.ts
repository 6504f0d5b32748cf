/**
 * The one place that decides that a record was deleted. A row of ours that a proven reading of its
 * window does not show has moved, or is gone, or the list hides it; the API's own word on the
 * record, or a search of everywhere else, tells which.
 */
import { toIso } from '../calendar/days.ts'
import type { KnownRow } from '../connectors/destination/rows.ts'
import type { FindingCode } from '../connectors/findings.ts'
import type { Page } from '../connectors/partner/read-page.ts'
import { mergeRecords } from '../connectors/store/by-id.ts'
import type { Stream } from '../connectors/stream.ts'
import { confirmByLookup, confirmBySearch, NO_ANSWERS } from './confirm-absence.ts'
import type { Answers } from './confirm-absence.ts'
import type { ReadContext } from './context.ts'
import { FILTERS_BY_ANOTHER_TIME } from './read-window.ts'
import { provingRows } from './reading.ts'
import type { Reading } from './reading.ts'

/**
 * More rows than this do not vanish between two readings; rather, the API shows less than before.
 */
const MANY = 200
/** So few missing rows may be all that the list ever held. */
const FEW = 10

/** Why a reading proves nothing after all; a finding has the same code. */
type Doubt = Extract<FindingCode, 'many_absent' | 'list_hides_rows' | 'absence_unclear'>

/**
 * A search through more than a year of windows costs too many requests; a sweep or a person may
 * look again. Of implausibly many rows, which an API that shows too little misses in each window,
 * the last weeks are searched: what moves so many does it to rows of now.
 */
const MOST_SEARCHED = 100
const FEW_SEARCHED = 8

/** What a proven reading says of rows that it does not show. */
export interface Deletions {
  /** Ids of rows that are gone from the API for certain. */
  deleted: string[]
  /** Rows that only this reading has shown, as the API has them now, elsewhere or deleted. */
  moved: Page[]
  /** Known rows are missing from the list, and they are not known to be gone. */
  doubt: Doubt | undefined
}

export const NO_DELETIONS: Deletions = { deleted: [], moved: [], doubt: undefined }

/** Rows of ours that the list does not show, and what it showed instead. */
interface Absence {
  absent: readonly KnownRow[]
  /** Rows that it should have shown: those known before, and those of its own earlier passes. */
  expected: number
  /** Of those known before. */
  known: number
  /** Ids of those that only this reading has shown, and that are in no table yet. */
  left: ReadonlySet<string>
  /** Any row that it shows. */
  shown: string | undefined
  /** The list is believed: it shows rows, or says that it is empty and has lost few. */
  isCredible: boolean
}

/**
 * Which rows of ours, expected since before the reading, are gone from the API: judged by a proven
 * reading of their window and never by another (INV-5). Rows that have moved are merged as they are
 * now. A list that does not show rows which are there, or of which nobody can say, is not proven
 * whatever its pages say of each other (INV-1), and no row is marked for it.
 */
export async function findDeletions(
  context: ReadContext,
  reading: Reading,
  expectedBefore: readonly KnownRow[],
): Promise<Deletions> {
  const absence = await findAbsent(context, reading, expectedBefore)
  if (absence === undefined) return NO_DELETIONS
  const answers = await askAbout(context, reading, absence)
  return answers === undefined || isTooMany(absence, answers, context.stream)
    ? tooMany(absence, reading)
    : decide(context, reading, absence, answers)
}

/** A database may have U+FFFD for a NUL, which no text of PostgreSQL holds. */
const asKept = (id: string): string => id.replaceAll('\0', '\uFFFD')

/** Undefined: every expected row is in the list. */
async function findAbsent(
  context: ReadContext,
  reading: Reading,
  expectedBefore: readonly KnownRow[],
): Promise<Absence | undefined> {
  const { store, stream, window, destination } = context
  const known = rowsOfLists(stream, expectedBefore, reading.lists)
  const shown = new Set(provingRows(reading, stream).map(({ id }) => id))
  const left = rowsThatLeft(context, reading, new Set([...shown, ...known.map(({ id }) => id)]))
  const shownAsKept = new Set([...shown].map(asKept))
  const missing = known.filter(({ id }) => !shownAsKept.has(asKept(id)))
  if (missing.length + left.length === 0) return undefined
  // A neighbouring window may have brought a newer state meanwhile, or found that it is gone.
  const now = await destination.rows.expected(store, stream, window)
  const still = new Set(now.map(({ id }) => id))
  const absent = [...missing.filter(({ id }) => still.has(id)), ...left]
  if (absent.length === 0) return undefined
  return {
    absent,
    expected: known.length + left.length,
    known: known.length,
    left: new Set(left.map(({ id }) => id)),
    shown: [...shown][0],
    isCredible:
      shown.size > 0 ||
      (absent.length <= FEW && left.length === 0 && saysThatItIsEmpty(reading, stream)),
  }
}

/**
 * An answer without rows and without a total may be of anything: a bare `[]` is what many servers
 * say that know nothing (INV-4). The lists that the documentation shows whole have no total.
 */
const saysThatItIsEmpty = ({ passes }: Reading, { answers }: Stream): boolean =>
  answers !== undefined || passes.some(({ pages }) => pages.some(({ total }) => total === 0))

/**
 * Those that a reading must show: of a stream that exists once for each value of its parent, rows
 * of the lists that were asked for. A list that nobody asked for says nothing of its rows (INV-5).
 */
export const rowsOfLists = (
  { parent }: Stream,
  rows: readonly KnownRow[],
  asked: { has(value: string): boolean },
): KnownRow[] =>
  rows.filter(
    ({ listedFor }) =>
      parent === undefined || (typeof listedFor === 'string' && asked.has(listedFor)),
  )

/**
 * Rows that only an earlier pass of this reading showed: they left the list while it was read. Each
 * was in the window then, so it cannot be listed anywhere before the window's start: `modified`
 * only grows.
 */
function rowsThatLeft(
  context: ReadContext,
  reading: Reading,
  others: ReadonlySet<string>,
): KnownRow[] {
  const left = reading.staged
    .flat()
    .filter(({ id, modified }) => !others.has(id) && isInside(context, modified))
  const earliestMs = context.window.startMs
  return [...new Set(left.map(({ id }) => id))].map(id => ({ id, earliestMs }))
}

const isInside = ({ stream, window }: ReadContext, modified: number | null): boolean =>
  stream.windowing === 'full-refresh' ||
  (modified !== null && modified >= window.startMs && modified < window.endMs)

/** Rows that are listed elsewhere have moved, however many: an edit in bulk moves all of them. */
function isTooMany({ known }: Absence, { gone, unclear }: Answers, { windowing }: Stream): boolean {
  const lost = gone.length + unclear.length
  return lost > MANY && (windowing !== 'full-refresh' || lost * 2 > known)
}

const tooMany = ({ absent, expected }: Absence, reading: Reading): Deletions =>
  doubtful(
    reading,
    'many_absent',
    `${absent.length} of ${expected} known rows are not in the list any more: ` +
      'implausibly many, none was marked as deleted',
  )

function doubtful(reading: Reading, doubt: Doubt, detail: string): Deletions {
  reading.findings.set(doubt, detail)
  return { ...NO_DELETIONS, doubt }
}

/**
 * Asks for each record by its id; what that leaves open is searched for. Undefined: nothing that
 * this API says can be believed.
 */
async function askAbout(
  context: ReadContext,
  reading: Reading,
  absence: Absence,
): Promise<Answers | undefined> {
  const ids = absence.absent.map(({ id }) => id)
  const byLookup = await askByLookup(context, reading, absence)
  if (context.stream.windowing === 'full-refresh')
    return byLookup ?? (absence.isCredible ? { ...NO_ANSWERS, gone: ids } : undefined)
  if (byLookup === undefined) return search(context, absence, ids)
  if (byLookup.unclear.length === 0) return byLookup
  const { gone, listed, unclear } = await search(context, absence, byLookup.unclear)
  return { gone: [...byLookup.gone, ...gone], found: byLookup.found, listed, unclear }
}

function search(
  context: ReadContext,
  { absent, isCredible }: Absence,
  ids: readonly string[],
): Promise<Answers> {
  const earliest = absent.map(({ earliestMs }) => earliestMs)
  const fromMs = Math.min(context.window.startMs, ...earliest)
  const mostWindows = ids.length > MANY ? FEW_SEARCHED : MOST_SEARCHED
  return confirmBySearch(context, ids, { fromMs, isCredible, mostWindows })
}

/** An API that fails at lookups in so many attempts may never answer them. */
const MAX_FAILED_LOOKUPS = 3

/**
 * A 429 or a lost answer says nothing of the record, so the attempt ends and the next one asks
 * again. Where lookups fail each time they prove nothing, and a search has to.
 */
async function askByLookup(
  { store, stream, endpoint, signal, destination }: ReadContext,
  reading: Reading,
  { absent, shown }: Absence,
): Promise<Answers | undefined> {
  if (absent.length > MANY || reading.failedLookups >= MAX_FAILED_LOOKUPS) return undefined
  const ids = absent.map(({ id }) => id)
  const control = shown ?? (await destination.rows.newestLiving(store, stream, ids))
  try {
    return await confirmByLookup(endpoint, ids, control, signal)
  } catch (error) {
    reading.failedLookups++
    throw error
  }
}

async function decide(
  context: ReadContext,
  reading: Reading,
  absence: Absence,
  { gone, found, listed, unclear }: Answers,
): Promise<Deletions> {
  const isNew = ({ page }: Found[number]): boolean => absence.left.has(page.rows[0]!.id)
  const moved = found.filter(one => isNew(one) && !isToBeListed(context, one)).map(pageOf)
  await keepFound(context, reading, found.filter(one => !isNew(one)).map(pageOf))
  const inList = listed.filter(modified => isInside(context, modified))
  const hidden = (await countHidden(context, found)) + inList.length
  if (hidden > 0 && (await listsByModified(context, reading, absence))) {
    const detail = `${hidden} rows exist, and the list that should hold them did not show them`
    return { ...doubtful(reading, 'list_hides_rows', detail), moved }
  }
  if (unclear.length === 0) return { deleted: gone, moved, doubt: undefined }
  const detail =
    `${unclear.length} known rows are not in the list any more, ` +
    'and nothing proves that they are gone'
  return { ...doubtful(reading, 'absence_unclear', detail), moved }
}

type Found = Answers['found']

const pageOf = ({ page }: Found[number]): Page => page

const isToBeListed = (context: ReadContext, { page, deleted }: Found[number]): boolean =>
  !deleted && isInside(context, page.rows[0]!.modified)

/** What the API says of a record is true whatever becomes of the window: it is in the tables. */
async function keepFound(
  { store, stream, window, destination }: ReadContext,
  { since }: Reading,
  pages: readonly Page[],
): Promise<void> {
  const asked = { start: toIso(window.startMs), end: toIso(window.endMs) }
  const observed = { store, stream: stream.name, since, window: asked }
  await mergeRecords(destination, observed, pages)
}

/**
 * Records that the list should show as they are. One that was edited, and is missing since then, a
 * sale that was voided say, has left a list that shows only some: the table has it as it is now.
 * One that the list has shown in this very state is hidden.
 */
async function countHidden(context: ReadContext, found: Found): Promise<number> {
  const { store, stream, destination } = context
  const ids = found.filter(one => isToBeListed(context, one)).map(({ page }) => page.rows[0]!.id)
  const left = await destination.rows.leftByEdit(store, stream, ids)
  return ids.length - left.length
}

/**
 * A row that is listed by another of its times need not be in this list; where the API was never
 * seen to do that, it must be.
 */
async function listsByModified(
  { store, stream, window, destination }: ReadContext,
  reading: Reading,
  { absent }: Absence,
): Promise<boolean> {
  if (reading.byModifiedAlone > 0 || stream.windowing === 'full-refresh') return true
  if (absent.every(({ earliestMs }) => earliestMs >= window.startMs)) return true
  if (reading.findings.has(FILTERS_BY_ANOTHER_TIME)) return false
  const found = await destination.findings.of(store, stream.name)
  return !found.some(({ code }) => code === FILTERS_BY_ANOTHER_TIME)
}
