import type { JsonRecord } from '../model/collection.ts'
import type { World } from '../model/world.ts'

/** The number on the next receipt: it goes on where the seeded ones end. */
export const nextTransNo = ({ lists }: World): string =>
  String(100_001 + lists.transactions.nextNumber)

/** Goods that moved, or were counted. */
interface Booking {
  transType: 'Transfer' | 'Reconciliation'
  /** Who did it; somebody of the store where that is not said. */
  employeeId: unknown
  /** What else the transaction carries. */
  details: JsonRecord
}

/**
 * Books goods that moved or were counted as a transaction without money, as the seeded ones are;
 * returns its transNo.
 */
export function bookStock(
  world: World,
  { transType, employeeId, details }: Booking,
  nowMs: number,
): string {
  const { catalog, shop, lists } = world
  const employee =
    lists.employees.get(String(employeeId)) ?? lists.employees.get(catalog.employees[0]!.id)!
  const transNo = nextTransNo(world)
  lists.transactions.insert(
    {
      transNo,
      transType,
      status: 'Completed',
      active: false,
      queueType: 'WalkIn',
      source: 'Retail',
      checkoutType: 'Direct',
      trackingStatus: 'NotStarted',
      orderTags: [],
      ...sellerFields(employee),
      timeZone: shop.timeZone,
      ...allTimes(nowMs),
      pointsEarned: JSON.rawJSON('0.00'),
      traceSubmitStatus: 'None',
      payments: [],
      cart: null,
      ...details,
    },
    nowMs,
  )
  return transNo
}

function sellerFields(employee: JsonRecord): JsonRecord {
  const { id, firstName, lastName, pin, assignedTerminalId: terminalId } = employee
  return {
    createdById: id,
    sellerId: id,
    seller: { id, firstName, lastName, pin },
    terminalId,
    sellerTerminalId: terminalId,
  }
}

/** Begun and ended at once. */
export const allTimes = (nowMs: number): JsonRecord => ({
  checkinTime: nowMs,
  startTime: nowMs,
  processedTime: nowMs,
  completedTime: nowMs,
  endTime: nowMs,
})
