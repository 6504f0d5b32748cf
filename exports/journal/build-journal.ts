import { amountText } from '../../money/amount.ts'
import type { Amount } from '../../money/amount.ts'
import { compareTexts } from '../../text/compare-texts.ts'
import type { Sale } from '../sales/sale.ts'
import { describeFailure, tieOut } from '../sales/tie-outs.ts'
import type { TieOut } from '../sales/tie-outs.ts'
import { quoted, WARNING_CODES } from './checks.ts'
import type { JournalException, TieOutRow } from './checks.ts'
import { addFigures, CLOSING, compareClosing } from './closing.ts'
import type { Figures } from './closing.ts'
import { addLine, linesOf, roundSale, sidesOf } from './entry.ts'
import type { JournalLine, LineSums } from './entry.ts'
import { postSale } from './post-sale.ts'
import type { Gap } from './post-sale.ts'
import type { AccountingSettings } from './settings.ts'

export interface DayJournal {
  lines: JournalLine[]
  exceptions: JournalException[]
  tieOuts: TieOutRow[]
  /** Something does not tie out or has no account: there is no journal for this store and day. */
  held: boolean
  /** What a closing report would say of the day. */
  figures: Figures
  /** What was put into suspense, debits positive. */
  suspense: Amount
  /** Lines whose cost of goods nobody knows. */
  missingCosts: number
}

export interface JournalQuestion {
  /** All transactions of the day, the excluded ones too. */
  sales: Iterable<Sale>
  settings: AccountingSettings
  /**
   * Records of the day that no table could take. The API's total, which the proof holds against the
   * rows, counts them too.
   */
  deadLetters?: number | undefined
  /** Ids of sales whose own times put them on no day of this store: they are in no journal. */
  withoutDay?: readonly string[] | undefined
  closing?: Figures | undefined
  /** Books what does not tie out on the suspense account, because somebody says so. */
  suspenseReason?: string | undefined
}

/**
 * A day's transactions to the lines of its journal, or to the reasons why there is none. Pure: the
 * same transactions in any order, or added up from any parts, give the same lines.
 */
export function buildJournal(question: JournalQuestion): DayJournal {
  const { sales, withoutDay = [] } = question
  const day = startDay(question)
  for (const sale of sales) {
    day.rows++
    if (sale.excluded === undefined) addSale(day, sale)
    else day.exceptions.push(...aboutUnknownWord(sale))
  }
  const lines = linesOf(day.lines)
  const tieOuts = tieOutsOf(day, question, lines)
  const exceptions = [
    ...day.exceptions,
    ...withoutDay.map(hasNoDay),
    ...tieOuts.flatMap(one => aboutTheDay(one, question.suspenseReason)),
  ]
  return {
    lines,
    exceptions: exceptions.sort((a, b) => compareTexts(a.transactionId, b.transactionId)),
    tieOuts,
    held:
      day.unexplained ||
      tieOuts.some(({ check, status }) => status === 'failed' && !day.checks.has(check)),
    figures: day.figures,
    suspense: day.suspense,
    missingCosts: day.costs.needed - day.costs.known,
  }
}

/** A day while its sales are added. */
interface DaySoFar {
  settings: AccountingSettings
  suspenseReason: string | undefined
  lines: LineSums
  exceptions: JournalException[]
  checks: Map<string, DaySums>
  figures: Map<string, Amount>
  costs: { needed: number; known: number }
  suspense: Amount
  unexplained: boolean
  rows: number
}

const startDay = ({ settings, suspenseReason }: JournalQuestion): DaySoFar => ({
  settings,
  suspenseReason,
  lines: new Map(),
  exceptions: [],
  checks: new Map(ALWAYS.map(check => [check, NOTHING])),
  figures: new Map(),
  costs: { needed: 0, known: 0 },
  suspense: 0n,
  unexplained: false,
  rows: 0,
})

function addSale(day: DaySoFar, sale: Sale): void {
  const checked = tieOut(sale)
  const { postings, gaps } = postSale(sale, day.settings)
  const rounded = roundSale(postings)
  const problems = problemsOf(sale, checked, gaps, rounded.residual)
  for (const one of checked) addCheck(day.checks, one)
  addFigures(day.figures, sale, rounded.lines)
  day.costs.needed += sale.items.length
  day.costs.known += sale.items.length - gaps.filter(({ code }) => code === 'COST_MISSING').length
  for (const line of rounded.lines) addLine(day.lines, line)
  day.exceptions.push(...problems)
  if (!problems.some(({ code }) => HOLDING_CODES.has(code))) return
  if (day.suspenseReason === undefined) day.unexplained = true
  else addSuspense(day, sale, rounded.residual, day.suspenseReason)
}

function problemsOf(
  sale: Sale,
  checked: readonly TieOut[],
  gaps: readonly Gap[],
  residual: Amount,
): JournalException[] {
  const problems = [
    ...checked
      .filter(({ passed }) => !passed)
      .map(one => problem(sale, 'TIE_OUT', describeFailure(one))),
    ...gaps.map(({ code, detail }) => problem(sale, code, detail)),
  ]
  const isExplained = problems.some(({ code }) => code === 'TIE_OUT' || code === 'UNMAPPED')
  if (residual === 0n || isExplained) return problems
  const detail = `its debits and credits are ${amountText(residual)} apart`
  return [...problems, problem(sale, 'UNBALANCED', detail)]
}

function addCheck(checks: Map<string, DaySums>, { check, expected, actual, passed }: TieOut): void {
  const known = checks.get(check) ?? NOTHING
  checks.set(check, {
    expected: known.expected + expected,
    actual: known.actual + actual,
    failed: known.failed + (passed ? 0 : 1),
  })
}

/** What a sale does not explain is booked where a person said. */
function addSuspense(day: DaySoFar, sale: Sale, residual: Amount, reason: string): void {
  const account = day.settings.accounts.suspense
  day.suspense -= residual
  day.exceptions.push({
    severity: 'override',
    code: 'SUSPENSE',
    transactionId: sale.id,
    detail: `${amountText(-residual)} on ${account.code}: ${reason}`,
  })
  const nothing = { consumerType: '', category: '', tender: '', authority: '' }
  const line = { account, metric: 'suspense', part: reason, ...nothing } as const
  addLine(day.lines, { ...line, amount: -residual, transactions: 1 })
}

function tieOutsOf(
  { checks, figures, costs, rows, settings }: DaySoFar,
  { deadLetters = 0, withoutDay = [], closing, suspenseReason }: JournalQuestion,
  lines: readonly JournalLine[],
): TieOutRow[] {
  const overridden = suspenseReason !== undefined
  const holdsForCosts = settings.missingCosts === 'hold' && !overridden
  const accept = (one: TieOutRow): TieOutRow =>
    one.status === 'failed' && overridden ? { ...one, status: 'accepted' } : one
  return [
    countTieOut('rows', rows + deadLetters, rows, 'failed'),
    ...[...checks].map(([check, day]) => sumTieOut(check, day, overridden)),
    countTieOut('costs', costs.needed, costs.known, holdsForCosts ? 'failed' : 'incomplete'),
    ...(withoutDay.length === 0
      ? []
      : [countTieOut('sales_without_a_day', 0, withoutDay.length, 'incomplete')]),
    ...compareClosing(closing ?? new Map(), figures).map(accept),
    balanceOf(lines),
  ]
}

interface DaySums {
  expected: Amount
  actual: Amount
  /** Transactions that do not tie out, also where they cancel each other in the sums. */
  failed: number
}

/** Checked for every transaction, so there are sums of them also on a day without any. */
const ALWAYS: readonly TieOut['check'][] = ['total', 'lines', 'pre_taxes', 'post_taxes', 'tenders']
const NOTHING: DaySums = { expected: 0n, actual: 0n, failed: 0 }

/** Exceptions that keep a day from being booked. */
export const HOLDING_CODES: ReadonlySet<JournalException['code']> = new Set([
  'TIE_OUT',
  'UNMAPPED',
  'UNBALANCED',
])

function problem(sale: Sale, code: JournalException['code'], detail: string): JournalException {
  return {
    severity: WARNING_CODES.has(code) ? 'warning' : 'error',
    code,
    transactionId: sale.id,
    detail,
  }
}

/** A transaction that is left out because nobody knows what it is. */
function aboutUnknownWord(sale: Sale): JournalException[] {
  const { unknownWord, totalDue } = sale
  if (unknownWord === undefined) return []
  const { field, word } = unknownWord
  const said =
    word === undefined ? `has no ${field}` : `has the ${field} ${quoted(word)}, which is not known`
  const detail = `it ${said}, so its ${amountText(totalDue)} are not booked`
  return [problem(sale, field === 'type' ? 'TYPE_UNKNOWN' : 'STATUS_UNKNOWN', detail)]
}

const hasNoDay = (id: string): JournalException => ({
  severity: 'error',
  code: 'ROWS_DIFFER',
  transactionId: id,
  detail:
    'the times of this sale put it before the year 2000 or into the future: ' +
    'it is in no journal until they are corrected at the till',
})

/** What fails for the whole day and not for a transaction. */
function aboutTheDay(
  { check, expected, actual, delta, status }: TieOutRow,
  reason: string | undefined,
): JournalException[] {
  if (status !== 'failed' && status !== 'accepted') return []
  const detail = `${actual} instead of ${expected}, ${delta} apart`
  if (check === 'rows')
    return [
      {
        severity: 'error',
        code: 'ROWS_DIFFER',
        transactionId: '',
        detail:
          "not all of the API's own total are transactions in the tables, " +
          `the others are dead letters: ${detail}`,
      },
    ]
  if (!check.startsWith(CLOSING)) return []
  return [
    {
      severity: status === 'failed' ? 'error' : 'override',
      code: 'CLOSING_DIFFERS',
      transactionId: '',
      detail:
        `${check.slice(CLOSING.length)} is not what the closing report says: ` +
        `${detail}${status === 'accepted' ? `; accepted: ${reason}` : ''}`,
    },
  ]
}

function sumTieOut(
  check: string,
  { expected, actual, failed }: DaySums,
  overridden: boolean,
): TieOutRow {
  return {
    check,
    expected: amountText(expected),
    actual: amountText(actual),
    delta: amountText(actual - expected),
    status: failed === 0 ? 'ok' : unlessOverridden(overridden),
  }
}

const unlessOverridden = (overridden: boolean): TieOutRow['status'] =>
  overridden ? 'suspense' : 'failed'

function countTieOut(
  check: string,
  expected: number,
  actual: number,
  otherwise: TieOutRow['status'],
): TieOutRow {
  return {
    check,
    expected: String(expected),
    actual: String(actual),
    delta: String(actual - expected),
    status: actual === expected ? 'ok' : otherwise,
  }
}

function balanceOf(lines: readonly JournalLine[]): TieOutRow {
  const { debit, credit } = sidesOf(lines)
  return {
    check: 'balance',
    expected: amountText(debit),
    actual: amountText(credit),
    delta: amountText(credit - debit),
    status: debit === credit ? 'ok' : 'failed',
  }
}
