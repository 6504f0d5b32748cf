import type { ActionContext } from '../events/emit.ts'
import { emit } from '../events/emit.ts'
import { invalid } from '../http/api-error.ts'
import { cents } from '../values/money.ts'
import { PAYMENT_OPTIONS } from './asked-cart.ts'
import { completedSale, itemsOf, portionsOf } from './completed-sale.ts'
import { addPoints } from './points.ts'
import { readChoice, recordOf, recordsOf, textOf } from './values.ts'

/**
 * What stores do to completed sales, and the documentation has no operation for: tests need it,
 * `/_control` offers it.
 */

/**
 * Voided after completion: Canceled, the goods back on their shelves, the points taken back as far
 * as they are there.
 */
export function voidTransaction(doing: ActionContext, id: string): string {
  const { lists, stock } = doing.world
  const { number, record, status } = completedSale(doing, id, 'void')
  stock.put(portionsOf(itemsOf(record)), doing.nowMs)
  const memberId = textOf(record['memberId'])
  const has =
    memberId === undefined ? 0 : (cents(lists.members.get(memberId)?.['loyaltyPoints']) ?? 0)
  if (memberId !== undefined)
    addPoints(
      doing,
      memberId,
      { points: -Math.min(has, cents(record['pointsEarned']) ?? 0), activityType: 'Adjust' },
      { note: 'Void', transactionId: id },
    )
  lists.transactions.edit(
    number,
    { status, active: false, canceledTime: doing.nowMs, updated: true },
    doing.nowMs,
  )
  emit(doing, 'CANCEL_TRANSACTION', lists.transactions, id)
  return id
}

/** Paid otherwise than was typed in: corrected after the fact, the amounts stay. */
export function editPayment(doing: ActionContext, id: string, paymentOption: unknown): string {
  const { transactions } = doing.world.lists
  const { number, record } = completedSale(doing, id, 'editPayment')
  if (textOf(paymentOption) === undefined)
    throw invalid('paymentOption', 'paymentOption is required')
  const option = readChoice(
    paymentOption,
    'paymentOption',
    PAYMENT_OPTIONS.filter(one => one !== 'Split'),
    'Cash',
  )
  const payments = recordsOf(record['payments']).map(row => ({
    ...row,
    paymentOption: option,
    storageLocation: option === 'Cash' ? 'CashDrawer' : 'CashVault',
  }))
  transactions.edit(
    number,
    { payments, cart: { ...recordOf(record['cart']), paymentOption: option }, updated: true },
    doing.nowMs,
  )
  emit(doing, 'UPDATE_TRANSACTION', transactions, id)
  return id
}
