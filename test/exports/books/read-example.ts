import { amountText, toAmount } from '../../../exports/books/amount.ts'
import type { Amount } from '../../../exports/books/amount.ts'
import { readSale } from '../../../exports/books/read-sale.ts'
import type { Sale } from '../../../exports/books/sale.ts'
import { exampleFacts } from './worked-example.ts'

/** A record as the books read it, with the catalog of the worked example. */
export const read = (wire: unknown): Sale => readSale(JSON.stringify(wire), exampleFacts)
export const of = (text: string): Amount => toAmount(text)!
export const shown = (amount: Amount | undefined): string | undefined =>
  amount === undefined ? undefined : amountText(amount)
