import type { JournalEntry } from '../exports/journal/entry.ts'
import { sidesOf } from '../exports/journal/entry.ts'
import type { Amount } from '../money/amount.ts'
import { currencyOf } from '../money/currency.ts'
import { compareTexts } from '../text/compare-texts.ts'
import type { HistoryPlace } from './books-place.ts'
import { givenDays } from './given-days.ts'
import { monthRange } from './periods.ts'

/** A store's entries that are dated in a month, whichever days they are about. */
export interface DatedEntries {
  entries: JournalEntry[]
  /** Of their amounts, unless an entry was posted in another. */
  currency: string
}

/** The database knows them; those that it does not know stand in files. */
export async function readDatedEntries(
  place: HistoryPlace,
  store: string,
  month: string,
): Promise<DatedEntries> {
  const range = monthRange(month)
  const given = await givenDays(place, store, range)
  const inFiles = given.flatMap(day => day.inFiles)
  return {
    currency: currencyOf(place.config, store),
    entries: [
      ...(await place.history.postedOn(store, range)),
      ...inFiles.filter(({ date }) => date >= range.from && date < range.to),
    ],
  }
}

export interface AccountTotal {
  code: string
  name: string
  currency: string
  debit: Amount
  credit: Amount
}

/**
 * Both sides of each account, by currency and code. A code is one account within a store, under its
 * newest name; stores of different charts may have it for different ones.
 */
export function totalsByAccount(stores: readonly DatedEntries[]): AccountTotal[] {
  const named = stores.flatMap(({ entries, currency: usual }) => {
    const lines = entries.flatMap(entry =>
      entry.lines.map(line => ({ line, currency: entry.store?.currency ?? usual })),
    )
    const names = new Map(lines.map(({ line: { account } }) => [account.code, account.name]))
    return lines.map(({ line, currency }) => {
      const { code } = line.account
      return { line, account: { code, name: names.get(code)!, currency } }
    })
  })
  return [...Map.groupBy(named, ({ account }) => JSON.stringify(account)).values()]
    .map(of => ({ ...of[0]!.account, ...sidesOf(of.map(({ line }) => line)) }))
    .sort((a, b) => compareTexts(a.currency, b.currency) || compareTexts(a.code, b.code))
}
