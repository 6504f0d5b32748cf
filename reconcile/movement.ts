import { lotKey } from '../audit/quantities.ts'
import type { Amount } from '../exports/books/amount.ts'
import { magnitude } from '../exports/books/amount.ts'
import { marksOf, transactionTypeOf } from '../exports/books/read-sale.ts'
import { amountOf, fieldsOf, listOf, textOf, timeOf } from '../exports/books/record.ts'
import type { Fields } from '../exports/books/record.ts'
import type { TransactionType } from '../exports/books/sale.ts'

/** What a transaction did to a lot in a room. */
export interface Movement {
  atMs: number
  transactionId: string
  kind: 'sold' | 'returned' | 'transfers_in' | 'transfers_out'
  key: string
  /** Signed: what left the room is negative. */
  amount: Amount
}

/**
 * What transactions moved: sales by the lots that they were drawn from, refunds by those that came
 * back, transfers on both sides. Reconciliations set amounts and move nothing; they are told apart
 * by their own list.
 */
export function movementsOf(transactions: readonly Fields[]): Movement[] {
  return transactions.flatMap(transaction => {
    const { status, transType } = transaction
    const { isDeleted, isCompleted } = marksOf(transaction)
    if (isDeleted || (status !== undefined && !isCompleted)) return []
    const atMs = timeOf(transaction['completedTime']) ?? timeOf(transaction['processedTime'])
    if (atMs === undefined) return []
    const transactionId = textOf(transaction['id']) ?? ''
    const type = transactionTypeOf(textOf(transType) ?? 'Sale')
    const moved = MOVERS[type]?.(transaction) ?? []
    return moved.map(one => ({ atMs, transactionId, ...one }))
  })
}

type Moved = Pick<Movement, 'kind' | 'key' | 'amount'>

const MOVERS: Readonly<Partial<Record<TransactionType, (transaction: Fields) => Moved[]>>> = {
  sale: transaction =>
    lotsOf(transaction).map(lot => ({ ...lot, kind: 'sold', amount: -lot.amount })),
  refund: transaction => lotsOf(transaction).map(lot => ({ ...lot, kind: 'returned' })),
  transfer: transaction =>
    listOf(fieldsOf(transaction['transferRequest'])['transfers']).flatMap(line =>
      transferred(fieldsOf(line)),
    ),
}

/** A line that says its lots says all; else the one lot of the line. */
function lotsOf(transaction: Fields): { key: string; amount: Amount }[] {
  const items = listOf(fieldsOf(transaction['cart'])['items']).map(fieldsOf)
  return items.flatMap(item => {
    const logs = Array.isArray(item['quantityLogs'])
      ? listOf(item['quantityLogs']).map(fieldsOf)
      : [item]
    return logs.flatMap(log => {
      const batchId = textOf(log['batchId'])
      const inventoryId = textOf(log['inventoryId']) ?? textOf(item['inventoryId'])
      if (batchId === undefined || inventoryId === undefined) return []
      return [{ key: lotKey(inventoryId, batchId), amount: magnitude(amountOf(log['quantity'])) }]
    })
  })
}

function transferred(line: Fields): Moved[] {
  const amount = magnitude(amountOf(line['transferAmount']))
  const fromBatch = textOf(line['fromBatchId'])
  const toBatch = textOf(line['toBatchId']) ?? fromBatch
  const [from, to] = [textOf(line['fromInventoryId']), textOf(line['toInventoryId'])]
  const moved: Moved[] = []
  if (from !== undefined && fromBatch !== undefined)
    moved.push({ kind: 'transfers_out', key: lotKey(from, fromBatch), amount: -amount })
  if (to !== undefined && toBatch !== undefined)
    moved.push({ kind: 'transfers_in', key: lotKey(to, toBatch), amount })
  return moved
}

/** Everything that moved a lot after one instant, and not after another. */
export function movedBetween(
  movements: readonly Movement[],
  key: string,
  afterMs: number,
  untilMs = Infinity,
): Amount {
  let sum = 0n
  for (const one of movements)
    if (one.key === key && one.atMs > afterMs && one.atMs <= untilMs) sum += one.amount
  return sum
}
