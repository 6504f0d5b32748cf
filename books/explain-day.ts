import { businessDays } from '../calendar/business-day.ts'
import { addDays } from '../calendar/days.ts'
import { openSnapshot } from '../connectors/database.ts'
import type { KnownSale } from '../exports/journal/causes.ts'
import type { TieOutRow } from '../exports/journal/checks.ts'
import { differencesIn, explainClosing } from '../exports/journal/explain-closing.ts'
import type { Explanation } from '../exports/journal/explain-closing.ts'
import { settingsOfStore } from '../exports/journal/store-settings.ts'
import type { CatalogFacts } from '../exports/sales/catalog-facts.ts'
import { catalogOf } from '../exports/sales/catalog.ts'
import { readSale } from '../exports/sales/read-sale.ts'
import { salesIn } from '../exports/sales/sales.ts'
import { toAmount } from '../money/amount.ts'
import type { BooksPlace } from './books-place.ts'
import { bookedStream } from './order-journal.ts'
import { storeClockOf } from './store-clock.ts'

/**
 * What makes a store's closing report differ from its books; `checks` are those of the day's
 * journal. Undefined where the journal was compared with no report.
 */
export async function explainDay(
  place: BooksPlace,
  { store, day }: { store: string; day: string },
  checks: readonly TieOutRow[],
): Promise<Explanation | undefined> {
  const differences = differencesIn(checks, text => toAmount(text) ?? 0n)
  if (differences.size === 0) return undefined
  return explainClosing({
    sales: await knownSales(place, store, day),
    settings: settingsOfStore(place.config.accounting, store),
    differences,
  })
}

/** The transactions of a day, each with the states in which a reading saw it before. */
async function knownSales(
  { config, database }: BooksPlace,
  store: string,
  day: string,
): Promise<KnownSale[]> {
  const clock = storeClockOf(config, store, await database.timeZone(store))
  const range = businessDays({ from: day, to: addDays(day, 1) }, clock)
  const stream = bookedStream()
  await using snapshot = await openSnapshot(config.database, { store, ...range })
  const catalog = catalogOf(snapshot)
  const known: KnownSale[] = []
  for await (const sales of salesIn(snapshot, stream, range))
    for (const { sale, raw } of sales) {
      const versions = await database.versions.of([store], stream.name, sale.id)
      const earlier = versions.filter(version => version.raw !== raw)
      const read = (version: { raw: string }, facts: CatalogFacts) => readSale(version.raw, facts)
      known.push({ sale, earlier: await catalog.readAll(earlier, read) })
    }
  return known
}
