import type {
  CART_STATUSES,
  TRACKING_STATUSES,
} from '../../connectors/partner/contract/resources/cart.ts'
import type { ApiError } from '../http/api-error.ts'
import { invalid } from '../http/api-error.ts'

/**
 * Which states a step is taken from, and where it leads; `same` keeps the state. The documentation
 * names states and shows no moves, so each is a reading.
 */
export type Moves<Step extends string, State extends string> = Readonly<
  Record<Step, { from: readonly State[]; to: State | 'same' }>
>

export type TransactionStatus = 'Queued' | 'InProgress' | 'Hold' | 'Completed' | 'Canceled'

/** What has not come to an end. */
export const OPEN: readonly TransactionStatus[] = ['Queued', 'InProgress', 'Hold']

const keeps = { from: OPEN, to: 'same' } as const

/** The steps of a transaction, named as the operations are. */
export const TRANSACTION_MOVES = {
  start: { from: ['Queued', 'Hold'], to: 'InProgress' },
  stop: { from: ['InProgress'], to: 'Queued' },
  hold: { from: ['Queued', 'InProgress'], to: 'Hold' },
  address: keeps,
  employee: keeps,
  unassign: keeps,
  prepare: keeps,
  finalize: keeps,
  unfinalize: keeps,
  sendToFulfill: keeps,
  markAsPaid: keeps,
  sign: { from: [...OPEN, 'Completed'], to: 'same' },
  complete: { from: OPEN, to: 'Completed' },
  delete: { from: OPEN, to: 'Canceled' },
  void: { from: ['Completed'], to: 'Canceled' },
  refund: { from: ['Completed'], to: 'same' },
  editPayment: { from: ['Completed'], to: 'same' },
} as const satisfies Moves<string, TransactionStatus>

export type TransactionStep = keyof typeof TRANSACTION_MOVES

export type CartStatus = (typeof CART_STATUSES)[number]

/**
 * A cart is changed until it is submitted, and canceled until it is completed. A store declines
 * what it has not accepted.
 */
export const CART_MOVES = {
  update: { from: ['InProgress'], to: 'same' },
  submit: { from: ['InProgress'], to: 'Placed' },
  accept: { from: ['Placed'], to: 'Accepted' },
  finalizeItem: { from: ['InProgress', 'Placed', 'Accepted'], to: 'same' },
  setConsumerUser: { from: ['InProgress', 'Placed', 'Accepted'], to: 'same' },
  pay: { from: ['InProgress', 'Placed', 'Accepted'], to: 'same' },
  complete: { from: ['Placed', 'Accepted'], to: 'Completed' },
  decline: { from: ['Placed'], to: 'Declined' },
  cancelByConsumer: { from: ['InProgress', 'Placed', 'Accepted'], to: 'CanceledByConsumer' },
  cancelByDispensary: { from: ['Accepted'], to: 'CanceledByDispensary' },
} as const satisfies Moves<string, CartStatus>

export type CartStep = keyof typeof CART_MOVES

export type TrackingStatus = (typeof TRACKING_STATUSES)[number]

/**
 * How far an order has come; what does not apply leaves it where it is. `set out` is for
 * deliveries, `put out` for pickups.
 */
export const TRACKING_MOVES = {
  submit: { from: ['NotStarted'], to: 'Placed' },
  accept: { from: ['Placed'], to: 'Accepted' },
  pack: { from: ['Placed', 'Accepted'], to: 'Packaged' },
  unpack: { from: ['Packaged', 'WaitingPickup', 'OnTheWay'], to: 'Accepted' },
  setOut: { from: ['Packaged'], to: 'OnTheWay' },
  putOut: { from: ['Packaged'], to: 'WaitingPickup' },
  comeBack: { from: ['OnTheWay', 'WaitingPickup'], to: 'Packaged' },
  handOver: {
    from: ['NotStarted', 'Placed', 'Accepted', 'Packaged', 'OnTheWay', 'WaitingPickup'],
    to: 'Delivered',
  },
  decline: {
    from: ['NotStarted', 'Placed', 'Accepted', 'Packaged', 'OnTheWay', 'WaitingPickup'],
    to: 'Declined',
  },
} as const satisfies Moves<string, TrackingStatus>

export type TrackingStep = keyof typeof TRACKING_MOVES

/** Seeded as PENDING; captured or denied once. */
export const ACH_MOVES = {
  capture: { from: ['PENDING'], to: 'CAPTURED' },
  deny: { from: ['PENDING'], to: 'DENIED' },
} as const satisfies Moves<string, string>

/** The state after a step, or undefined if the step is not taken from there. */
export function after<Step extends string>(
  moves: Moves<Step, string>,
  step: Step,
  state: string,
): string | undefined {
  const { from, to } = moves[step]
  if (!from.includes(state)) return undefined
  return to === 'same' ? state : to
}

/**
 * The same, refusing what is not possible as the API would: which field, in which state it is, from
 * which it works.
 */
export function move<Step extends string>(
  moves: Moves<Step, string>,
  step: Step,
  field: string,
  state: string,
): string {
  const next = after(moves, step, state)
  if (next === undefined) throw wrongState(field, step, state, moves[step].from)
  return next
}

const wrongState = (
  field: string,
  step: string,
  state: string,
  from: readonly string[],
): ApiError =>
  invalid(field, `${step} is not possible in ${field} ${state}; it is in ${from.join(', ')}`)
