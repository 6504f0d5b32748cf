import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { added, causesOf } from '../../../exports/journal/causes.ts'
import type { Cause, KnownSale } from '../../../exports/journal/causes.ts'
import type { Figures } from '../../../exports/journal/closing.ts'
import { explainClosing } from '../../../exports/journal/explain-closing.ts'
import { CENT } from '../../../money/amount.ts'
import { wireOf } from '../sales/worked-example.ts'
import { DEFAULT_ACCOUNTING } from './a-line.ts'
import { item, paid, read } from './a-sale.ts'

const REPORT = ['net_sales', 'tax', 'tips', 'total_due', 'tender:cash', 'tender:debit'] as const
const TENDERS = REPORT.filter(name => name.startsWith('tender:'))

interface Till {
  cents: number
  tipCents: number
  backCents: number
  tender: 'Cash' | 'Debit'
  isRefund: boolean
  isVoid: boolean
  editedCents: number | undefined
}

function known({ cents, editedCents, ...till }: Till, index: number): KnownSale {
  const of = (amount: number): KnownSale['sale'] => {
    const price = (till.isRefund ? -amount : amount) / 100
    return read(
      wireOf(
        `T${index}`,
        {
          transType: till.isRefund ? 'Refund' : 'Sale',
          status: till.isVoid ? 'Void' : 'Completed',
          payments: [
            paid(till.tender, price, {
              blazeTip: till.tipCents / 100,
              cashBack: till.backCents / 100,
            }),
          ],
        },
        { items: [item('P-GUM', price)], subTotal: price, total: price },
      ),
    )
  }
  return { sale: of(cents), earlier: editedCents === undefined ? [] : [of(editedCents)] }
}

const aSale: fc.Arbitrary<Till> = fc.record({
  cents: fc.integer({ min: 1, max: 50_000 }),
  tipCents: fc.integer({ min: 0, max: 500 }),
  backCents: fc.integer({ min: 0, max: 500 }),
  tender: fc.constantFrom('Cash', 'Debit'),
  isRefund: fc.boolean(),
  isVoid: fc.boolean(),
  editedCents: fc.option(fc.integer({ min: 1, max: 50_000 }), { nil: undefined }),
})
const aDay = fc.array(aSale, { minLength: 1, maxLength: 30 }).map(tills => tills.map(known))

const ofReport = (effect: Figures): Figures =>
  new Map(REPORT.map(name => [name, effect.get(name) ?? 0n]))
const isSeen = (effect: Figures): boolean =>
  [...ofReport(effect).values()].some(amount => amount !== 0n)
const causesIn = (sales: readonly KnownSale[]): Cause[] =>
  sales
    .flatMap(sale => causesOf(sale, DEFAULT_ACCOUNTING, TENDERS))
    .filter(({ effect }) => isSeen(effect))
const explain = (sales: readonly KnownSale[], effect: Figures) =>
  explainClosing({ sales, settings: DEFAULT_ACCOUNTING, differences: ofReport(effect) })
const texts = (found: readonly Cause[][]): string[] =>
  found.map(causes =>
    causes
      .map(({ transactionId, what }) => `${transactionId} ${what}`)
      .toSorted()
      .join(' + '),
  )

describe('what makes a closing report differ', () => {
  it('is named, whichever one thing of any day it is', () => {
    fc.assert(
      fc.property(aDay, fc.nat(), (sales, choice) => {
        const causes = causesIn(sales)
        const planted = causes[choice % causes.length]
        fc.pre(planted !== undefined)
        expect(texts(explain(sales, planted.effect).whole)).toContain(texts([[planted]])[0])
      }),
    )
  })

  it('is named, whichever two of two transactions it is, where no single thing makes it', () => {
    fc.assert(
      fc.property(aDay, fc.nat(), fc.nat(), (sales, first, second) => {
        const causes = causesIn(sales)
        const one = causes[first % Math.max(causes.length, 1)]
        const other = causes[second % Math.max(causes.length, 1)]
        fc.pre(one !== undefined && other !== undefined)
        fc.pre(one.transactionId !== other.transactionId)
        const planted = added(one.effect, other.effect)
        fc.pre(isSeen(planted))
        const { whole } = explain(sales, planted)
        fc.pre(whole.every(({ length }) => length === 2) && whole.length < 200)
        expect(texts(whole)).toContain(texts([[one, other]])[0])
      }),
    )
  })

  it('is explained by nothing that does not make it, to the cent', () => {
    fc.assert(
      fc.property(
        aDay,
        fc.array(fc.integer({ min: -9999, max: 9999 }), { minLength: 6, maxLength: 6 }),
        (sales, cents) => {
          const differences = new Map(REPORT.map((name, at) => [name, BigInt(cents[at]!) * CENT]))
          const { whole, parts, unexplained } = explain(sales, differences)
          for (const causes of whole) {
            const together = causes.map(({ effect }) => effect).reduce(added)
            expect(ofReport(together)).toEqual(differences)
          }
          const told = new Set([...parts.flatMap(({ figures }) => figures), ...unexplained])
          const wrong = [...differences].filter(([, amount]) => amount !== 0n).map(([name]) => name)
          expect(whole.length > 0 ? wrong : [...told].toSorted()).toEqual(
            whole.length > 0 ? wrong : wrong.toSorted(),
          )
        },
      ),
    )
  })

  it('is nothing where the figures agree, and what nothing explains is said', () => {
    const sales = [
      known(
        {
          cents: 2000,
          tipCents: 0,
          backCents: 0,
          tender: 'Cash',
          isRefund: false,
          isVoid: false,
          editedCents: undefined,
        },
        0,
      ),
    ]
    expect(explain(sales, new Map())).toEqual({ whole: [], parts: [], unexplained: [] })
    expect(explain(sales, new Map([['tax', CENT]]))).toEqual({
      whole: [],
      parts: [],
      unexplained: ['tax'],
    })
  })

  it('is said in words with the receipt', () => {
    const sales = [
      known(
        {
          cents: 410,
          tipCents: 0,
          backCents: 0,
          tender: 'Cash',
          isRefund: false,
          isVoid: true,
          editedCents: undefined,
        },
        0,
      ),
    ]
    const found = explain(
      sales,
      new Map(['net_sales', 'total_due', 'tender:cash'].map(name => [name, 410n * CENT])),
    )
    expect(found.whole).toMatchObject([
      [
        {
          kind: 'counted',
          transNo: '100',
          what: 'sale of 4.10, which is void and the till counts',
        },
      ],
    ])
  })
})
