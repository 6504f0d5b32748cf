import type { JournalFormat } from '../../exports/journal/settings.ts'
import type { ChartChoice, RunStep, SaleOfDay, Step } from './step.ts'

export const DAY = '2026-03-08'

/** Cents by account, debits positive. */
export type Books = ReadonlyMap<string, number>

/** What must be true after the steps so far. */
export interface Expected {
  /** The number of the day's newest state that was given out; -1 before any. */
  revision: number
  state: string | undefined
  /** What the newest journal says, by account in cents, debits positive. */
  books: Books | undefined
  /** The same by the date that it is booked on. */
  onDates: ReadonlyMap<string, Books>
  /** What the day is posted by. */
  chart: ChartChoice | undefined
  /** The texts of the entries that no reversal took back. */
  standing: readonly StandingTexts[]
  /** The newest revision with an entry. */
  posted: number
  /** Importers that have had a file. */
  importers: ReadonlySet<JournalFormat>
  /** The newest revision with a journal's file; an importer's first tells of all before it. */
  filed: number
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
  chart: ChartChoice & { today: string },
): Expected {
  const told = afterEntries(before, step, sales, chart)
  if (step.kind === 'export' || isHeld(sales)) return told
  const isFirst = step.formats.some(format => !told.importers.has(format))
  const filed = Math.max(told.filed, told.posted, isFirst ? told.revision : -1)
  return { ...told, filed, importers: new Set([...told.importers, 'generic', ...step.formats]) }
}

function afterEntries(
  before: Expected,
  step: RunStep,
  sales: readonly SaleOfDay[],
  chart: ChartChoice & { today: string },
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
  const isElsewhere = !chart.closed && [...before.onDates.keys()].some(date => date !== DAY)
  const isMoved = isRenamed || (isRestated && isElsewhere)
  const isChanged = !isSame(books, before.books) || isMoved
  if (!isChanged || (!isRestated && revision <= before.posted)) return seen
  const number = isRestated ? Math.max(revision, before.filed + 1) : revision
  const told = { ...seen, revision: number, posted: number }
  if (!chart.closed) return { ...told, ...posting(books, by) }
  const onDates = withDifference(before, books, chart.today)
  if (isRenamed) return { ...told, ...posting(books, by), onDates }
  const ofCash = (of: Books): string => ['1010', '1011'].map(code => of.get(code) ?? 0).join()
  const cash = ofCash(books) === ofCash(before.books) ? undefined : by.cash
  const change = { text: by.text, location: by.location, cash, kind: 'change' } as const
  return { ...told, books, onDates, chart: by, standing: [...before.standing, change] }
}

/** The whole day, by this chart: nothing of before stands any more. */
function posting(
  books: Books,
  chart: ChartChoice,
): Pick<Expected, 'books' | 'onDates' | 'chart' | 'standing'> {
  const { text, location } = chart
  const cash = books.has(chart.cash) ? chart.cash : undefined
  // A day without sales has an entry without lines, which is none to take back.
  const standing = books.size === 0 ? [] : [{ text, location, cash, kind: 'posting' } as const]
  return { books, onDates: new Map([[DAY, books]]), chart, standing }
}

/** What a closed day says otherwise is booked on the day of the run. */
function withDifference(
  { books: before, onDates }: Expected,
  books: Books,
  today: string,
): Expected['onDates'] {
  const booked = new Map(onDates.get(today))
  for (const account of new Set([...before!.keys(), ...books.keys()])) {
    const difference = (books.get(account) ?? 0) - (before!.get(account) ?? 0)
    booked.set(account, (booked.get(account) ?? 0) + difference)
  }
  return new Map([...onDates, [today, new Map([...booked].filter(([, cents]) => cents !== 0))]])
}

const isCalledOtherwise = (
  { text, location, cash }: StandingTexts,
  books: Books,
  chart: ChartChoice,
): boolean =>
  location !== chart.location ||
  (cash === chart.cash && books.has(chart.cash) && text !== chart.text)

/** The newest entry has the texts of today's chart for the accounts that it has. */
function reissued(seen: Expected, books: Books, { cash, text, location }: ChartChoice): Expected {
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

const isSame = (a: Books, b: Books): boolean => inWords(a) === inWords(b)

/** Accounts and what is on them. */
export const inWords = (books: Books): string =>
  [...books]
    .map(([account, cents]) => `${account} ${cents}`)
    .toSorted()
    .join(', ')
