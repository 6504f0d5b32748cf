/**
 * What was seen -> proven, read again, or unproven. Pure. The rules come from random simulation of
 * moving lists: with each of them, millions of schedules of inserts, edits and deletes between
 * requests gave no accepted pass that missed a row which was there throughout (INV-1).
 */
import type { FindingCode } from '../connectors/findings.ts'
import type { SeenRow } from '../connectors/partner/read-rows.ts'
import { orderOf } from '../connectors/partner/read-rows.ts'

export interface SeenPage {
  offset: number
  rows: readonly SeenRow[]
  total: number | null
}

/** Why a pass could not be read to its end. */
export type Trouble = Extract<FindingCode, 'offset_ignored' | 'empty_page' | 'repeated_ids'>

/** One reading of the list from its first row to its last, closing look included. */
export interface Pass {
  pages: readonly SeenPage[]
  /** Rows asked for with each page. */
  limit: number
  /**
   * The documentation says that the list comes whole, so a server that knows no pages need not
   * count it either.
   */
  complete?: boolean
  /**
   * Records have no id, and fields stand in for one: two that agree in those would become one row.
   */
  withoutIds?: boolean
  trouble: Trouble | undefined
}

export type Reason =
  | Trouble
  | Extract<FindingCode, 'total_above_rows' | 'outside_window'>
  /** The list did not stand still long enough: no finding, for nothing is wrong with the API. */
  | 'moving'

export type Verdict =
  | { status: 'proven'; by: ProofRule | `each of ${string}`; findings: readonly FindingCode[] }
  | { status: 'again' }
  | { status: 'unproven'; reason: Reason; findings: readonly FindingCode[] }

export type ProofRule =
  | 'one pass, total and seams'
  | 'two passes and total'
  | 'two passes and seams'
  | 'three passes and seams'
  | 'two equal lists and total'
  | 'two whole answers and total'
  | 'two whole answers'

/** A list that still moves after so many passes is cut into smaller windows, or stays unproven. */
export const MAX_PASSES = 5

/** A pass put together: its rows by rank, and what its pages say of each other. */
export interface PassFacts {
  list: readonly SeenRow[]
  byId: ReadonlyMap<string, number | null>
  /** Every rank from the first row to the tail was seen. */
  whole: boolean
  /** Neighbouring pages overlap, and agree where they do. */
  seams: boolean
  /**
   * Only the last page is shorter than the others. Where pages are short at random, a short one
   * does not show the end.
   */
  even: boolean
  totals: ReadonlySet<number>
  order: string | undefined
}

/** Neighbouring pages must share a row; more where short pages made them overlap further. */
export function joinPages(pass: Pass): PassFacts {
  const pages = [...pass.pages].sort((a, b) => a.offset - b.offset)
  const list: SeenRow[] = []
  const seamRanks: number[] = []
  let whole = pass.trouble === undefined
  let seams = true
  for (const [index, page] of pages.entries()) {
    if (page.rows.length === 0) {
      // Empty beyond the tail says nothing; empty where a row was seen says that the list moved.
      if (index > 0 && page.offset < list.length) seams = false
      continue
    }
    if (page.offset > list.length) whole = false
    if (page.offset > 0) {
      if (page.offset >= list.length) seams = false
      seamRanks.push(page.offset)
    }
    page.rows.forEach((row, index) => {
      const rank = page.offset + index
      const known = list[rank]
      if (known === undefined) list[rank] = row
      else if (known.id !== row.id || known.modified !== row.modified) seams = false
    })
  }
  const longest = Math.max(0, ...pages.map(page => page.rows.length))
  const even = pages.every(
    ({ offset, rows }) =>
      rows.length === 0 || rows.length === longest || offset + rows.length === list.length,
  )
  const totals = new Set(pages.flatMap(page => (page.total === null ? [] : [page.total])))
  return {
    list,
    byId: new Map(list.filter(row => row !== undefined).map(row => [row.id, row.modified])),
    whole,
    seams,
    even,
    totals,
    order: whole ? orderOf(list, seamRanks) : undefined,
  }
}

/** Judges the passes read so far, the newest last. */
export function judge(passes: readonly Pass[]): Verdict {
  const facts = passes.slice(-3).map(joinPages)
  const [pass, last] = [passes.at(-1), facts.at(-1)]
  if (pass === undefined || last === undefined) return { status: 'again' }
  const wholeAnswers = pass.trouble === 'offset_ignored' && repeatsWholeList(pass)
  const refused = refuse(passes, last, wholeAnswers)
  if (refused !== undefined) return refused
  return wholeAnswers ? acceptWholeAnswers(pass) : weigh(passes, facts)
}

/** What makes a list unproven, or worth another pass, even where totals and seams are right. */
function refuse(
  passes: readonly Pass[],
  last: PassFacts,
  wholeAnswers: boolean,
): Verdict | undefined {
  const { trouble, withoutIds, pages } = passes.at(-1)!
  if (trouble === 'offset_ignored' && isSteady(passes) && !wholeAnswers)
    return unproven(trouble, last)
  // A row from outside the asked dates means that we do not know what the server filtered by
  // (INV-4).
  if (last.list.some(row => row !== undefined && !row.inside))
    return unproven('outside_window', last)
  // What comes twice under an id is one record; under fields that only stand in for one, it may be
  // two.
  const comesTwice = wholeAnswers ? repeatsWithin(pages[0]!.rows) : repeats(last)
  if (withoutIds !== true || !comesTwice) return undefined
  return passes.length < 2 ? { status: 'again' } : unproven('repeated_ids', last)
}

/**
 * A list that moves can look like any trouble once. Only what two passes in a row show alike is the
 * server's doing.
 */
const isSteady = (passes: readonly Pass[]): boolean =>
  passes.at(-1)?.trouble !== undefined && passes.at(-2)?.trouble === passes.at(-1)?.trouble

const acceptWholeAnswers = (pass: Pass): Verdict =>
  pass.complete === true
    ? { status: 'proven', by: 'two whole answers', findings: [] }
    : { status: 'proven', by: 'two whole answers and total', findings: ['offset_ignored'] }

function weigh(passes: readonly Pass[], facts: readonly PassFacts[]): Verdict {
  const last = facts.at(-1)!
  const { complete, trouble } = passes.at(-1)!
  const rule = provenBy(facts)
  if (rule !== undefined) {
    // A list that the documentation shows whole needs no total.
    const isExpected = (code: FindingCode): boolean => code === 'total_missing' && complete === true
    const findings = totalFindings(last).filter(code => !isExpected(code))
    return { status: 'proven', by: rule, findings }
  }
  if (hidesRows(facts)) return unproven('total_above_rows', last)
  if (passes.length < MAX_PASSES) return { status: 'again' }
  if (isSteady(passes)) return unproven(trouble!, last)
  return unproven(repeatsAlike(facts) ? 'repeated_ids' : 'moving', last)
}

function provenBy(facts: readonly PassFacts[]): ProofRule | undefined {
  const [beforeThat, before, last] = [facts.at(-3), facts.at(-2), facts.at(-1)!]
  if (!last.whole) return undefined
  if (last.seams && last.order !== undefined && exactTotal(last) && !collapsed(facts))
    return 'one pass, total and seams'
  if (before === undefined || !before.whole || !sameRows(before, last)) return undefined
  return provenByTotal(before, last) ?? provenBySeams(beforeThat, before, last)
}

/** Two whole passes with the same rows, whose total says that these are all. */
function provenByTotal(before: PassFacts, last: PassFacts): ProofRule | undefined {
  if (exactTotal(before) && exactTotal(last)) return 'two passes and total'
  const countsAll = countsRanks(before) && countsRanks(last)
  if (!repeats(last) || !before.seams || !last.seams || !countsAll) return undefined
  return sameLists(before, last) ? 'two equal lists and total' : undefined
}

/**
 * Two whole passes with the same rows, whose total is missing or wrong. One that stays above what
 * can be read may hide rows, so it is never ignored.
 */
function provenBySeams(
  beforeThat: PassFacts | undefined,
  before: PassFacts,
  last: PassFacts,
): ProofRule | undefined {
  if (totalAbove(last) || repeats(last)) return undefined
  if (![before, last].every(isSmooth)) return undefined
  if ([before, last].every(isOrdered)) return 'two passes and seams'
  const thirdAgrees = beforeThat?.whole === true && beforeThat.seams && sameRows(beforeThat, before)
  return thirdAgrees ? 'three passes and seams' : undefined
}

const isOrdered = (facts: PassFacts): boolean => facts.order !== undefined

/** Its pages agree where they overlap, and a short one can only be the last. */
const isSmooth = (facts: PassFacts): boolean => facts.seams && facts.even

/**
 * A server that knows no offset answered the same list each time: fewer rows than asked for, and as
 * many as its total if it gives one. Just as many as were asked for may be the first of more; of a
 * list that comes whole, more than that are what a server answers that knows no limit either.
 */
export const repeatsWholeList = ({ pages, limit, complete }: Pass): boolean =>
  pages.every(
    page =>
      (page.rows.length < limit || (complete === true && page.rows.length > limit)) &&
      (page.total === page.rows.length || (complete === true && page.total === null)) &&
      page.rows.every(
        (row, rank) =>
          row.id === pages[0]!.rows[rank]?.id && row.modified === pages[0]!.rows[rank]?.modified,
      ),
  )

/** The rows of a pass by which a list is proven, as the list shows them. */
export const rowsOfPass = (pass: Pass): readonly SeenRow[] =>
  pass.trouble === 'offset_ignored' ? pass.pages[0]!.rows : joinPages(pass).list

const onlyTotal = (facts: PassFacts): number | undefined =>
  facts.totals.size === 1 ? [...facts.totals][0] : undefined
const exactTotal = (facts: PassFacts): boolean =>
  onlyTotal(facts) === facts.byId.size && !repeats(facts)
const countsRanks = (facts: PassFacts): boolean => onlyTotal(facts) === facts.list.length
const repeats = (facts: PassFacts): boolean => facts.byId.size < facts.list.length
const repeatsWithin = (rows: readonly SeenRow[]): boolean =>
  new Set(rows.map(({ id }) => id)).size < rows.length
const totalAbove = (facts: PassFacts): boolean =>
  facts.totals.size > 0 && Math.min(...facts.totals) > facts.byId.size

const sameRows = (a: PassFacts, b: PassFacts): boolean =>
  a.byId.size === b.byId.size &&
  [...a.byId].every(([id, modified]) => b.byId.get(id) === modified && b.byId.has(id))
const sameLists = (a: PassFacts, b: PassFacts): boolean =>
  a.list.length === b.list.length &&
  a.list.every(
    (row, rank) => row.id === b.list[rank]!.id && row.modified === b.list[rank]!.modified,
  )

/**
 * The list has lost half of its rows since an earlier pass: that is more likely a failing server
 * than so many moves, so one pass is not enough.
 */
const collapsed = (facts: readonly PassFacts[]): boolean =>
  facts.slice(0, -1).some(earlier => facts.at(-1)!.byId.size * 2 < earlier.byId.size)

/** The last two passes, where both are whole. */
function lastTwo(facts: readonly PassFacts[]): [before: PassFacts, last: PassFacts] | undefined {
  const [before, last] = [facts.at(-2), facts.at(-1)]
  if (before === undefined || last === undefined) return undefined
  return before.whole && last.whole ? [before, last] : undefined
}

/** Two whole passes agree on the rows, and one and the same total still promises more. */
function hidesRows(facts: readonly PassFacts[]): boolean {
  const two = lastTwo(facts)
  if (two === undefined) return false
  const [before, last] = two
  const sameTotal = onlyTotal(before) !== undefined && onlyTotal(before) === onlyTotal(last)
  return sameTotal && totalAbove(last) && !repeats(last) && sameRows(before, last)
}

/** Two whole passes show the same list, with the same rows twice. */
function repeatsAlike(facts: readonly PassFacts[]): boolean {
  const two = lastTwo(facts)
  return two !== undefined && repeats(two[1]) && sameLists(...two)
}

function totalFindings(facts: PassFacts): FindingCode[] {
  const found: FindingCode[] = []
  if (facts.totals.size === 0) found.push('total_missing')
  else if (facts.totals.size > 1) found.push('total_moves')
  else if (onlyTotal(facts) !== facts.list.length) found.push('total_wrong')
  if (repeats(facts)) found.push('repeated_ids')
  return found
}

function unproven(reason: Reason, facts: PassFacts): Verdict {
  return {
    status: 'unproven',
    reason,
    findings: [...new Set([...(reason === 'moving' ? [] : [reason]), ...totalFindings(facts)])],
  }
}
