/**
 * Goods that go from one room to another: what a request asks for, and what happens when it is
 * accepted.
 */
import { invalid } from '../http/api-error.ts'
import type { JsonRecord } from '../model/collection.ts'
import { findNumber } from '../model/records.ts'
import type { World } from '../model/world.ts'
import { quantity, readQuantity } from '../values/quantity.ts'
import { readGoods } from './goods-line.ts'
import type { Portion } from './stock-room.ts'

export type TransferStatus = 'PENDING' | 'ACCEPTED' | 'DECLINED'

/** States are not shown; reading: nothing moves while it is pending, and what was decided stays. */
const MOVES: Readonly<Record<TransferStatus, readonly TransferStatus[]>> = {
  PENDING: ['PENDING', 'ACCEPTED', 'DECLINED'],
  ACCEPTED: [],
  DECLINED: [],
}

export function checkMove(from: unknown, to: TransferStatus): void {
  const moves = MOVES[from as TransferStatus] ?? []
  if (!moves.includes(to))
    throw invalid('status', `A transfer that is ${String(from)} cannot become ${to}`)
}

/** One line of a transfer, its rooms and batch checked. */
interface Line {
  productId: string
  fromInventoryId: string
  toInventoryId: string
  fromBatchId: string | undefined
  amount: number
}

/**
 * The lines of a request; what a line does not say of its rooms, the request says for all. Refused
 * (400) where anything is unknown or not there.
 */
export function readTransfer(
  world: World,
  body: JsonRecord,
): { record: JsonRecord; lines: Line[] } {
  const { shop } = world
  for (const field of ['fromShopId', 'toShopId'])
    if (body[field] !== undefined && body[field] !== null && body[field] !== shop.shopId)
      throw invalid(field, 'A transfer stays inside the store')
  const sent = (body['transfers'] as JsonRecord[] | undefined) ?? []
  if (sent.length === 0) throw invalid('transfers', 'transfers is required')
  const lines = sent.map((_, at) => readLine(world, body, sent, at))
  plan(world, lines)
  return {
    record: {
      fromShopId: shop.shopId,
      toShopId: shop.shopId,
      fromInventoryId: lines[0]!.fromInventoryId,
      toInventoryId: lines[0]!.toInventoryId,
      transfers: lines.map(lineRecord),
    },
    lines,
  }
}

function readLine(world: World, body: JsonRecord, sent: readonly JsonRecord[], at: number): Line {
  const line = sent[at]!
  const place = `transfers.${at}`
  const room = (field: 'fromInventoryId' | 'toInventoryId'): string => {
    const id = line[field] ?? body[field]
    if (typeof id !== 'string') throw invalid(`${place}.${field}`, `${place}.${field} is required`)
    if (world.lists.inventories.get(id)?.['active'] !== true)
      throw invalid(`${place}.${field}`, 'There is no such active inventory')
    return id
  }
  const [fromInventoryId, toInventoryId] = [room('fromInventoryId'), room('toInventoryId')]
  if (fromInventoryId === toInventoryId)
    throw invalid(`${place}.toInventoryId`, 'A transfer goes from one inventory to another')
  const { productId, batchId: fromBatchId } = readGoods(world, line, place, 'fromBatchId')
  const amount = readQuantity(line['transferAmount'])
  if (amount === undefined || amount <= 0)
    throw invalid(`${place}.transferAmount`, `${place}.transferAmount must be more than 0`)
  return { productId, fromInventoryId, toInventoryId, fromBatchId, amount }
}

const lineRecord = (line: Line): JsonRecord => ({
  productId: line.productId,
  fromInventoryId: line.fromInventoryId,
  toInventoryId: line.toInventoryId,
  ...(line.fromBatchId === undefined
    ? {}
    : { fromBatchId: line.fromBatchId, toBatchId: line.fromBatchId }),
  transferAmount: quantity(line.amount),
})

/**
 * What each line takes from which batch, and puts where. A line without a batch takes the oldest
 * first. Refused (400) where there is not enough for all lines together.
 */
export function plan({ stock }: World, lines: readonly Line[]): Portion[] {
  const left = new Map<string, number>()
  return lines.flatMap(({ productId, fromInventoryId, toInventoryId, fromBatchId, amount }) => {
    const moved: Portion[] = []
    let missing = amount
    for (const shelf of stock.shelves('productId', productId)) {
      if (
        shelf.inventoryId !== fromInventoryId ||
        (fromBatchId !== undefined && shelf.batchId !== fromBatchId)
      )
        continue
      const key = `${shelf.batchId} ${shelf.inventoryId}`
      const part = Math.min(missing, left.get(key) ?? shelf.amount)
      if (part <= 0) continue
      left.set(key, (left.get(key) ?? shelf.amount) - part)
      missing -= part
      moved.push(
        { batchId: shelf.batchId, inventoryId: fromInventoryId, amount: -part },
        { batchId: shelf.batchId, inventoryId: toInventoryId, amount: part },
      )
    }
    if (missing > 0)
      throw invalid('transferAmount', 'There is not so much to transfer in this inventory')
    return moved
  })
}

export const transferNumber = (world: World, id: string): number =>
  findNumber(world.lists.transfer_histories, id, 'historyId')
