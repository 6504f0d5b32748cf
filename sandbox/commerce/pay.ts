import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { Payment, PaymentOption, Tender } from '../seed/payments.ts'
import { cents, decimal } from '../values/money.ts'
import { PAYMENT_OPTIONS } from './asked-cart.ts'
import { readAmount, readChoice, recordsOf, textOf } from './values.ts'

/** One row of `payments[]`, in cents; `cardNumber` only where a gift card pays. */
export interface Paid extends Payment {
  cardNumber: string | undefined
  paidTime: number
}

const TENDERS = PAYMENT_OPTIONS.filter((option): option is Tender => option !== 'Split')

/**
 * Reads what somebody paid: a list of payments, or one. Reading: `{paymentOption, amount, tip}`;
 * the seeded names are taken too.
 */
export function readPayments(body: unknown, nowMs: number): Paid[] {
  return (Array.isArray(body) ? recordsOf(body) : [body as JsonRecord]).map(row => {
    const tender = readChoice(
      row['paymentOption'] ?? row['paymentType'],
      'paymentOption',
      TENDERS,
      'Cash',
    )
    const paid = readAmount(row['amount'] ?? row['paidAmount'] ?? row['paymentReceived'], 'amount')
    if (paid === 0) throw invalid('amount', 'amount must be more than 0')
    return {
      tender,
      paid,
      fee: 0,
      tip: readAmount(row['tip'] ?? row['blazeTip'], 'tip'),
      change: 0,
      cashBack: 0,
      cardNumber: textOf(row['cardNumber']),
      paidTime: nowMs,
    }
  })
}

/** What is to be paid, in cents, and how the cart says it is paid. */
export interface Due {
  total: number
  cardFee: number
  option: PaymentOption
}

/**
 * The rows that settle a total to the cent: what was paid before, and the rest as the cart says.
 * Cash beyond the total comes back as change; too much of anything else is refused, and so is too
 * little.
 */
export function settleTotal(
  due: Due,
  given: readonly Paid[],
  received: number | undefined,
  nowMs: number,
): Paid[] {
  const paid = given.reduce((sum, row) => sum + row.paid, 0)
  if (given.length > 0 && paid < due.total) throw invalid('payments', 'Less was paid than is due')
  const rows =
    given.length === 0
      ? [payWhole(due, received, nowMs)]
      : giveChange(
          given.map(row => ({ ...row })),
          paid - due.total,
        )
  rows[0]!.fee = due.cardFee
  return rows
}

/** `excess` comes back out of the last cash; refused where there is not so much of it. */
function giveChange(rows: Paid[], excess: number): Paid[] {
  if (excess === 0) return rows
  const cash = rows.findLast(row => row.tender === 'Cash')
  if (cash === undefined || cash.paid < excess)
    throw invalid('payments', 'More was paid than is due')
  cash.change += excess
  cash.paid -= excess
  return rows
}

function payWhole({ total, option }: Due, received: number | undefined, paidTime: number): Paid {
  if (received !== undefined && received < total)
    throw invalid('cashReceived', 'Less cash was received than is due')
  const tender: Tender = option === 'Split' ? 'Cash' : option
  return {
    tender,
    paid: total,
    fee: 0,
    tip: 0,
    change: tender === 'Cash' && received !== undefined ? received - total : 0,
    cashBack: 0,
    cardNumber: undefined,
    paidTime,
  }
}

/** How it was paid, in one word. */
export const optionOf = (payments: readonly Paid[]): PaymentOption =>
  new Set(payments.map(row => row.tender)).size > 1 ? 'Split' : payments[0]!.tender

/** What went into the drawer, and what came out of it. */
export function cashOf(payments: readonly Paid[]): { cash: number; change: number } {
  const change = payments.reduce((sum, row) => sum + row.change, 0)
  return {
    cash: payments.reduce(
      (sum, row) => (row.tender === 'Cash' ? sum + row.paid + row.change : sum),
      0,
    ),
    change,
  }
}

/** As the seeded payments are written (`writePayment`). */
export function paymentRecord(
  { tender, paid, fee, tip, change, cashBack, cardNumber, paidTime }: Paid,
  id: string,
  at: number,
): JsonRecord {
  return {
    id: `${id}p${at}`,
    line: at + 1,
    paymentOption: tender,
    paidAmount: decimal(paid),
    paymentReceived: decimal(paid + tip + change + cashBack),
    changeDue: decimal(change),
    cashBack: decimal(cashBack),
    blazeTip: decimal(tip),
    blazeFee: decimal(fee),
    blazeTotalCharged: decimal(paid + tip + cashBack),
    paidTime,
    storageLocation: tender === 'Cash' ? 'CashDrawer' : 'CashVault',
    ...(cardNumber === undefined ? {} : { cardNumber: maskCard(cardNumber) }),
  }
}

/** A payment as it was recorded. */
export function readPaid(row: JsonRecord): Paid {
  const amount = (field: string): number => cents(row[field]) ?? 0
  return {
    tender: readChoice(row['paymentOption'], 'paymentOption', TENDERS, 'Cash'),
    paid: amount('paidAmount'),
    fee: amount('blazeFee'),
    tip: amount('blazeTip'),
    change: amount('changeDue'),
    cashBack: amount('cashBack'),
    cardNumber: textOf(row['cardNumber']),
    paidTime: Number(row['paidTime'] ?? 0),
  }
}

export const maskCard = (number: string): string =>
  `${'*'.repeat(Math.max(0, number.length - 4))}${number.slice(-4)}`
