import type { ActionContext } from '../events/emit.ts'
import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import { findNumber } from '../model/records.ts'
import type { Portion } from '../stock/stock-room.ts'
import { parseExactly } from '../values/money.ts'
import { readQuantity } from '../values/quantity.ts'
import type { TransactionStep } from './states.ts'
import { move, TRANSACTION_MOVES } from './states.ts'
import { recordOf, recordsOf } from './values.ts'

/** A sale that a step may be taken from, in its own digits, and the status that it leads to. */
export function completedSale(
  doing: ActionContext,
  id: string,
  step: TransactionStep,
): { number: number; record: JsonRecord; status: string } {
  const { transactions } = doing.world.lists
  const number = findNumber(transactions, id, 'transactionId')
  const record = parseExactly(transactions.text(number)) as JsonRecord
  if (record['transType'] !== 'Sale')
    throw invalid('transType', 'Only sales are voided, refunded or paid otherwise')
  return {
    number,
    record,
    status: move(TRANSACTION_MOVES, step, 'status', String(record['status'])),
  }
}

/** The lines of its cart. */
export const itemsOf = (record: JsonRecord): JsonRecord[] =>
  recordsOf(recordOf(record['cart'])['items'])

/** What these lines took out of which batch and room. */
export const portionsOf = (items: readonly JsonRecord[]): Portion[] =>
  items.flatMap(item =>
    recordsOf(item['quantityLogs']).map(log => ({
      batchId: String(log['batchId']),
      inventoryId: String(log['inventoryId']),
      amount: readQuantity(log['quantity']) ?? 0,
    })),
  )
