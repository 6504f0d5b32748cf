import { buildJournal } from '../../../exports/journal/build-journal.ts'
import type { JournalQuestion } from '../../../exports/journal/build-journal.ts'
import { accountingSettings } from '../../../exports/journal/check-settings.ts'
import type { JournalLine } from '../../../exports/journal/entry.ts'
import { readSale } from '../../../exports/sales/read-sale.ts'
import type { Sale } from '../../../exports/sales/sale.ts'
import { amountText, sum } from '../../../money/amount.ts'
import { exampleFacts, wireOf } from '../sales/worked-example.ts'

export type Wire = Record<string, unknown>

export const read = (wire: unknown): Sale => readSale(JSON.stringify(wire), exampleFacts)
export const journalOf = (
  wires: readonly unknown[],
  section: unknown = {},
  more: Partial<JournalQuestion> = {},
) => buildJournal({ sales: wires.map(read), settings: accountingSettings.parse(section), ...more })
/** What stands on each account, debits positive. */
export const onAccounts = (lines: readonly JournalLine[]): Record<string, string> => {
  const codes = [...new Set(lines.map(({ account }) => account.code))].sort()
  return Object.fromEntries(
    codes.map(code => [
      code,
      amountText(
        sum(lines.filter(({ account }) => account.code === code).map(({ amount }) => amount)),
      ),
    ]),
  )
}

export const item = (productId: string, cost: number, rest: Wire = {}): Wire => ({
  productId,
  quantity: 1,
  unitPrice: cost,
  cost,
  calcDiscount: 0,
  quantityLogs: [{ batchId: 'B-GUM', quantity: 1 }],
  ...rest,
})
export const paid = (paymentOption: string, paidAmount: number, rest: Wire = {}): Wire => ({
  paymentOption,
  paidAmount,
  ...rest,
})
/** One item without taxes, paid as told. */
export const simple = (payments: readonly Wire[], cart: Wire = {}, changes: Wire = {}): Wire =>
  wireOf(
    'S',
    { payments, ...changes },
    { items: [item('P-GUM', 20)], subTotal: 20, total: 20, ...cart },
  )
