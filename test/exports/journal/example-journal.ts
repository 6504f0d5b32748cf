import { buildJournal } from '../../../exports/journal/build-journal.ts'
import { accountingSettings } from '../../../exports/journal/check-settings.ts'
import type { JournalEntry } from '../../../exports/journal/entry.ts'
import type { Journal } from '../../../exports/journal/formats/journal.ts'
import { readSale } from '../../../exports/sales/read-sale.ts'
import { exampleFacts, T1, T2, T3 } from '../sales/worked-example.ts'

export const DAY = '2026-03-08'
const settings = accountingSettings.parse({
  accounts: {
    exciseTax: {
      code: '2220',
      name: 'Excise tax payable',
      qbo: 'Tax Payable:Cannabis Excise',
      xero: '2220-X',
      netsuite: '2220 Excise : Cannabis',
    },
  },
})
/** Those of the worked example. */
export const { lines } = buildJournal({
  sales: [T1, T2, T3].map(wire => readSale(JSON.stringify(wire), exampleFacts)),
  settings,
})
export const entry: JournalEntry = {
  number: 'S1-20260308-R0',
  revision: 0,
  kind: 'posting',
  date: DAY,
  businessDate: DAY,
  lines,
}
export const journalOf = (...entries: JournalEntry[]): Journal => ({
  storeKey: 'C1:S1',
  store: {
    code: 'S1',
    location: 'Store 1',
    subsidiary: 'Green Co',
    xeroTaxRate: 'Tax Exempt',
    currency: 'CAD',
  },
  entries,
})
export const journal = journalOf(entry)
