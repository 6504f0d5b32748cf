import type { JsonRecord } from '../model/collection.ts'
import type { World } from '../model/world.ts'

/** The number on the next receipt: it goes on where the seeded ones end. */
export const nextTransNo = ({ lists }: World): string =>
  String(100_001 + lists.transactions.nextNumber)

/**
 * Books goods that moved or were counted as a transaction without money, as the seeded ones are;
 * returns its transNo.
 */
export function bookStock(
  world: World,
  transType: 'Transfer' | 'Reconciliation',
  employeeId: unknown,
  more: JsonRecord,
  nowMs: number,
): string {
  const { catalog, shop, lists } = world
  const employee =
    lists.employees.get(String(employeeId)) ?? lists.employees.get(catalog.employees[0]!.id)!
  const seller = {
    id: employee['id'],
    firstName: employee['firstName'],
    lastName: employee['lastName'],
    pin: employee['pin'],
  }
  const terminalId = employee['assignedTerminalId']
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
      createdById: seller.id,
      sellerId: seller.id,
      seller,
      terminalId,
      sellerTerminalId: terminalId,
      timeZone: shop.timeZone,
      checkinTime: nowMs,
      startTime: nowMs,
      processedTime: nowMs,
      completedTime: nowMs,
      endTime: nowMs,
      pointsEarned: JSON.rawJSON('0.00'),
      traceSubmitStatus: 'None',
      payments: [],
      cart: null,
      ...more,
    },
    nowMs,
  )
  return transNo
}
