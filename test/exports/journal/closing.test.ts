import { describe, expect, it } from 'vitest'
import { buildJournal } from '../../../exports/journal/build-journal.ts'
import { listFigures } from '../../../exports/journal/closing.ts'
import { closingOfRows } from '../../../exports/journal/read-closing.ts'
import type { Sale } from '../../../exports/sales/sale.ts'
import { CENT, toAmount } from '../../../money/amount.ts'
import { wireOf } from '../sales/worked-example.ts'
import { DEFAULT_ACCOUNTING } from './a-line.ts'
import { item, onAccounts, paid, read, simple } from './a-sale.ts'

describe('a day’s closing report and rows', () => {
  const sales = [read(simple([paid('Cash', 20)]))]

  it('ties out to the cent, or holds the journal', () => {
    const closing = (cash: bigint): ReadonlyMap<string, bigint> =>
      new Map([
        ['net_sales', 2000n * CENT],
        ['tax', 0n],
        ['tender:cash', cash * CENT],
        ['tender:debit', 0n],
      ])
    expect(
      buildJournal({ sales, settings: DEFAULT_ACCOUNTING, closing: closing(2000n) }),
    ).toMatchObject({ held: false, exceptions: [] })
    const short = buildJournal({ sales, settings: DEFAULT_ACCOUNTING, closing: closing(1990n) })
    expect(short).toMatchObject({
      held: true,
      exceptions: [
        {
          severity: 'error',
          code: 'CLOSING_DIFFERS',
          transactionId: '',
          detail:
            'tender:cash is not what the closing report says: 20.00 instead of 19.90, 0.10 apart',
        },
      ],
    })
    expect(
      buildJournal({
        sales,
        settings: DEFAULT_ACCOUNTING,
        closing: closing(1990n),
        suspenseReason: 'ten cents found',
      }),
    ).toMatchObject({
      held: false,
      suspense: 0n,
      exceptions: [
        {
          severity: 'override',
          code: 'CLOSING_DIFFERS',
          detail:
            'tender:cash is not what the closing report says: 20.00 instead of 19.90, 0.10 apart; accepted: ten cents found',
        },
      ],
    })
  })

  it('may give each figure that a day is told with', () => {
    const sale = read(
      simple([paid('Cash', 18, { blazeTip: 1 })], {
        appliedAfterTaxDiscount: 2.03,
        roundAmt: 0.03,
        total: 18,
      }),
    )
    const { figures } = buildJournal({ sales: [sale], settings: DEFAULT_ACCOUNTING })
    expect([...figures.keys()]).toEqual(expect.arrayContaining(['after_tax_discount', 'rounding']))
    const rows = listFigures(figures).map(one => ({ ...one, store: '', row: 2 }))
    expect(closingOfRows(rows, 'z.csv').get('')).toEqual(figures)
  })

  it('is compared with what is posted, in whole cents of each sale', () => {
    const taxed = (id: string): Sale =>
      read(
        wireOf(
          id,
          { payments: [paid('Cash', 53.48)] },
          {
            items: [item('P-GUM', 46.5)],
            subTotal: 46.5,
            totalCalcTax: 6.975,
            taxResult: { totalExciseTax: 6.975 },
            total: 53.48,
          },
        ),
      )
    const compared = (tax: string, count: number): unknown => {
      const { lines, held, tieOuts } = buildJournal({
        sales: Array.from({ length: count }, (_, index) => taxed(`S${index}`)),
        settings: DEFAULT_ACCOUNTING,
        closing: new Map([['tax', toAmount(tax)!]]),
      })
      return [
        onAccounts(lines)['2220'],
        held,
        tieOuts.find(({ check }) => check === 'closing tax')?.actual,
      ]
    }
    expect(compared('6.98', 1)).toEqual(['-6.98', false, '6.98'])
    expect(compared('6.975', 1)).toEqual(['-6.98', false, '6.98'])
    expect(compared('13.96', 2)).toEqual(['-13.96', false, '13.96'])
    expect(compared('13.95', 2)).toEqual(['-13.96', true, '13.96'])
  })

  it('finds fees, discounts, returns, included taxes and tips where the published net sales have them', () => {
    const wire = simple([paid('Debit', 24, { blazeTip: 3 })], {
      items: [
        item('P-GUM', 20, { calcDiscount: 2, calcPreTax: 1 }),
        item('P-CARD', 5, { quantityLogs: [] }),
      ],
      subTotal: 23,
      calcCartDiscount: 1,
      totalPreCalcTax: 1,
      taxResult: { totalCityPreTax: 1 },
      deliveryFee: 3,
      creditCardFee: 1,
      appliedAfterTaxDiscount: 2,
      total: 24,
    })
    const closing = new Map(
      [
        ['net_sales', '25'],
        ['tax', '1'],
        ['tips', '3'],
        ['total_due', '24'],
        ['tender:debit', '24'],
      ].map(([name, text]) => [name!, toAmount(text)!]),
    )
    const both = [wire, { ...wire, id: 'R', transType: 'Refund' }]
    expect(
      buildJournal({ sales: [read(wire)], settings: DEFAULT_ACCOUNTING, closing }),
    ).toMatchObject({ held: false, exceptions: [] })
    const nothing = new Map([...closing.keys()].map(name => [name, 0n]))
    expect(
      buildJournal({
        sales: both.map(read),
        settings: DEFAULT_ACCOUNTING,
        closing: nothing,
      }).tieOuts.filter(({ check, status }) => check.startsWith('closing') && status !== 'ok'),
    ).toEqual([])
  })

  it('holds the journal where the API counts records that no table could take', () => {
    expect(buildJournal({ sales, settings: DEFAULT_ACCOUNTING, deadLetters: 1 })).toMatchObject({
      held: true,
      exceptions: [{ code: 'ROWS_DIFFER' }],
    })
    expect(buildJournal({ sales, settings: DEFAULT_ACCOUNTING, deadLetters: 0 })).toMatchObject({
      held: false,
    })
  })
})
