import { cartRecord } from '../commerce/cart-record.ts'
import { completeTransaction } from '../commerce/complete.ts'
import { paymentRecord, readPaid, settleTotal } from '../commerce/pay.ts'
import type { TransactionStep } from '../commerce/states.ts'
import { followTransaction } from '../commerce/tracking.ts'
import {
  cancelTransaction,
  priceTransaction,
  QUEUES,
  queueTransaction,
  stepTransaction,
} from '../commerce/transactions.ts'
import { isRecord, readChoice, recordOf, recordsOf, textOf } from '../commerce/values.ts'
import { invalid, notFound } from '../http/api-error.ts'
import { EVERYTHING, readDays, readLastDays } from '../http/parameters.ts'
import type { Collection, JsonRecord } from '../model/collection.ts'
import { findNumber } from '../model/records.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'
import { dateRules, list, single } from './route.ts'

/** Transactions of one kind, the long list of all of them not being parsed for it. */
const some =
  (
    hint: (call: Call) => string,
    matches: (row: JsonRecord, call: Call) => boolean,
  ): Route['answer'] =>
  call =>
    list(call, {
      collection: call.world.lists.transactions,
      range: EVERYTHING,
      sortedBy: 'modified',
      hint: hint(call),
      matches: row => matches(row, call),
    })

/**
 * One step of an open transaction (`commerce/states.ts`), answered with what it became. `patch` is
 * what it changes.
 */
const step =
  (name: TransactionStep, patch: (call: Call, record: JsonRecord) => JsonRecord): Route['answer'] =>
  call => {
    const id = call.params['transactionId']!
    stepTransaction(call, id, name, record => patch(call, record))
    return single(call.world.lists.transactions, id, 'transactionId')
  }

/**
 * What the request calls `names`, the first that it has; refused where there is nothing of the
 * kind.
 */
function named({ body }: Call, names: readonly string[], records: Collection): JsonRecord {
  const id = names.map(name => textOf(body[name])).find(text => text !== undefined)
  if (id === undefined) throw invalid(names[0]!, `${names[0]!} is required`)
  return records.read(findNumber(records, id, names[0]!))
}

function reprice(call: Call, record: JsonRecord): JsonRecord {
  return {
    cart: cartRecord(priceTransaction(call, record), {
      id: String(record['id']),
      payments: recordsOf(record['payments']).map(readPaid),
    }),
  }
}

function markPaid(call: Call, record: JsonRecord): JsonRecord {
  if (record['paid'] === true) throw invalid('paid', 'This transaction is paid already')
  const order = priceTransaction(call, record)
  const id = String(record['id'])
  const before = recordsOf(record['payments']).map(readPaid)
  const payments =
    order.money.lines.length === 0
      ? before
      : settleTotal(
          { ...order.money, option: order.asked.paymentOption },
          before,
          undefined,
          call.nowMs,
        )
  return {
    paid: true,
    paidTime: call.nowMs,
    payments: payments.map((row, at) => paymentRecord(row, id, at)),
    cart: cartRecord(order, { id, payments }),
  }
}

/** Reading: `queueName` is one of four; the body names a member, and may hold a cart. */
const addToQueue: Route['answer'] = call => {
  const queueType = readChoice(call.params['queueName'], 'queueName', QUEUES, 'WalkIn')
  const member = named(call, ['memberId', 'id'], call.world.lists.members)
  if (member['deleted'] === true) throw notFound('memberId', 'There is no such member')
  const { transactions } = call.world.lists
  const employeeId = textOf(call.body['employeeId'])
  const id = queueTransaction(call, {
    member,
    queueType,
    details: {
      ...(employeeId === undefined ? {} : { createdById: employeeId }),
      ...(textOf(call.body['terminalId']) === undefined
        ? {}
        : { terminalId: call.body['terminalId'] }),
    },
    cart: given =>
      reprice(call, { id: given, memberId: member['id'], queueType, cart: {}, payments: [] })[
        'cart'
      ] as JsonRecord,
  })
  return single(transactions, id, 'transactionId')
}

/**
 * Reading: the list takes MM/dd/yyyy (Limits, rule 2) or `days`, at most 7; without dates the last
 * 7 days. Bodies and answers of the steps are not shown: each takes the fields that it is named
 * after and answers the transaction.
 */
export const transactionRoutes: readonly Route[] = [
  play('listTransactions', call => {
    const { shop, lists } = call.world
    const range =
      readLastDays(call.query, shop.timeZone, call.nowMs) ??
      readDays(call.query, dateRules(call, { limited: true }))
    return list(call, { collection: lists.transactions, range, sortedBy: 'modified' })
  }),
  play(
    'listActiveTransactions',
    some(
      () => '"active":true',
      row => row['active'] === true && row['deleted'] !== true,
    ),
  ),
  play(
    'listActiveMemberTransactions',
    some(
      call => `"memberId":${JSON.stringify(call.params['memberId'])}`,
      (row, call) =>
        row['memberId'] === call.params['memberId'] &&
        row['active'] === true &&
        row['deleted'] !== true,
    ),
  ),
  play(
    'listCompletedMemberTransactions',
    some(
      call => `"memberId":${JSON.stringify(call.params['memberId'])}`,
      (row, call) => row['memberId'] === call.params['memberId'] && row['status'] === 'Completed',
    ),
  ),
  play('addToQueue', addToQueue),
  play('getTransaction', call =>
    single(call.world.lists.transactions, call.params['transactionId']!, 'transactionId'),
  ),
  play('deleteTransaction', call => {
    const record = cancelTransaction(call, call.params['transactionId']!)
    followTransaction(call, textOf(record['consumerCartId']) ?? '', 'delete')
    return undefined
  }),
  play('completeTransaction', call => {
    completeTransaction(call, call.params['transactionId']!)
    return single(call.world.lists.transactions, call.params['transactionId']!, 'transactionId')
  }),
  play(
    'setTransactionAddress',
    step('address', ({ exact }) => {
      const address = isRecord(exact['deliveryAddress']) ? exact['deliveryAddress'] : exact
      if (textOf(address['address']) === undefined) throw invalid('address', 'address is required')
      return { deliveryAddress: address }
    }),
  ),
  play(
    'setTransactionEmployee',
    step('employee', call => ({
      assignedEmployeeId: named(
        call,
        ['employeeId', 'assignedEmployeeId'],
        call.world.lists.employees,
      )['id'],
    })),
  ),
  play(
    'unassignTransaction',
    step('unassign', () => ({ assignedEmployeeId: null })),
  ),
  play(
    'startTransaction',
    step('start', call => ({ startTime: call.nowMs })),
  ),
  play(
    'stopTransaction',
    step('stop', () => ({ startTime: null })),
  ),
  play(
    'holdTransaction',
    step('hold', call => ({ holdTime: call.nowMs })),
  ),
  play('prepareTransaction', step('prepare', reprice)),
  play(
    'finalizeTransaction',
    step('finalize', (call, record) => locked(record, true, call.nowMs)),
  ),
  play(
    'unfinalizeTransaction',
    step('unfinalize', (call, record) => locked(record, false, call.nowMs)),
  ),
  play(
    'sendTransactionToFulfill',
    step('sendToFulfill', call => ({ fulfillmentStep: 'Fulfill', sentToFulfillTime: call.nowMs })),
  ),
  play('markTransactionAsPaid', step('markAsPaid', markPaid)),
  play(
    'signTransaction',
    step('sign', ({ exact, nowMs }) => ({
      memberSignature: {
        ...recordOf(exact['memberSignature'] ?? exact['signature']),
        ...(typeof exact['signature'] === 'string' ? { signature: exact['signature'] } : {}),
      },
      signedTime: nowMs,
    })),
  ),
]

function locked(record: JsonRecord, wanted: boolean, nowMs: number): JsonRecord {
  if ((record['locked'] === true) === wanted)
    throw invalid('locked', `This transaction is ${wanted ? 'finalized already' : 'not finalized'}`)
  return { locked: wanted, ...(wanted ? { finalizedTime: nowMs } : {}) }
}
