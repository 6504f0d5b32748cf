import type { JsonRecord } from '../model/collection.ts'
import { create } from '../model/records.ts'
import { bookStock } from '../stock/stock-transaction.ts'
import type { TransferStatus } from '../stock/transfer.ts'
import { checkMove, plan, readTransfer, transferNumber } from '../stock/transfer.ts'
import { parseExactly } from '../values/money.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'

/** Decides a pending transfer and answers it as it is then. */
function decide(call: Call, status: TransferStatus, patch: JsonRecord): string {
  const { transfer_histories: histories } = call.world.lists
  const number = transferNumber(call.world, call.params['historyId']!)
  checkMove(histories.read(number)['status'], status)
  histories.edit(
    number,
    {
      ...patch,
      status,
      updated: true,
      ...(call.exact['note'] === undefined ? {} : { note: call.exact['note'] }),
    },
    call.nowMs,
  )
  return histories.text(number)
}

/**
 * Reading: a transfer waits until it is accepted, which moves the goods and books a transaction of
 * type Transfer, or declined.
 */
export const transferRoutes: readonly Route[] = [
  play('createInventoryTransfer', call => {
    const { transfer_histories: histories } = call.world.lists
    const { record } = readTransfer(call.world, call.exact)
    return create(
      histories,
      {
        transferNo: String(1001 + histories.nextNumber),
        status: 'PENDING',
        employeeId: call.exact['employeeId'],
        note: call.exact['note'],
        ...record,
      },
      call.nowMs,
    )
  }),
  play('updateInventoryTransfer', call => {
    const { transfer_histories: histories } = call.world.lists
    const before = parseExactly(
      histories.text(transferNumber(call.world, call.params['historyId']!)),
    ) as JsonRecord
    checkMove(before['status'], 'PENDING')
    const { record } = readTransfer(call.world, { ...before, ...call.exact })
    return decide(call, 'PENDING', {
      ...record,
      ...(call.exact['employeeId'] === undefined ? {} : { employeeId: call.exact['employeeId'] }),
    })
  }),
  play('acceptInventoryTransfer', call => {
    const { world, nowMs } = call
    const before = parseExactly(
      world.lists.transfer_histories.text(transferNumber(world, call.params['historyId']!)),
    ) as JsonRecord
    checkMove(before['status'], 'ACCEPTED')
    const { record, lines } = readTransfer(world, before)
    world.stock.change(plan(world, lines), nowMs)
    const transNo = bookStock(
      world,
      {
        transType: 'Transfer',
        employeeId: call.exact['employeeId'] ?? before['employeeId'],
        details: {
          transferRequest: {
            fromShopId: record['fromShopId'],
            toShopId: record['toShopId'],
            transfers: record['transfers'],
          },
        },
      },
      nowMs,
    )
    return decide(call, 'ACCEPTED', {
      acceptedDate: nowMs,
      acceptedByEmployeeId: call.exact['employeeId'],
      transNo,
    })
  }),
  play('declineInventoryTransfer', call =>
    decide(call, 'DECLINED', {
      declinedDate: call.nowMs,
      declinedByEmployeeId: call.exact['employeeId'],
    }),
  ),
]
