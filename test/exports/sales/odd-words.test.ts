import { describe, expect, it } from 'vitest'
import { movementsOf } from '../../../audit/movement.ts'
import {
  AnswerTooLarge,
  UnknownEncoding,
  inflated,
} from '../../../connectors/partner/answer-body.ts'
import { buildJournal } from '../../../exports/journal/build-journal.ts'
import { readProduct } from '../../../exports/sales/catalog-facts.ts'
import { readSale } from '../../../exports/sales/read-sale.ts'
import { DEFAULT_ACCOUNTING } from '../journal/a-line.ts'

/** Words that every object of JavaScript knows: a table that is asked for them must not. */
const WORDS = ['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty']

const saleWith = (word: string): string =>
  JSON.stringify({
    id: 'T1',
    transType: 'Sale',
    status: 'Completed',
    completedTime: 1,
    payments: [{ paymentOption: word, paidAmount: 5 }],
    cart: {
      consumerType: word,
      refundOption: word,
      total: 5,
      subTotal: 5,
      items: [{ quantity: 1, unitPrice: 5, cost: 5, finalPrice: 5, product: { name: 'A' } }],
    },
  })

describe.each(WORDS)('the word %s', word => {
  it('is a tender, a consumer and an option of a refund that nobody knows', () => {
    const sale = readSale(saleWith(word))
    expect(sale.payments).toMatchObject([{ tender: 'other', tenderName: word }])
    expect(sale).toMatchObject({ type: 'sale', consumerType: 'other' })
    expect(sale.items[0]!.restocked).toBeUndefined()
  })

  it('is an unknown type of transaction, which is not booked and moves nothing', () => {
    const record = { id: 'T1', transType: word, status: 'Completed', completedTime: 1 }
    expect(readSale(JSON.stringify(record))).toMatchObject({
      type: 'unknown',
      excluded: 'unknown_type',
    })
    expect(movementsOf([record])).toEqual([])
  })

  it('has no account, so a payment by it holds the journal', () => {
    const { held, exceptions } = buildJournal({
      sales: [readSale(saleWith(word))],
      settings: DEFAULT_ACCOUNTING,
    })
    expect(held).toBe(true)
    expect(exceptions.map(({ code }) => code)).toContain('UNMAPPED')
  })

  it('names no category of the settings', () => {
    const sale = readSale(saleWith('Cash'))
    const sold = { ...sale, items: sale.items.map(item => ({ ...item, categoryName: word })) }
    const { lines } = buildJournal({ sales: [sold], settings: DEFAULT_ACCOUNTING })
    expect(new Set(lines.map(({ category }) => category))).toEqual(new Set(['']))
  })

  it('is no weight of a product', () => {
    expect(readProduct({ weightPerUnit: word }).gramsEach).toBeUndefined()
  })

  it('is no encoding of an answer', async () => {
    const given = inflated(Buffer.from('{}'), word, 1_000)
    await expect(given).rejects.toBeInstanceOf(UnknownEncoding)
    await expect(given).rejects.not.toBeInstanceOf(AnswerTooLarge)
  })
})
