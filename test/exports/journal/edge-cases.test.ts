import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amountText, CENT, sum, toAmount } from '../../../exports/books/amount.ts'
import { readSale } from '../../../exports/books/read-sale.ts'
import type { Sale } from '../../../exports/books/sale.ts'
import { buildJournal } from '../../../exports/journal/build-journal.ts'
import type { JournalQuestion } from '../../../exports/journal/build-journal.ts'
import { addUp, sidesOf } from '../../../exports/journal/entry.ts'
import type { JournalLine } from '../../../exports/journal/entry.ts'
import { accountingSettings } from '../../../exports/journal/settings.ts'
import { exampleFacts, T1, wireOf } from '../books/worked-example.ts'
import { DEFAULT_ACCOUNTING } from './a-line.ts'

type Wire = Record<string, unknown>

const read = (wire: unknown): Sale => readSale(JSON.stringify(wire), exampleFacts)
const journalOf = (
  wires: readonly unknown[],
  section: unknown = {},
  more: Partial<JournalQuestion> = {},
) => buildJournal({ sales: wires.map(read), settings: accountingSettings.parse(section), ...more })
/** What stands on each account, debits positive. */
const onAccounts = (lines: readonly JournalLine[]): Record<string, string> => {
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

const item = (productId: string, cost: number, rest: Wire = {}): Wire => ({
  productId,
  quantity: 1,
  unitPrice: cost,
  cost,
  calcDiscount: 0,
  quantityLogs: [{ batchId: 'B-GUM', quantity: 1 }],
  ...rest,
})
const paid = (paymentOption: string, paidAmount: number, rest: Wire = {}): Wire => ({
  paymentOption,
  paidAmount,
  ...rest,
})
/** One item without taxes, paid as told. */
const simple = (payments: readonly Wire[], cart: Wire = {}, changes: Wire = {}): Wire =>
  wireOf(
    'S',
    { payments, ...changes },
    { items: [item('P-GUM', 20)], subTotal: 20, total: 20, ...cart },
  )

describe('money', () => {
  it.each<[string, Wire[], Wire, Record<string, string>]>([
    [
      'a split tender with tip, change and cash back',
      [
        paid('Debit', 12, { blazeTip: 2, cashBack: 5 }),
        paid('Cash', 8, { paymentReceived: 20, changeDue: 12 }),
      ],
      {},
      // 12 + 2 + 5 were charged, 8 came into the drawer and 5 went out of it.
      { '1010': '3.00', '1050': '19.00', '2300': '-2.00', '4010': '-20.00' },
    ],
    [
      'a cashless ATM that charges 48.50, gives 1.50 back and takes a fee of 3.50',
      [paid('CashlessATM', 47, { cashBack: 1.5, blazeFee: 3.5, blazeTotalCharged: 48.5 })],
      { items: [item('P-GUM', 43.5)], subTotal: 43.5, creditCardFee: 3.5, total: 47 },
      { '1010': '-1.50', '1060': '48.50', '4010': '-43.50', '4110': '-3.50' },
    ],
    [
      'a gift card that is redeemed: less is owed',
      [paid('GiftCard', 20)],
      {},
      { '2400': '20.00', '4010': '-20.00' },
    ],
    [
      'store credit that is used',
      [paid('StoreCredit', 20)],
      {},
      { '2410': '20.00', '4010': '-20.00' },
    ],
    [
      'ACH and a check',
      [paid('ACH', 15), paid('Check', 5)],
      {},
      { '1070': '5.00', '1080': '15.00', '4010': '-20.00' },
    ],
    [
      'a gift card that is sold: a liability, no revenue',
      [paid('Cash', 70)],
      {
        items: [item('P-GUM', 20), item('P-CARD', 50, { quantityLogs: [] })],
        subTotal: 70,
        total: 70,
      },
      { '1010': '70.00', '2400': '-50.00', '4010': '-20.00' },
    ],
    [
      'loyalty, a discount after taxes and no tender',
      [paid('Cash', 15)],
      { appliedAfterTaxDiscount: 5, pointSpent: 100, total: 15 },
      { '1010': '15.00', '4010': '-20.00', '4085': '5.00' },
    ],
    [
      'cash rounded up',
      [paid('Cash', 20.02)],
      { roundAmt: 0.02, total: 20.02 },
      { '1010': '20.02', '4010': '-20.00', '4950': '-0.02' },
    ],
    [
      'cash rounded down',
      [paid('Cash', 19.98)],
      { roundAmt: -0.02, total: 19.98 },
      { '1010': '19.98', '4010': '-20.00', '4950': '0.02' },
    ],
    [
      'a tax of 6.975: half a cent goes up',
      [paid('Cash', 53.48)],
      {
        items: [item('P-GUM', 46.5)],
        subTotal: 46.5,
        totalCalcTax: 6.975,
        taxResult: { totalExciseTax: 6.975 },
        total: 53.48,
      },
      { '1010': '53.48', '2220': '-6.98', '4010': '-46.50' },
    ],
    [
      'a tax of 6.965 that the till rounded to the even cent',
      [paid('Cash', 53.46)],
      {
        items: [item('P-GUM', 46.5)],
        subTotal: 46.5,
        totalCalcTax: 6.965,
        taxResult: { totalExciseTax: 6.965 },
        total: 53.46,
      },
      { '1010': '53.46', '2220': '-6.96', '4010': '-46.50' },
    ],
    ['something for nothing', [], { items: [item('P-GUM', 0)], subTotal: 0, total: 0 }, {}],
    [
      'everything taken off',
      [],
      { items: [item('P-GUM', 20, { calcDiscount: 20 })], subTotal: 0, total: 0 },
      { '4010': '-20.00', '4080': '20.00' },
    ],
    [
      'a patient: no sales tax, and excise all the same',
      [paid('Cash', 23)],
      {
        consumerType: 'MedicinalThirdParty',
        totalCalcTax: 3,
        taxResult: { totalExciseTax: 3 },
        total: 23,
      },
      { '1010': '23.00', '2220': '-3.00', '4020': '-20.00' },
    ],
    [
      'excise of both kinds, and a delivery fee',
      [paid('Credit', 30)],
      {
        deliveryFee: 6,
        totalCalcTax: 4,
        taxResult: { totalExciseTax: 4, totalALExciseTax: 1, totalALPostExciseTax: 1 },
        total: 30,
      },
      { '1055': '30.00', '2220': '-4.00', '4010': '-20.00', '4100': '-6.00' },
    ],
    [
      'an exchange in one transaction: a line back, a line out',
      [paid('Cash', 15)],
      {
        items: [
          item('P-GUM', 35),
          item('P-GUM', -20, { quantity: -1, quantityLogs: [{ batchId: 'B-GUM', quantity: -1 }] }),
        ],
        subTotal: 15,
        total: 15,
      },
      { '1010': '15.00', '4010': '-35.00', '4090': '20.00' },
    ],
    [
      'goods without cannabis',
      [paid('Cash', 20)],
      { items: [item('P-PIPE', 20, { quantityLogs: [{ batchId: 'B-PIPE', quantity: 1 }] })] },
      { '1010': '20.00', '4030': '-20.00', '5010': '3.10', '1300': '-3.10' },
    ],
    [
      'taxes in the price that only the header knows',
      [paid('Cash', 20)],
      { totalPreCalcTax: 1.4, taxResult: { totalStatePreTax: 1.4 } },
      { '1010': '20.00', '2230': '-1.40', '4010': '-18.60' },
    ],
  ])('books %s', (_, payments, cart, expected) => {
    const { lines, held, exceptions } = journalOf([simple(payments, cart)])
    expect({ held, exceptions }).toEqual({ held: false, exceptions: [] })
    const stock =
      '1300' in expected || lines.length === 0 ? {} : { '1300': undefined, '5010': undefined }
    expect({ ...onAccounts(lines), ...stock }).toEqual({ ...expected, ...stock })
    expect(sidesOf(lines).debit).toBe(sidesOf(lines).credit)
  })
})

describe('the life of a transaction', () => {
  const back = (restocked: boolean, payments: readonly Wire[]): Wire =>
    wireOf(
      'R',
      { transType: 'Refund', parentTransactionId: 'S', payments },
      {
        items: [
          item('P-GUM', 20, { quantityLogs: restocked ? [{ batchId: 'B-GUM', quantity: 1 }] : [] }),
        ],
        subTotal: 20,
        total: 20,
      },
    )

  it('gives a refund back in another tender than its sale', () => {
    expect(
      onAccounts(journalOf([simple([paid('Debit', 20)]), back(true, [paid('Cash', 20)])]).lines),
    ).toEqual({ '1010': '-20.00', '1050': '20.00', '4010': '-20.00', '4090': '20.00' })
  })

  it('leaves the cost of goods where a refund was not put back on the shelf', () => {
    expect(
      onAccounts(journalOf([simple([paid('Cash', 20)]), back(false, [paid('Cash', 20)])]).lines),
    ).toEqual({
      '1010': '0.00',
      '1300': '-8.00',
      '4010': '-20.00',
      '4090': '20.00',
      '5010': '8.00',
    })
  })

  it.each(['Void', 'Canceled', 'Hold', 'InProgress', 'Queued', 'Frozen'])(
    'does not book %s',
    status => {
      expect(journalOf([simple([paid('Cash', 20)], {}, { status })])).toMatchObject({
        lines: [],
        exceptions: [],
        held: false,
      })
    },
  )

  it.each([
    { transType: 'Transfer' },
    { transType: 'Reconciliation' },
    { transType: 'Loan' },
    { deleted: true },
  ])('does not book %o', changes => {
    expect(journalOf([simple([paid('Cash', 20)], {}, changes)])).toMatchObject({
      lines: [],
      exceptions: [],
      held: false,
    })
  })
})

describe('what is not known', () => {
  it('is no guess: an unknown tender holds the journal until it is mapped by its name', () => {
    const wire = simple([paid('Zelle', 20)])
    const { held, exceptions } = journalOf([wire])
    expect(held).toBe(true)
    expect(exceptions).toEqual([
      {
        severity: 'error',
        code: 'UNMAPPED',
        transactionId: 'S',
        detail: 'payment 1 was made in a way that has no account: name it in accounting.tenders',
      },
    ])
    const mapped = journalOf([wire], { tenders: { Zelle: '1090 Zelle clearing' } })
    expect(mapped.held).toBe(false)
    expect(onAccounts(mapped.lines)).toMatchObject({ '1090': '20.00' })
  })

  it('is no guess: a tax without its authority, until it is mapped', () => {
    const wire = simple([paid('Cash', 23)], { totalCalcTax: 3, total: 23 })
    expect(journalOf([wire])).toMatchObject({ held: true, exceptions: [{ code: 'UNMAPPED' }] })
    expect(onAccounts(journalOf([wire], { taxes: { unsplit: '2200 Taxes' } }).lines)).toMatchObject(
      { '2200': '-3.00' },
    )
  })

  const costless = simple([paid('Cash', 20)], {
    items: [item('P-GUM', 20, { quantityLogs: [{ batchId: 'B-LOST', quantity: 1 }] })],
  })

  it('holds the journal back: a missing cost, unless it is to be flagged or somebody accepts it', () => {
    expect(journalOf([costless])).toMatchObject({ held: true, missingCosts: 1 })
    expect(journalOf([costless]).tieOuts).toContainEqual(
      expect.objectContaining({ check: 'costs', status: 'failed' }),
    )
    expect(journalOf([costless], { missingCosts: 'flag' }).held).toBe(false)
    expect(journalOf([costless], {}, { suspenseReason: 'counted by hand' }).held).toBe(false)
  })

  it('is flagged: a missing cost is no cost of 0', () => {
    const { lines, held, exceptions, tieOuts } = journalOf([costless], { missingCosts: 'flag' })
    expect(held).toBe(false)
    expect(onAccounts(lines)).toEqual({ '1010': '20.00', '4010': '-20.00' })
    expect(exceptions).toMatchObject([
      { severity: 'error', code: 'COST_MISSING', transactionId: 'S' },
    ])
    expect(tieOuts).toContainEqual({
      check: 'costs',
      expected: '1',
      actual: '0',
      delta: '-1',
      status: 'incomplete',
    })
  })

  it('is a warning: a product of which nobody says whether it is cannabis', () => {
    expect(journalOf([simple([paid('Cash', 20)], { items: [item('P-NEW', 20)] })])).toMatchObject({
      held: false,
      exceptions: [{ severity: 'warning', code: 'CANNABIS_UNKNOWN' }],
    })
  })

  it('goes to suspense only with somebody’s word and reason, and is marked', () => {
    const sales = [read({ ...T1, payments: [] })]
    expect(buildJournal({ sales, settings: DEFAULT_ACCOUNTING })).toMatchObject({ held: true })
    const { lines, held, suspense, exceptions, tieOuts } = buildJournal({
      sales,
      settings: DEFAULT_ACCOUNTING,
      suspenseReason: 'drawer count of the 9th',
    })
    expect(held).toBe(false)
    expect(amountText(suspense)).toBe('87.50')
    expect(lines.find(({ metric }) => metric === 'suspense')).toMatchObject({
      account: { code: '9999' },
      part: 'drawer count of the 9th',
    })
    expect(sidesOf(lines).debit).toBe(sidesOf(lines).credit)
    expect(exceptions.at(-1)).toEqual({
      severity: 'override',
      code: 'SUSPENSE',
      transactionId: 'T1',
      detail: '87.50 on 9999: drawer count of the 9th',
    })
    expect(tieOuts).toContainEqual({
      check: 'tenders',
      expected: '87.50',
      actual: '0.00',
      delta: '-87.50',
      status: 'suspense',
    })
  })

  it('is seen although it cancels out over the day', () => {
    const [less, more] = [simple([paid('Cash', 19)]), simple([paid('Cash', 21)])]
    const { held, tieOuts } = journalOf([less, more])
    expect(held).toBe(true)
    expect(tieOuts).toContainEqual({
      check: 'tenders',
      expected: '40.00',
      actual: '40.00',
      delta: '0.00',
      status: 'failed',
    })
  })
})

describe('mapped accounts', () => {
  it('follow the category first, then the consumer, then the chart', () => {
    const section = {
      byCategory: { Edible: { revenue: '4012 Edibles', cogs: '5012 COGS edibles' } },
      byConsumerType: { adult_use: { revenue: '4011 Adults', discounts: '4081 Adult discounts' } },
    }
    const cart = {
      items: [item('P-GUM', 20, { calcDiscount: 2 }), item('P-FLW', 10)],
      subTotal: 28,
      total: 28,
    }
    const { lines } = journalOf([simple([paid('Cash', 28)], cart)], section)
    expect(onAccounts(lines)).toEqual({
      '1010': '28.00',
      '1300': '-16.00',
      '4011': '-10.00',
      '4012': '-20.00',
      '4081': '2.00',
      '5010': '8.00',
      '5012': '8.00',
    })
    expect(lines.find(({ account }) => account.code === '4012')).toMatchObject({
      category: 'Edible',
      consumerType: 'adult_use',
    })
  })
})

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

describe('any sales that are consistent', () => {
  const cents = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max })
  const anItem = fc
    .record({
      product: fc.constantFrom('P-GUM', 'P-FLW', 'P-PIPE'),
      cost: cents(10_000),
      discount: cents(500),
      lots: fc.integer({ min: 1, max: 3 }),
    })
    .map(one => ({ ...one, discount: Math.min(one.discount, one.cost) }))
  const aSale = fc
    .record({
      items: fc.array(anItem, { minLength: 1, maxLength: 4 }),
      refund: fc.boolean(),
      medical: fc.boolean(),
      positive: fc.boolean(),
      cartDiscount: cents(300),
      loyalty: cents(300),
      delivery: cents(900),
      fee: cents(400),
      rounding: fc.integer({ min: -4, max: 4 }),
      taxes: fc.record({
        totalCityTax: cents(900),
        totalExciseTax: cents(900),
        totalStateTax: cents(900),
        totalCountyTax: cents(300),
        totalFedTax: cents(10),
      }),
      cashPart: cents(100),
      tip: cents(500),
      change: cents(2000),
      cashBack: cents(500),
      tender: fc.constantFrom('Debit', 'CashlessATM', 'Credit', 'GiftCard', 'Check', 'ACH'),
    })
    .map((sale, index = 0) => {
      const sign = sale.refund && !sale.positive ? -1 : 1
      const money = (amount: number): number => (sign * amount) / 100
      const of = (pick: (one: (typeof sale.items)[number]) => number): number =>
        sale.items.reduce((total, one) => total + pick(one), 0)
      const tax = Object.values(sale.taxes).reduce((a, b) => a + b)
      const total =
        of(({ cost }) => cost) -
        of(({ discount }) => discount) -
        sale.cartDiscount +
        sale.delivery +
        sale.fee +
        tax -
        sale.loyalty +
        (sale.refund ? 0 : sale.rounding)
      const cash = Math.floor((Math.abs(total) * sale.cashPart) / 100) * Math.sign(total)
      return {
        wanted: total > 0,
        wire: wireOf(
          `P${index}`,
          {
            transType: sale.refund ? 'Refund' : 'Sale',
            payments: [
              { paymentOption: 'Cash', paidAmount: money(cash), changeDue: money(sale.change) },
              {
                paymentOption: sale.tender,
                paidAmount: money(total - cash),
                blazeTip: money(sale.tip),
                cashBack: money(sale.cashBack),
              },
            ],
          },
          {
            consumerType: sale.medical ? 'MedicinalState' : 'AdultUse',
            items: sale.items.map(({ product, cost, discount, lots }) => ({
              productId: product,
              quantity: sign * lots,
              cost: money(cost),
              calcDiscount: money(discount),
              quantityLogs: Array.from({ length: lots }, () => ({
                batchId: 'B-BULK',
                quantity: sign,
              })),
            })),
            subTotal: money(of(({ cost, discount }) => cost - discount)),
            calcCartDiscount: money(sale.cartDiscount),
            appliedAfterTaxDiscount: money(sale.loyalty),
            deliveryFee: money(sale.delivery),
            creditCardFee: money(sale.fee),
            roundAmt: sale.refund ? 0 : sale.rounding / 100,
            totalCalcTax: money(tax),
            taxResult: Object.fromEntries(
              Object.entries(sale.taxes).map(([name, amount]) => [name, money(amount)]),
            ),
            total: money(total),
          },
        ),
      }
    })
    .filter(({ wanted }) => wanted)
    .map(({ wire }) => read(wire))

  it('balance to the cent, and are the sum of their parts in any split and order', () => {
    fc.assert(
      fc.property(
        fc.array(aSale, { maxLength: 12 }),
        fc.nat(),
        fc.func(fc.nat()),
        (sales, cut, shuffle) => {
          const whole = buildJournal({ sales, settings: DEFAULT_ACCOUNTING })
          expect(whole.exceptions).toEqual([])
          expect(whole.held).toBe(false)
          expect(sidesOf(whole.lines).debit).toBe(sidesOf(whole.lines).credit)
          const shuffled = sales
            .map((sale, index) => ({ sale, key: shuffle(index) }))
            .sort((a, b) => a.key - b.key)
            .map(({ sale }) => sale)
          expect(buildJournal({ sales: shuffled, settings: DEFAULT_ACCOUNTING }).lines).toEqual(
            whole.lines,
          )
          const at = cut % (sales.length + 1)
          const parts = [shuffled.slice(0, at), shuffled.slice(at)].flatMap(
            part => buildJournal({ sales: part, settings: DEFAULT_ACCOUNTING }).lines,
          )
          // A part that adds up to nothing is no line, and then not counted either: amounts are
          // what must be the same.
          const amounts = (lines: readonly JournalLine[]) =>
            lines.map(line => ({ ...line, transactions: 0 }))
          expect(amounts(addUp(parts))).toEqual(amounts(whole.lines))
          const on = onAccounts(whole.lines)
          expect(on['2300'] ?? '0.00').toBe(amountText(-sum(sales.map(({ tip }) => tip))))
          const tendered = whole.lines
            .filter(({ metric }) => metric === 'tender')
            .map(({ amount }) => amount)
          expect(sum(tendered)).toBe(sum(sales.map(({ totalDue, tip }) => totalDue + tip)))
        },
      ),
      { numRuns: process.env['TILLAGE_LONG'] === '1' ? 5000 : 150 },
    )
  })
})
