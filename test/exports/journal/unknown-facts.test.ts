import { describe, expect, it } from 'vitest'
import { buildJournal } from '../../../exports/journal/build-journal.ts'
import { sidesOf } from '../../../exports/journal/entry.ts'
import { amountText } from '../../../money/amount.ts'
import { T1 } from '../sales/worked-example.ts'
import { DEFAULT_ACCOUNTING } from './a-line.ts'
import { item, journalOf, onAccounts, paid, read, simple } from './a-sale.ts'
import type { Wire } from './a-sale.ts'

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
        detail:
          'payment 1 was made by "Zelle", which has no account: name it in accounting.tenders',
      },
    ])
    const mapped = journalOf([wire], { tenders: { Zelle: '1090 Zelle clearing' } })
    expect(mapped.held).toBe(false)
    expect(onAccounts(mapped.lines)).toMatchObject({ '1090': '20.00' })
  })

  it('needs no account where it moves nothing: a sale for nothing, paid by an unknown tender', () => {
    const nothing = journalOf([simple([paid('Cash', 20), paid('None', 0)])])
    expect(nothing).toMatchObject({ held: false, exceptions: [] })
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

  it('is a warning: a line whose lots are only a part of it, and its cost with them', () => {
    const line = (quantity: number, lots: number[], rest: object = {}) =>
      item('P-GUM', 20, {
        quantity,
        quantityLogs: lots.map(each => ({ batchId: 'B-GUM', quantity: each })),
        ...rest,
      })
    const told = (items: Wire[], changes: Wire = {}): unknown => {
      const total = 20 * items.length
      const cart = { items, subTotal: total, total }
      const { held, exceptions } = journalOf([simple([paid('Cash', total)], cart, changes)])
      return {
        held,
        exceptions: exceptions.map(one => `${one.severity} ${one.code}: ${one.detail}`),
      }
    }
    expect(told([line(2, [2]), line(3, [1, 0.5])])).toEqual({
      held: false,
      exceptions: [
        'warning LOTS_SHORT: the lots of line 2 are 1.5 of 3; the rest has no cost of goods',
      ],
    })
    const whole = { held: false, exceptions: [] }
    expect(told([line(0.3, [0.1, 0.2]), line(0.3, [0.29999999999])])).toEqual(whole)
    expect(told([line(1, [3]), line(2, [], { unitCost: 8 })])).toEqual(whole)
    expect(told([line(2, [1])], { transType: 'Refund' })).toEqual(whole)
  })

  it('is a warning: a payment that is marked as deleted, and is no money', () => {
    const debit = paid('Debit', 20, { deleted: true })
    const warning = {
      severity: 'warning',
      code: 'PAYMENT_DELETED',
      transactionId: 'S',
      detail: 'payment 1 of 20.00 is marked as deleted; it is not counted',
    }
    const { held, lines, exceptions } = journalOf([simple([debit, paid('Cash', 20)])])
    expect({ held, exceptions }).toEqual({ held: false, exceptions: [warning] })
    expect(onAccounts(lines)).toMatchObject({ '1010': '20.00' })
    const unpaid = journalOf([simple([debit])])
    expect(unpaid).toMatchObject({ held: true, exceptions: [{ code: 'TIE_OUT' }, warning] })
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

describe('a transaction that is over, and that nobody knows', () => {
  const told = (changes: object): string[] => {
    const { held, lines, exceptions } = journalOf([simple([paid('Cash', 20)], {}, { ...changes })])
    expect({ held, lines }).toEqual({ held: false, lines: [] })
    return exceptions.map(
      ({ severity, code, transactionId, detail }) =>
        `${severity} ${code} ${transactionId}: ${detail}`,
    )
  }

  it.each([
    [
      'a type',
      { transType: 'Adjustment' },
      'TYPE_UNKNOWN S: it has the type "Adjustment", which is not known, so its 20.00 are not booked',
    ],
    ['no type', { transType: null }, 'TYPE_UNKNOWN S: it has no type, so its 20.00 are not booked'],
    [
      'a status',
      { status: 'Refunded', completedTime: null },
      'STATUS_UNKNOWN S: it has the status "Refunded", which is not known, so its 20.00 are not booked',
    ],
    [
      'no status',
      { status: '' },
      'STATUS_UNKNOWN S: it has no status, so its 20.00 are not booked',
    ],
    [
      'a status that is a text of its own',
      { status: 'see the note of +1 555 0100 (Ana)' },
      'STATUS_UNKNOWN S: it has the status (33 characters, no word), which is not known, so its 20.00 are not booked',
    ],
  ])('by %s is left out with a warning, and holds nothing', (_, changes, warning) => {
    expect(told(changes)).toEqual([`warning ${warning}`])
  })

  it.each([
    { status: 'VOID' },
    { status: 'In Progress' },
    { status: 'Queued', transType: 'Adjustment' },
    { status: 'pending' },
    { status: 'CanceledByDispensary' },
    { transType: 'Transfer' },
    { transType: 'Reconciliation', status: 'Whatever' },
    { transType: 'Adjustment', deleted: true },
    { status: 'Reserved', completedTime: null, processedTime: 0 },
  ])('is nothing that says itself that it is no sale, or is not over: %j', changes => {
    expect(told(changes)).toEqual([])
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

  it('of a kind of consumer are none of what is no cannabis, but for its discounts and costs', () => {
    const product = { category: { name: 'Pipes', cannabis: false } }
    const items = [item('P-GUM', 20), item('P-PIPE', 10, { product, calcDiscount: 1 })]
    const cart = { consumerType: 'MedicinalState', items, subTotal: 29, total: 29 }
    const own = {
      revenue: '4021 State patients',
      discounts: '4082 Patients',
      cogs: '5020 Patients',
    }
    const told = (section: object): Record<string, string> =>
      onAccounts(journalOf([simple([paid('Cash', 29)], cart)], section).lines)
    const byConsumerType = { medicinal_state: own }
    const goods = { '1010': '29.00', '1300': '-16.00', '4021': '-20.00', '5020': '16.00' }
    expect(told({ byConsumerType })).toEqual({ ...goods, '4030': '-10.00', '4082': '1.00' })
    const byCategory = { Pipes: '4031 Pipes' }
    expect(told({ byConsumerType, byCategory })).toEqual({
      ...goods,
      '4031': '-10.00',
      '4082': '1.00',
    })
  })

  it('of the taxes of fees are the state’s, until they have their own', () => {
    const cart = {
      deliveryFee: 5,
      totalCalcTax: 2.8,
      taxResult: { totalStateTax: 2, totalDeliveryFeeTax: 0.5, totalSurchargeTax: 0.3 },
      total: 27.8,
    }
    const told = (taxes: object): Record<string, string> => {
      const { held, exceptions, tieOuts, lines } = journalOf([simple([paid('Cash', 27.8)], cart)], {
        taxes,
      })
      expect({ held, exceptions }).toEqual({ held: false, exceptions: [] })
      expect(tieOuts).toContainEqual({
        check: 'post_taxes',
        expected: '2.80',
        actual: '2.80',
        delta: '0.00',
        status: 'ok',
      })
      return Object.fromEntries(
        lines
          .filter(({ metric }) => metric === 'tax')
          .map(({ authority, account, amount }) => [
            `${account.code} ${authority}`,
            amountText(amount),
          ]),
      )
    }
    expect(told({})).toEqual({
      '2230 delivery': '-0.50',
      '2230 state': '-2.00',
      '2230 surcharge': '-0.30',
    })
    expect(told({ state: '2231 Sales tax', surcharge: '2260 Surcharge tax' })).toEqual({
      '2231 delivery': '-0.50',
      '2231 state': '-2.00',
      '2260 surcharge': '-0.30',
    })
  })
})
