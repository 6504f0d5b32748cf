import type { Amount } from '../../money/amount.ts'
import { toAmount } from '../../money/amount.ts'
import type { Fields } from '../../text/record-fields.ts'
import {
  amountOf,
  commonSign,
  fieldsOf,
  isMarkedDeleted,
  listOf,
  oneSign,
  textOf,
  timeOf,
} from '../../text/record-fields.ts'
import type { Sale, SalePayment, Tender } from './sale.ts'
import { wordTable } from './word-table.ts'

const TENDERS = wordTable<Tender>({
  cash: 'cash',
  debit: 'debit',
  credit: 'credit',
  cashlessatm: 'cashless_atm',
  ach: 'ach',
  check: 'check',
  cheque: 'check',
  storecredit: 'store_credit',
  giftcard: 'gift_card',
  loyalty: 'loyalty',
})

/**
 * The tender that a payment option means; whatever is not in the table is `other`, with its own
 * name beside it.
 */
export function tenderOf(name: string | undefined): Tender {
  return TENDERS.get(name?.toLowerCase().replaceAll(/[^a-z]/g, '') ?? '') ?? 'other'
}

/**
 * `payments[]`, or what the cart says about how it was paid where the record lists none, or none
 * with an amount that we know. What is marked as deleted is no money, and not for the cart to
 * replace: where nothing else was paid, nothing was. `total` is in the sign of the books.
 */
export function readPayments(
  record: Fields,
  cart: Fields,
  refund: boolean,
  total: Amount,
): SalePayment[] {
  const listed = listedPayments(record)
  if (!listed.some(({ wire }) => hasAmount(wire))) return derivePayments(cart, refund, total)
  const kept = listed.filter(({ wire }) => !isMarkedDeleted(wire))
  const applied = kept.map(({ wire }) => appliedOf(wire))
  const turn = commonSign(refund, applied)
  const one = oneSign(refund)
  return kept.map(({ wire, paymentNo }, index): SalePayment => {
    const tenderName = textOf(wire['paymentOption'])
    const parts = {
      applied: turn(applied[index]!),
      tip: one(amountOf(wire['blazeTip'])),
      change: one(amountOf(wire['changeDue'])),
      cashBack: one(amountOf(wire['cashBack'])),
    }
    const received = toAmount(wire['paymentReceived'])
    return {
      paymentNo,
      tender: tenderOf(tenderName),
      tenderName,
      direction: parts.applied < 0n || (refund && parts.applied === 0n) ? 'out' : 'in',
      ...parts,
      tendered:
        received === undefined
          ? parts.applied + parts.tip + parts.change + parts.cashBack
          : turnLike(received, parts.applied, applied[index]!),
      fee: one(amountOf(wire['blazeFee'])),
      paidMs: timeOf(wire['paidTime']),
      storageLocation: textOf(wire['storageLocation']),
      derived: false,
    }
  })
}

/** Those that would move money if they counted. */
export const deletedPaymentsOf = (record: Fields): Sale['deletedPayments'] =>
  listedPayments(record)
    .filter(({ wire }) => isMarkedDeleted(wire))
    .map(({ wire, paymentNo }) => ({ paymentNo, applied: appliedOf(wire) }))
    .filter(({ applied }) => applied !== 0n)

const listedPayments = (record: Fields): { wire: Fields; paymentNo: number }[] =>
  listOf(record['payments']).map((wire, index) => ({ wire: fieldsOf(wire), paymentNo: index + 1 }))

/** The documentation leaves their names open. */
const AMOUNTS = ['paidAmount', 'paymentReceived', 'amount'] as const

const hasAmount = (wire: Fields): boolean =>
  AMOUNTS.some(name => toAmount(wire[name]) !== undefined)

/** `paidAmount`; without it, what was received less what went beyond or back; else `amount`. */
function appliedOf(wire: Fields): Amount {
  const paid = toAmount(wire['paidAmount'])
  if (paid !== undefined) return paid
  const received = toAmount(wire['paymentReceived'])
  if (received === undefined) return amountOf(wire['amount'])
  return (
    received - amountOf(wire['changeDue']) - amountOf(wire['cashBack']) - amountOf(wire['blazeTip'])
  )
}

/** Has the sign of its payment: what was negated there is negated here. */
const turnLike = (amount: Amount, after: Amount, before: Amount): Amount =>
  after === before ? amount : -amount

function derivePayments(cart: Fields, refund: boolean, total: Amount): SalePayment[] {
  const option = textOf(cart['paymentOption'])
  if (total === 0n || option === undefined) return []
  const one = oneSign(refund)
  const row = (
    tenderName: string,
    applied: Amount,
    change = 0n,
  ): Omit<SalePayment, 'paymentNo'> => ({
    tender: tenderOf(tenderName),
    tenderName,
    direction: applied < 0n ? 'out' : 'in',
    applied,
    tendered: applied + change,
    change,
    cashBack: 0n,
    tip: 0n,
    fee: 0n,
    paidMs: undefined,
    storageLocation: textOf(cart['storageLocation']),
    derived: true,
  })
  const split = fieldsOf(cart['splitPayment'])
  const rows =
    option.toLowerCase() === 'split'
      ? // Whether a card was credit or debit is not said: `CreditDebit` is for a mapping to name.
        (
          [
            ['Cash', 'cashAmt'],
            ['CreditDebit', 'creditDebitAmt'],
            ['Check', 'checkAmt'],
          ] as const
        )
          .map(([name, field]) => row(name, one(amountOf(split[field]))))
          .filter(({ applied }) => applied !== 0n)
      : [row(option, total, one(amountOf(cart['changeDue'])))]
  return rows.map((payment, index) => ({ paymentNo: index + 1, ...payment }))
}
