import {
  flag,
  many,
  number,
  one,
  open,
  required,
  resource,
  shopRecord,
  text,
  texts,
  timestamp,
} from '../fields.ts'
import { address } from './address.ts'
import { cart, payment } from './cart.ts'

export const transaction = resource(
  'Transaction',
  {
    ...shopRecord,
    ...text(
      'transNo',
      'parentTransactionId',
      'transType',
      'status',
      'queueType',
      'source',
      'checkoutType',
      'fulfillmentStep',
      'trackingStatus',
      'createdById',
      'sellerId',
      'memberId',
    ),
    ...text(
      'terminalId',
      'sellerTerminalId',
      'assignedEmployeeId',
      'overrideInventoryId',
      'consumerCartId',
      'timeZone',
      'memo',
      'note',
      'deleteNote',
    ),
    ...flag('active', 'locked'),
    ...timestamp(
      'checkinTime',
      'startTime',
      'endTime',
      'processedTime',
      'completedTime',
      'pickUpDate',
    ),
    ...number('pointsEarned'),
    cart: one(cart).nullable(),
    payments: many(payment),
    deliveryAddress: one(address),
    ...texts('orderTags'),
    ...open('transferRequest'),
  },
  'All fields, and the states; these are what public clients read.',
)

export const queueRequest = resource(
  'QueueRequest',
  { ...required.text('memberId'), ...text('employeeId', 'terminalId') },
  'All fields; read as who waits.',
)

export const employeeRequest = resource(
  'TransactionEmployeeRequest',
  text('employeeId'),
  'All fields; read as who serves.',
)
