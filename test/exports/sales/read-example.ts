import { readSale } from '../../../exports/sales/read-sale.ts'
import type { Sale } from '../../../exports/sales/sale.ts'
import { amountText, toAmount } from '../../../money/amount.ts'
import type { Amount } from '../../../money/amount.ts'
import { exampleFacts } from './worked-example.ts'

/** A record as the books read it, with the catalog of the worked example. */
export const read = (wire: unknown): Sale => readSale(JSON.stringify(wire), exampleFacts)
export const of = (text: string): Amount => toAmount(text)!
export const shown = (amount: Amount | undefined): string | undefined =>
  amount === undefined ? undefined : amountText(amount)
