import { amountText } from '../../money/amount.ts'
import type { Amount } from '../../money/amount.ts'
import type { Sale, SalePayment } from '../sales/sale.ts'
import { addFigures } from './closing.ts'
import type { Figures } from './closing.ts'
import { roundSale } from './entry.ts'
import { postSale } from './post-sale.ts'
import type { AccountingSettings } from './settings.ts'

/** One thing that a till may see otherwise than the books, and what it would change. */
export interface Cause {
  kind: 'not counted' | 'counted' | 'edited' | 'sign' | 'tip' | 'cash back' | 'tender'
  transactionId: string
  /** The receipt's number, where the record has one. */
  transNo: string | undefined
  /** In words: `sale of 20.00 that the till does not have`. */
  what: string
  /** By how much each of our figures would differ, so that it is the till's. */
  effect: Figures
}

/** A transaction of the day, with the states that it had before, oldest first. */
export interface KnownSale {
  sale: Sale
  earlier: readonly Sale[]
}

/** Everything of one transaction that a till may see otherwise; `tenders` are those it knows. */
export function causesOf(
  { sale, earlier }: KnownSale,
  settings: AccountingSettings,
  tenders: readonly string[],
): Cause[] {
  const cause = (kind: Cause['kind'], what: string, effect: Figures): Cause => ({
    kind,
    transactionId: sale.id,
    transNo: sale.transNo,
    what,
    effect,
  })
  const own = figuresOf(sale, settings)
  if (sale.excluded !== undefined)
    return [
      cause('counted', `${wordOf(sale)}, which is ${sale.excluded} and the till counts`, own),
      ...editsOf({ sale, earlier }, settings, cause),
    ]
  return [
    cause('not counted', `${wordOf(sale)}, which the till does not count`, scaled(own, -1n)),
    ...(sale.type === 'refund'
      ? [cause('sign', `${wordOf(sale)}, which the till counts as a sale`, scaled(own, -2n))]
      : []),
    ...editsOf({ sale, earlier }, settings, cause),
    ...sale.payments.flatMap(payment => paymentCauses(payment, tenders, cause)),
  ]
}

type MakeCause = (kind: Cause['kind'], what: string, effect: Figures) => Cause

const wordOf = ({ type, totalDue }: Sale): string => `${type} of ${amountText(totalDue)}`

/** The figures of one transaction as if it were booked. */
function figuresOf(sale: Sale, settings: AccountingSettings): Figures {
  const figures = new Map<string, Amount>()
  addFigures(figures, sale, roundSale(postSale(sale, settings).postings).lines)
  return figures
}

/** States of before: the till was read when one of them stood. */
function editsOf({ sale, earlier }: KnownSale, settings: AccountingSettings, cause: MakeCause) {
  const counts = (one: Sale): Figures =>
    one.excluded === undefined ? figuresOf(one, settings) : new Map<string, Amount>()
  const now = scaled(counts(sale), -1n)
  return earlier.map(before => {
    const effect = added(counts(before), now)
    const changed = [...effect].filter(([, amount]) => amount !== 0n)
    const words = changed.map(([name, amount]) => `${name} ${signed(-amount)}`).join(', ')
    return cause('edited', `edited after the report: ${words}`, effect)
  })
}

function paymentCauses(
  { tender, applied, tip, change, cashBack }: SalePayment,
  tenders: readonly string[],
  cause: MakeCause,
): Cause[] {
  const own = `tender:${tender}`
  const back = tender === 'cash' ? cashBack : change + cashBack
  const moved = (to: string, amount: Amount): Figures =>
    new Map([
      [own, -amount],
      [to, amount],
    ])
  return [
    ...tenders
      .filter(other => other !== own)
      .map(other =>
        cause(
          'tender',
          `${amountText(applied)} in ${tender}, which the till has in ${other.slice(TENDER)}`,
          moved(other, applied),
        ),
      ),
    cause(
      'tip',
      `tip of ${amountText(tip)}, which the till has in ${tender}`,
      new Map([[own, tip]]),
    ),
    cause(
      'tip',
      `tip of ${amountText(tip)}, which the till has in ${tender} and in its total`,
      new Map([
        [own, tip],
        ['total_due', tip],
      ]),
    ),
    ...(own === CASH
      ? []
      : [
          cause(
            'cash back',
            `${amountText(back)} back in cash on ${tender}, which the till has in both`,
            new Map([
              [own, back],
              [CASH, -back],
            ]),
          ),
        ]),
  ]
}

const CASH = 'tender:cash'
const TENDER = 'tender:'.length

const signed = (amount: Amount): string => `${amount > 0n ? '+' : ''}${amountText(amount)}`

const scaled = (figures: Figures, by: bigint): Figures =>
  new Map([...figures].map(([name, amount]) => [name, amount * by]))

/** Two figures of each name together. */
export function added(one: Figures, other: Figures): Figures {
  const sums = new Map(one)
  for (const [name, amount] of other) sums.set(name, (sums.get(name) ?? 0n) + amount)
  return sums
}
