/* oxlint-disable no-unused-expressions -- a tagged template writes: that is its effect */
import type { JsonWriter } from '../values/json-writer.ts'
import type { Dice } from '../values/random.ts'

export type Tender =
  | 'Cash'
  | 'Debit'
  | 'Credit'
  | 'CashlessATM'
  | 'Check'
  | 'StoreCredit'
  | 'GiftCard'

/**
 * One row of `payments[]`, in cents: `paid` is what it settles of the total, fee in and tip out.
 */
export interface Payment {
  tender: Tender
  paid: number
  fee: number
  tip: number
  change: number
  cashBack: number
}

/** How a sale is paid; `Split` is cash and a card. */
export type PaymentOption = Tender | 'Split'

/** How many of twenty sales are paid so. */
const SHARES: readonly (readonly [PaymentOption, number])[] = [
  ['Cash', 10],
  ['Debit', 5],
  ['CashlessATM', 2],
  ['Credit', 1],
  ['Split', 1],
  ['GiftCard', 1],
]
const OPTIONS = SHARES.flatMap(([option, share]) => Array.from({ length: share }, () => option))

export function pickOption(dice: Dice): PaymentOption {
  const option = OPTIONS[dice.below(OPTIONS.length)]!
  return option === 'GiftCard' ? dice.pick(['GiftCard', 'StoreCredit', 'Check']) : option
}

/** What the customer pays for paying so. */
export const feeOf = (option: PaymentOption): number => FEES[option] ?? 0

const FEES: Partial<Record<PaymentOption, number>> = { CashlessATM: 300, Credit: 250, Split: 100 }

/** What is to be paid, and how. */
interface Due {
  option: PaymentOption
  cart: { total: number; cardFee: number }
  delivery: boolean
}

const row = (tender: Tender, paid: number, rest: Partial<Payment> = {}): Payment => ({
  tender,
  paid,
  fee: 0,
  tip: 0,
  change: 0,
  cashBack: 0,
  ...rest,
})

/** The rows that settle a total, to the cent. */
export function settle({ option, cart, delivery }: Due, dice: Dice): Payment[] {
  const { total, cardFee: fee } = cart
  const tip = delivery || dice.chance(0.06) ? dice.between(1, 6) * 100 : 0
  const change = (paid: number): number =>
    dice.chance(0.3) ? 0 : Math.ceil(paid / 2000) * 2000 - paid
  if (option === 'Split' && total > 200 + fee) {
    const cash = Math.floor((total * dice.between(20, 80)) / 10_000) * 100
    return [row('Debit', total - cash, { fee, tip }), row('Cash', cash, { change: change(cash) })]
  }
  if (option === 'Split' || option === 'Cash')
    return [row('Cash', total, { fee, change: change(total) })]
  // A cashless ATM hands out whole fives; the rest comes back as cash.
  if (option === 'CashlessATM')
    return [
      row(option, total, {
        fee,
        tip,
        cashBack: Math.ceil((total + tip) / 500) * 500 - total - tip,
      }),
    ]
  return [row(option, total, { fee, tip: option === 'Debit' || option === 'Credit' ? tip : 0 })]
}

/**
 * Reading: `paymentReceived` = paid + tip + change + cash back, `blazeTotalCharged` = paid + tip +
 * cash back.
 */
export function writePayment(
  out: JsonWriter,
  payment: Payment,
  { id, line, paidTime }: { id: string; line: number; paidTime: string },
): void {
  const { tender, paid, tip, change, cashBack, fee } = payment
  const drawer = tender === 'Cash' ? 'CashDrawer' : 'CashVault'
  out.json`
    {"id":"${id}p${String(line - 1)}","line":${String(line)},"paymentOption":"${tender}",
    "paidAmount":${paid},"paymentReceived":${paid + tip + change + cashBack},
    "changeDue":${change},"cashBack":${cashBack},"blazeTip":${tip},"blazeFee":${fee},
    "blazeTotalCharged":${paid + tip + cashBack},"paidTime":${paidTime},
    "storageLocation":"${drawer}"}`
}
