import { addDays, daysBetween, isDay } from '../../calendar/days.ts'
import { findStream } from '../../connectors/partner/streams/index.ts'
import { Refusal } from '../actions/refusal.ts'
import type { PagePlace, PageRequest } from '../page.ts'
import type { Filter } from './filter-form.ts'

type Asked = Pick<PageRequest, 'query' | 'stores'>

/** The store that the address names; the first of the settings where it names none. */
export const chosenStore = (asked: Asked): string => chosenStores(asked).named || asked.stores[0]!

/** The store that the address names, or all: none of them is `named` then. */
export function chosenStores({ query, stores }: Asked): {
  named: string
  stores: readonly string[]
} {
  const named = query.get('store') ?? ''
  if (named === '') return { named, stores }
  if (stores.includes(named)) return { named, stores: [named] }
  throw notThere(`There is no store ${quoted(named)}.`, `Stores are: ${stores.join(', ')}.`)
}

/** The list that the address names; empty: all of them. */
export function chosenStream({ query }: Pick<PageRequest, 'query'>): string {
  const named = query.get('stream') ?? ''
  if (named === '' || findStream(named) !== undefined) return named
  throw notThere(`There is no list ${quoted(named)}.`, 'The filter of the page offers those.')
}

const notThere = (text: string, next: string): Refusal => new Refusal(404, text, next, 'Not there')

const quoted = (text: string): string => JSON.stringify(text.slice(0, 80))

/** One store, or all of them. */
export const storeFilter = ({ stores }: Pick<PageRequest, 'stores'>, value: string): Filter => ({
  name: 'store',
  label: 'Store',
  value,
  choices: ['', ...stores],
})

/** The stores of the settings. */
export const storesOf = ({ config }: Pick<PagePlace, 'config'>): string[] =>
  config.stores.map(({ id }) => id)

/** More are too wide for a screen, and for a sheet of paper. */
export const MOST_DAYS = 31

/**
 * The days that the address names, both inclusive, the earlier one first; without any, two weeks up
 * to `lastDay`. `isCut`: it names more than a page has, which are the last ones.
 */
export function chosenDays(
  { query }: Pick<PageRequest, 'query'>,
  lastDay: string,
): { from: string; to: string; isCut: boolean } {
  const end = dayIn(query, 'to') ?? lastDay
  const begin = dayIn(query, 'from') ?? addDays(end, -13)
  const [from, to] = begin < end ? [begin, end] : [end, begin]
  const isCut = daysBetween(from, to) >= MOST_DAYS
  return { from: isCut ? addDays(to, 1 - MOST_DAYS) : from, to, isCut }
}

/** The month that the address names; undefined where it names none. */
export function chosenMonth({ query }: Pick<PageRequest, 'query'>): string | undefined {
  const month = query.get('month') ?? ''
  if (month === '') return undefined
  if (isDay(`${month}-01`)) return month
  throw oddDate('month', month, 'A month is yyyy-MM.')
}

function dayIn(query: URLSearchParams, name: string): string | undefined {
  const day = query.get(name) ?? ''
  if (day === '') return undefined
  if (isDay(day)) return day
  throw oddDate(name, day, 'A day is yyyy-MM-dd.')
}

const oddDate = (name: string, value: string, next: string): Refusal =>
  new Refusal(400, `${name} is ${quoted(value)}.`, next, 'This cannot be shown')
