import { addDays, daysBetween, isDay } from '../../calendar/days.ts'
import type { PagePlace, PageRequest } from '../page.ts'
import type { Filter } from './filter-form.ts'

/** The store that the address names; the first of the settings where it names none, or another. */
export function chosenStore({ query, stores }: Pick<PageRequest, 'query' | 'stores'>): string {
  const named = query.get('store') ?? ''
  return stores.includes(named) ? named : stores[0]!
}

/** The store that the address names, or all: none of them is `named` then. */
export function chosenStores({ query, stores }: Pick<PageRequest, 'query' | 'stores'>): {
  named: string
  stores: readonly string[]
} {
  const named = query.get('store') ?? ''
  return stores.includes(named) ? { named, stores: [named] } : { named: '', stores }
}

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
const MOST_DAYS = 31

/** The days that the address names, both inclusive; without any, two weeks up to `lastDay`. */
export function chosenDays(
  { query }: Pick<PageRequest, 'query'>,
  lastDay: string,
): { from: string; to: string } {
  const to = dayIn(query, 'to') ?? lastDay
  const from = dayIn(query, 'from') ?? addDays(to, -13)
  if (from > to) return { from: to, to }
  return daysBetween(from, to) < MOST_DAYS ? { from, to } : { from: addDays(to, 1 - MOST_DAYS), to }
}

function dayIn(query: URLSearchParams, name: string): string | undefined {
  const day = query.get(name) ?? ''
  return isDay(day) ? day : undefined
}
