import { transactions as stream } from '../connectors/partner/streams/transactions.ts'
import { TillageError } from '../errors.ts'
import { marksOf, transactionTypeOf } from '../exports/sales/read-sale.ts'
import type { TransactionType } from '../exports/sales/sale.ts'
import { magnitude, toAmount } from '../money/amount.ts'
import type { Amount } from '../money/amount.ts'
import { fieldsOf, listOf, textOf, timeOf } from '../text/record-fields.ts'
import type { Fields } from '../text/record-fields.ts'
import { lotKey } from './quantities.ts'

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
 * by their own list. Each counts at the moment that books it. Fails with MOVEMENT_UNPROVEN where a
 * time or a quantity is missing: unknown is not 0 (INV-4).
 */
export function movementsOf(transactions: readonly Fields[]): Movement[] {
  return transactions.flatMap(transaction => {
    const { status, transType } = transaction
    const { isDeleted, isCompleted } = marksOf(transaction)
    if (isDeleted || (status !== undefined && !isCompleted)) return []
    const transactionId = textOf(transaction['id']) ?? ''
    const type = transactionTypeOf(textOf(transType) ?? 'Sale')
    const moved = MOVERS[type]?.(transaction) ?? []
    const atMs = bookedAt(transaction)
    return moved.map(({ amount, ...one }) => {
      if (atMs === undefined) throw unknown(transactionId, 'when it moved goods')
      if (amount === undefined) throw unknown(transactionId, `how much it moved of ${one.key}`)
      return { atMs, transactionId, ...one, amount }
    })
  })
}

const bookedAt = (transaction: Fields): number | undefined =>
  stream.bookedAt?.map(field => timeOf(transaction[field])).find(ms => ms !== undefined)

const unknown = (id: string, what: string): TillageError =>
  new TillageError('MOVEMENT_UNPROVEN', `the transaction ${id} does not say ${what}`, {
    remedy: `Look at it: tillage api GET /api/v1/partner/transactions/${id}`,
  })

/** Without an amount, the API does not say how much. */
type Moved = Pick<Movement, 'kind' | 'key'> & { amount: Amount | undefined }

const MOVERS: Readonly<Partial<Record<TransactionType, (transaction: Fields) => Moved[]>>> = {
  sale: transaction =>
    lotsOf(transaction).map(({ key, amount }) => ({ key, kind: 'sold', amount: out(amount) })),
  refund: transaction => lotsOf(transaction).map(lot => ({ ...lot, kind: 'returned' })),
  transfer: transaction =>
    listOf(fieldsOf(transaction['transferRequest'])['transfers']).flatMap(line =>
      transferred(fieldsOf(line)),
    ),
}

/** How much, whatever sign the API gives it. */
function quantityOf(value: unknown): Amount | undefined {
  const amount = toAmount(value)
  return amount === undefined ? undefined : magnitude(amount)
}

const out = (amount: Amount | undefined): Amount | undefined =>
  amount === undefined ? undefined : -amount

/** A line that says its lots says all; else the one lot of the line. */
function lotsOf(transaction: Fields): Omit<Moved, 'kind'>[] {
  const items = listOf(fieldsOf(transaction['cart'])['items']).map(fieldsOf)
  return items.flatMap(item => {
    const logs = Array.isArray(item['quantityLogs'])
      ? listOf(item['quantityLogs']).map(fieldsOf)
      : [item]
    return logs.flatMap(log => {
      const batchId = textOf(log['batchId'])
      const inventoryId = textOf(log['inventoryId']) ?? textOf(item['inventoryId'])
      if (batchId === undefined || inventoryId === undefined) return []
      return [{ key: lotKey(inventoryId, batchId), amount: quantityOf(log['quantity']) }]
    })
  })
}

function transferred(line: Fields): Moved[] {
  const amount = quantityOf(line['transferAmount'])
  const fromBatch = textOf(line['fromBatchId'])
  const toBatch = textOf(line['toBatchId']) ?? fromBatch
  const [from, to] = [textOf(line['fromInventoryId']), textOf(line['toInventoryId'])]
  const moved: Moved[] = []
  if (from !== undefined && fromBatch !== undefined)
    moved.push({ kind: 'transfers_out', key: lotKey(from, fromBatch), amount: out(amount) })
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
