/**
 * One pass over a paged list: several pages in flight, each overlapping its neighbour by a row,
 * advancing by rows received and not by rows asked for, until a closing look at the tail shows
 * nothing more.
 */
import { LONGEST_PAUSE_MS } from '../connectors/partner/pace.ts'
import { TillageError } from '../errors.ts'
import type { Pass, SeenPage, Trouble } from './prove.ts'

/**
 * A pass under way. It outlives a failed attempt: the next one asks only for what is missing, and
 * the proof judges.
 */
export interface PassUnderWay {
  pages: SeenPage[]
  /** Ranks below this one were seen without a gap, each page overlapping the one before. */
  reached: number
  /** What was seen beyond a gap, as ranks. */
  beyondHoles: { offset: number; end: number }[]
  /** Rows a full page really holds, learned from the answers. */
  cap: number
  /**
   * Without a total nothing is asked for ahead: only rows that are known to be there, since some
   * servers refuse to answer beyond the end.
   */
  knowsTotal: boolean
  /**
   * Where the list ends by its own latest word: the total, or without one the end of a page that
   * was not full.
   */
  expectedEnd: number
  /** Closing looks in a row that showed no further row. */
  closingLooks: number
  /** The server refuses offsets beyond the total, so the closing look is at the last row itself. */
  refusesBeyond: boolean
  /** Pages in a row that showed the same rows as the one before, at a higher offset. */
  repeats: number
  trouble: Trouble | undefined
  done: boolean
}

export const startPass = (): PassUnderWay => ({
  pages: [],
  reached: 0,
  beyondHoles: [],
  cap: 1,
  knowsTotal: false,
  expectedEnd: 0,
  closingLooks: 0,
  refusesBeyond: false,
  repeats: 0,
  trouble: undefined,
  done: false,
})

/**
 * Where the total is higher than the rows that the tail shows, the tail is read again this many
 * times; then the proof decides.
 */
const MAX_CLOSING_LOOKS = 3
/** A list that moves repeats a page now and then; the same page so often in a row is its last. */
const MOST_REPEATS = 4
/** Failures in a row, without any page in between, after which an attempt stops asking. */
export const MAX_FAILURES = 3

/**
 * Asks for pages until the pass is whole or cannot be finished. Throws the first failure, after the
 * requests under way have ended.
 */
export async function readPass(
  pass: PassUnderWay,
  ask: (offset: number) => Promise<SeenPage>,
  { concurrency, limit }: { concurrency: number; limit: number },
): Promise<Pass> {
  const inFlight = new Map<number, Promise<void>>()
  const failed: number[] = []
  let failure: unknown
  let failuresInARow = 0
  const land = (page: SeenPage): void => {
    failuresInARow = 0
    addPage(pass, page)
  }
  const fail = (offset: number, error: unknown): void => {
    if (isRefusedBeyond(pass, offset, error)) {
      pass.refusesBeyond = true
      return
    }
    failure ??= error
    failed.push(offset)
    failuresInARow += mayContinueAfter(error) ? 1 : MAX_FAILURES
  }
  const launch = (offset: number): void => {
    const landed = ask(offset).then(land, (error: unknown) => fail(offset, error))
    inFlight.set(
      offset,
      landed.finally(() => inFlight.delete(offset)),
    )
  }
  for (;;) {
    const asked = [...inFlight.keys(), ...failed]
    if (failuresInARow < MAX_FAILURES)
      nextOffsets(pass, asked, concurrency - inFlight.size).forEach(launch)
    if (inFlight.size === 0) break
    await Promise.race(inFlight.values())
  }
  if (failure !== undefined) throw failure
  return { pages: pass.pages, limit, trouble: pass.trouble }
}

/**
 * One page may fail while the others come; a refusal of the key is about all of them, and so is a
 * long pause. A short one is waited for by the governor, so that an attempt gets through most of
 * its pages however often it is told to slow down.
 */
export const mayContinueAfter = (error: unknown): boolean =>
  error instanceof TillageError &&
  error.recovery === 'retry' &&
  (error.retryAfterMs ?? 0) <= LONGEST_PAUSE_MS

/**
 * After a list of one row, nothing tells a full page from a short one, so the closing look is
 * beyond the end. Only where the total says so too is a refusal of that no failure.
 */
const isRefusedBeyond = (pass: PassUnderWay, offset: number, error: unknown): boolean =>
  error instanceof TillageError &&
  error.code === 'PARTNER_REFUSED' &&
  !pass.refusesBeyond &&
  pass.knowsTotal &&
  offset > 0 &&
  offset >= pass.expectedEnd

/**
 * Which offsets to ask for now, given what is asked already: page 0 first, then what is missing,
 * the closing look last.
 */
export function nextOffsets(
  pass: PassUnderWay,
  asked: readonly number[],
  concurrency: number,
): number[] {
  if (pass.done || pass.trouble !== undefined || concurrency <= 0) return []
  if (pass.pages.length === 0) return asked.length === 0 ? [0] : []
  const most = pass.knowsTotal ? concurrency : Math.max(0, 1 - asked.length)
  const offsets = missingOffsets(pass, asked, most)
  const isClosingLook = offsets.length === 0 && asked.length === 0
  return isClosingLook ? [closingOffset(pass, pass.reached)] : offsets
}

/**
 * Offsets of pages between what was seen or is asked for and where the list ends; at most so many.
 */
function missingOffsets(pass: PassUnderWay, asked: readonly number[], most: number): number[] {
  const expected = [
    ...pass.beyondHoles,
    ...asked.map(offset => ({ offset, end: offset + pass.cap })),
  ].sort((a, b) => a.offset - b.offset)
  const offsets: number[] = []
  let reached = pass.reached
  while (offsets.length < most) {
    for (const part of expected)
      if (overlaps(part.offset, reached, pass.cap)) reached = Math.max(reached, part.end)
    if (reached >= pass.expectedEnd) break
    const offset = seamAt(reached, pass.cap)
    offsets.push(offset)
    reached = offset + pass.cap
  }
  return offsets
}

/** Files a page and learns from it. */
export function addPage(pass: PassUnderWay, page: SeenPage): void {
  const [first, before, reachedBefore] = [pass.pages[0], pass.pages.at(-1), pass.reached]
  pass.pages.push(page)
  pass.cap = Math.max(pass.cap, page.rows.length)
  reachFurther(pass, page)
  pass.knowsTotal = page.total !== null
  pass.expectedEnd = page.total ?? endByRows(pass, page)
  noteRepeats(pass, page, before)
  if (pass.reached > reachedBefore || first === undefined) pass.closingLooks = 0
  else if (page.offset === closingOffset(pass, reachedBefore)) pass.closingLooks++
  decideDone(pass)
}

/** Neither is progress: the first page for each offset, or the page before for a higher one. */
function noteRepeats(pass: PassUnderWay, page: SeenPage, before: SeenPage | undefined): void {
  if (before === undefined) return
  if (repeatsFirst(pass.pages[0]!, page)) pass.trouble = 'offset_ignored'
  pass.repeats = repeatsLast(before, page) ? pass.repeats + 1 : 0
  if (pass.repeats === MOST_REPEATS) pass.trouble ??= 'repeated_ids'
}

function decideDone(pass: PassUnderWay): void {
  const isAtEnd = pass.reached >= pass.expectedEnd
  pass.done = pass.closingLooks >= (isAtEnd ? 1 : MAX_CLOSING_LOOKS)
  const leftHole = pass.beyondHoles.some(part => part.end > pass.reached)
  if (pass.done && leftHole) pass.trouble ??= 'empty_page'
}

/** Moves `reached` over everything that is seen without a gap now. */
function reachFurther(pass: PassUnderWay, { offset, rows }: SeenPage): void {
  const parts = pass.beyondHoles
  if (rows.length > 0) parts.push({ offset, end: offset + rows.length })
  parts.sort((a, b) => a.offset - b.offset)
  while (parts.length > 0 && overlaps(parts[0]!.offset, pass.reached, pass.cap))
    pass.reached = Math.max(pass.reached, parts.shift()!.end)
}

/** Where a list without a total ends, by a page of it: a full page promises another one. */
function endByRows(
  { cap, reached, expectedEnd }: PassUnderWay,
  { offset, rows }: SeenPage,
): number {
  const end = offset + rows.length
  if (rows.length === cap) return Math.max(expectedEnd, end + cap)
  return Math.max(reached, rows.length > 0 ? end : Math.min(expectedEnd, offset))
}

const repeatsFirst = (first: SeenPage, page: SeenPage): boolean =>
  page.offset > 0 && first.rows.length > 0 && sameAnswer(first, page)

/** Beyond the end some servers answer the last page again, for ever. */
const repeatsLast = (before: SeenPage, page: SeenPage): boolean =>
  page.offset > before.offset && page.rows.length > 1 && sameAnswer(before, page)

/** Neighbours share one row, except where a page holds a single row. */
const seamAt = (reached: number, cap: number): number =>
  cap > 1 ? Math.max(0, reached - 1) : reached
const closingOffset = ({ cap, refusesBeyond }: PassUnderWay, reached: number): number =>
  refusesBeyond ? Math.max(0, reached - 1) : seamAt(reached, cap)
const overlaps = (offset: number, reached: number, cap: number): boolean =>
  offset === 0 || offset < reached || (cap <= 1 && offset === reached)

/**
 * With another total it is the list that moved: a new row pushes the only one behind, which is no
 * ignored offset.
 */
const sameAnswer = (a: SeenPage, b: SeenPage): boolean =>
  a.total === b.total &&
  a.rows.length === b.rows.length &&
  a.rows.every(
    (row, index) => row.id === b.rows[index]!.id && row.modified === b.rows[index]!.modified,
  )
