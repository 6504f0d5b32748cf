import { invalid } from '../http/api-error.ts'
import { EVERYTHING, readWhole } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import { create } from '../model/records.ts'
import type { World } from '../model/world.ts'
import { readGoods } from '../stock/goods-line.ts'
import type { Portion } from '../stock/stock-room.ts'
import { bookStock } from '../stock/stock-transaction.ts'
import { quantity, readQuantity } from '../values/quantity.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'
import { list, single } from './route.ts'

interface Counted {
  productId: string
  batchId: string | undefined
  inventoryId: string
  amount: number
}

/**
 * Reading of ProductLossRequest: `newQuantity` is the count of a batch in a room, or, without
 * `batchId`, of the product there.
 */
function readCounts({ world, exact }: Call): Counted[] {
  const sent = (exact['productLossRequests'] as JsonRecord[] | undefined) ?? []
  if (sent.length === 0) throw invalid('productLossRequests', 'productLossRequests is required')
  const seen = new Set<string>()
  return sent.map((line, at) => {
    const where = (field: string): string => `productLossRequests.${at}.${field}`
    const inventoryId = line['inventoryId'] ?? exact['inventoryId']
    if (typeof inventoryId !== 'string')
      throw invalid(where('inventoryId'), `${where('inventoryId')} is required`)
    if (world.lists.inventories.find(inventoryId) === undefined)
      throw invalid(where('inventoryId'), 'There is no such inventory')
    const { productId, batchId } = readGoods(world, line, `productLossRequests.${at}`, 'batchId')
    const amount = readQuantity(line['newQuantity'])
    if (amount === undefined)
      throw invalid(where('newQuantity'), `${where('newQuantity')} is required`)
    if (amount < 0)
      throw invalid(where('newQuantity'), `${where('newQuantity')} must not be negative`)
    const key = `${productId} ${batchId ?? ''} ${inventoryId}`
    if (seen.has(key)) throw invalid(where('productId'), 'The same place is counted twice')
    seen.add(key)
    return { productId, batchId, inventoryId, amount }
  })
}

/**
 * What has to change so that a count is true: more goes to the newest batch of the room, less comes
 * off the oldest.
 */
function difference(
  { stock, lists }: World,
  { productId, batchId, inventoryId, amount }: Counted,
): Portion[] {
  if (batchId !== undefined)
    return [{ batchId, inventoryId, amount: amount - stock.amountOf(batchId, inventoryId) }]
  const here = stock
    .shelves('productId', productId)
    .filter(shelf => shelf.inventoryId === inventoryId)
  let missing = amount - here.reduce((sum, shelf) => sum + shelf.amount, 0)
  if (missing > 0) {
    const newest =
      here.at(-1)?.batchId ??
      lists.batches
        .where('productId', productId)
        .map(number => lists.batches.idOf(number))
        .at(-1)
    if (newest === undefined) throw invalid('productId', 'There is no batch of this product')
    return [{ batchId: newest, inventoryId, amount: missing }]
  }
  return here.map(shelf => {
    const part = Math.min(-missing, shelf.amount)
    missing += part
    return { batchId: shelf.batchId, inventoryId, amount: -part }
  })
}

/**
 * Reading of `fullInventory`: it is the count of whole rooms, so what it does not list is not
 * there.
 */
function countAbsent({ world }: Call, counted: readonly Counted[]): Counted[] {
  const listed = ({ productId, batchId, inventoryId }: Counted): boolean =>
    counted.some(
      line =>
        line.inventoryId === inventoryId &&
        line.productId === productId &&
        (line.batchId === undefined || line.batchId === batchId),
    )
  const rooms = new Set(counted.map(({ inventoryId }) => inventoryId))
  return [...rooms]
    .flatMap(inventoryId => world.stock.shelves('inventoryId', inventoryId))
    .filter(shelf => shelf.amount > 0 && !listed(shelf))
    .map(({ productId, batchId, inventoryId }) => ({ productId, batchId, inventoryId, amount: 0 }))
}

/** Sets what was counted, batch by batch, and says what was there before. */
function applyCounts(call: Call): { lines: JsonRecord[]; changed: JsonRecord } {
  const { world, exact, nowMs } = call
  const lines: JsonRecord[] = []
  const changed = new Map<string, object>()
  const listed = readCounts(call)
  const counts =
    exact['fullInventory'] === true ? [...listed, ...countAbsent(call, listed)] : listed
  for (const counted of counts) {
    for (const { batchId, inventoryId, amount } of difference(world, counted)) {
      const before = world.stock.amountOf(batchId, inventoryId)
      world.stock.change([{ batchId, inventoryId, amount }], nowMs)
      lines.push({
        productId: counted.productId,
        batchId,
        inventoryId,
        oldQuantity: quantity(before),
        newQuantity: quantity(before + amount),
      })
      changed.set(batchId, { ...changed.get(batchId), [inventoryId]: quantity(before + amount) })
    }
  }
  return { lines, changed: Object.fromEntries(changed) }
}

/** Counts become quantities; the history and a transaction keep what was there before. */
function reconcile(call: Call): string {
  const { world, exact, nowMs } = call
  const { lines, changed } = applyCounts(call)
  const { productLossRequests: _, terminalId: __, ...rest } = exact
  const { reconciliations } = world.lists
  const { employeeId, note } = exact
  const details = typeof note === 'string' ? { note } : {}
  const transNo = bookStock(world, { transType: 'Reconciliation', employeeId, details }, nowMs)
  return create(
    reconciliations,
    {
      extAdjustmentOption: 'ADJUST_BY_FINAL_AMOUNT',
      audit: false,
      blind: false,
      forceScan: false,
      fullInventory: false,
      complianceFinishedPackageTags: [],
      ...rest,
      inventoryId: rest['inventoryId'] ?? lines[0]?.['inventoryId'],
      requestNo: 1001 + reconciliations.nextNumber,
      transNo,
      reconciliations: lines,
      batchQuantityInfoMap: changed,
    },
    nowMs,
  )
}

export const reconciliationRoutes: readonly Route[] = [
  play('listReconciliations', call => {
    const requestNo = readWhole(call.query, 'requestNo', 0)
    const listing = {
      collection: call.world.lists.reconciliations,
      range: EVERYTHING,
      sortedBy: 'modified',
    } as const
    return list(
      call,
      requestNo === undefined
        ? listing
        : { ...listing, matches: history => history['requestNo'] === requestNo },
    )
  }),
  play('getReconciliation', call =>
    single(call.world.lists.reconciliations, call.params['reconciliationId']!, 'reconciliationId'),
  ),
  play('createReconciliation', reconcile),
]
