import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../errors.ts'
import { amountText } from '../../../exports/books/amount.ts'
import { readClosing } from '../../../exports/journal/closing.ts'

const inShort = (text: string, file: string): Record<string, Record<string, string>> =>
  Object.fromEntries(
    [...readClosing(text, file)].map(([store, figures]) => [
      store,
      Object.fromEntries([...figures].map(([name, amount]) => [name, amountText(amount)])),
    ]),
  )

function refusalOf(text: string, file: string): string {
  try {
    readClosing(text, file)
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    return (error as Error).message
  }
  throw new Error('was accepted')
}

describe('a closing report', () => {
  it('is figures and amounts, as CSV of any line ends, with or without a store', () => {
    expect(
      inShort('\uFEFFfigure,amount\nnet_sales,68.25\ntender:cash,"70.63"\n\n', 'z.csv'),
    ).toEqual({ '': { net_sales: '68.25', 'tender:cash': '70.63' } })
    expect(inShort('store,figure,amount\r\nS1,tax,1\r\nS2,tax,-2.5', 'z.csv')).toEqual({
      S1: { tax: '1.00' },
      S2: { tax: '-2.50' },
    })
  })

  it('is the same as YAML', () => {
    expect(
      inShort('net_sales: 68.25\ntenders: { cash: "70.63", debit: 15.30 }\n', 'z.yaml'),
    ).toEqual({ '': { net_sales: '68.25', 'tender:cash': '70.63', 'tender:debit': '15.30' } })
    expect(inShort('S1: { tax: 1, tenders: { cash: 0.1 } }\nS2: { tips: 2 }\n', 'z.yml')).toEqual({
      S1: { tax: '1.00', 'tender:cash': '0.10' },
      S2: { tips: '2.00' },
    })
  })

  it('is refused with everything that is wrong with it, and without its amounts', () => {
    const message = refusalOf('figure,amount\nnet_sale,1\ntax,$4.00\ntips,1\ntips,1\n', 'z.csv')
    expect(message).toContain('line 2: there is no such figure')
    expect(message).toContain('line 3: the amount is not a decimal')
    expect(message).toContain('line 5: tips is there twice')
    expect(message).not.toContain('4.00')
    expect(refusalOf('store,figure,amount\ndowntown,tax,1\n,tips,2\n', 'z.csv')).toContain(
      'some figures name a store and others do not',
    )
    expect(refusalOf('tips: 2\ndowntown: { tax: 1 }', 'z.yaml')).toContain(
      'some figures name a store and others do not',
    )
    expect(refusalOf('', 'z.csv')).toContain('it has no line')
    expect(refusalOf('a: [', 'z.yaml')).toContain('not valid YAML')
    expect(refusalOf('- 1', 'z.yaml')).toContain('it names no figure')
  })
})
