import type { RunStep, Step } from './bookkeeping.ts'

/** One sale of the day, as far as the steps change it. */
export interface SaleOfDay {
  tender: 'Cash' | 'Debit' | 'Check'
  price: number
  isVoid: boolean
  /** Paid less than it costs: its journal is held back. */
  isShort: boolean
  /** Something that no file of the books shows, but the day's data hold it. */
  note: number
}

export interface ChartChoice {
  cash: '1010' | '1011'
  /** What QuickBooks calls the account of cash. */
  text: 'Till' | 'Drawer'
  location: 'A' | 'B'
  /** Days up to the test day are closed. */
  closed: boolean
}

/** What must be true after the steps so far. */
export interface Expected {
  /** The number of the day's newest state that was given out; -1 before any. */
  revision: number
  state: string | undefined
  /** What the newest journal says, by account in cents, debits positive. */
  books: ReadonlyMap<string, number> | undefined
  /** What the day is posted by. */
  chart: ChartChoice | undefined
  /** The texts of the entries that no reversal took back. */
  standing: readonly StandingTexts[]
  /** The newest revision with an entry. */
  posted: number
}

interface StandingTexts extends Pick<ChartChoice, 'text' | 'location'> {
  /** The account of cash, where the entry has a line on it. */
  cash: string | undefined
  kind: 'posting' | 'change'
}

const CODES: Readonly<Record<SaleOfDay['tender'], string>> = {
  Cash: '',
  Debit: '1050',
  Check: '1070',
}
export const COST = 14

/** The journal of some sales, computed in the plainest way: cents by account, debits positive. */
export function recompute(
  sales: readonly SaleOfDay[],
  chart: Pick<ChartChoice, 'cash'>,
): Map<string, number> {
  const books = new Map<string, number>()
  const add = (code: string, cents: number): unknown =>
    books.set(code, (books.get(code) ?? 0) + cents)
  for (const { tender, price, isVoid } of sales) {
    if (isVoid) continue
    add(tender === 'Cash' ? chart.cash : CODES[tender], price * 100)
    add('4010', -price * 100)
    add('5010', COST * 100)
    add('1300', -COST * 100)
  }
  return new Map([...books].filter(([, cents]) => cents !== 0))
}

/** What a step must lead to. */
export function after(
  before: Expected,
  step: RunStep,
  sales: readonly SaleOfDay[],
  chart: ChartChoice,
): Expected {
  const state = JSON.stringify(sales)
  const revision = before.revision + (state === before.state ? 0 : 1)
  const seen = { ...before, revision, state }
  if (step.kind === 'export' || isHeld(sales)) return seen
  if (before.books === undefined) {
    const books = recompute(sales, chart)
    return { ...seen, ...posting(books, chart), posted: revision }
  }
  if (step.how === 'reissue') return reissued(seen, recompute(sales, before.chart!), chart)
  const isRestated = step.how === 'restate'
  const by = isRestated ? chart : before.chart!
  const books = recompute(sales, by)
  const isRenamed = isRestated && before.standing.some(one => isCalledOtherwise(one, books, chart))
  const isChanged = !isSame(books, before.books) || isRenamed
  if (!isChanged || (!isRestated && revision <= before.posted)) return seen
  const number = isRestated ? Math.max(revision, before.posted + 1) : revision
  const told = { ...seen, revision: number, posted: number }
  if (!chart.closed || isRenamed) return { ...told, ...posting(books, by) }
  const ofCash = (of: ReadonlyMap<string, number>): string =>
    ['1010', '1011'].map(code => of.get(code) ?? 0).join()
  const cash = ofCash(books) === ofCash(before.books) ? undefined : by.cash
  const change = { text: by.text, location: by.location, cash, kind: 'change' } as const
  return { ...told, books, chart: by, standing: [...before.standing, change] }
}

/** The whole day, by this chart: nothing of before stands any more. */
function posting(
  books: ReadonlyMap<string, number>,
  chart: ChartChoice,
): Pick<Expected, 'books' | 'chart' | 'standing'> {
  const { text, location } = chart
  const cash = books.has(chart.cash) ? chart.cash : undefined
  // A day without sales has an entry without lines, which is none to take back.
  const standing = books.size === 0 ? [] : [{ text, location, cash, kind: 'posting' } as const]
  return { books, chart, standing }
}

const isCalledOtherwise = (
  { text, location, cash }: StandingTexts,
  books: ReadonlyMap<string, number>,
  chart: ChartChoice,
): boolean =>
  location !== chart.location ||
  (cash === chart.cash && books.has(chart.cash) && text !== chart.text)

/** The newest entry has the texts of today's chart for the accounts that it has. */
function reissued(
  seen: Expected,
  books: ReadonlyMap<string, number>,
  { cash, text, location }: ChartChoice,
): Expected {
  if (!isSame(books, seen.books!)) return seen
  const chart = { ...seen.chart!, ...(cash === seen.chart!.cash ? { text } : {}) }
  const last = seen.standing.at(-1)
  if (last === undefined) return { ...seen, chart }
  const renamed = {
    ...last,
    ...(last.cash === cash ? { text } : {}),
    ...(last.kind === 'change' ? {} : { location }),
  }
  return {
    ...seen,
    chart: { ...chart, location: renamed.location },
    standing: [...seen.standing.slice(0, -1), renamed],
  }
}

/** A corrected text is not written over a posting that would be another now. */
export function isRefused(
  { books, chart }: Expected,
  step: Step,
  sales: readonly SaleOfDay[],
): boolean {
  if (step.kind !== 'journal' || step.how !== 'reissue' || isHeld(sales)) return false
  return books !== undefined && !isSame(books, recompute(sales, chart!))
}

const isHeld = (sales: readonly SaleOfDay[]): boolean =>
  sales.some(({ isVoid, isShort }) => isShort && !isVoid)

const isSame = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean =>
  inWords(a) === inWords(b)

/** Accounts and what is on them. */
export const inWords = (books: ReadonlyMap<string, number>): string =>
  [...books]
    .map(([account, cents]) => `${account} ${cents}`)
    .toSorted()
    .join(', ')
