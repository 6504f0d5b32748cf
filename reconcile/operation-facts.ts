import type { OutboundOperation } from '../connectors/destination/outbound.ts'

/** What is remembered of an operation beside its state: what was seen, sent, answered, verified. */
export interface OperationFacts {
  /** Right before it was sent: ISO, and quantities by lot. */
  lookedAt?: string
  before?: LotQuantity[]
  /** Lots that had moved since the plan and were left out, with what they had then. */
  stale?: StaleLot[]
  /** The body, as it went out. */
  sent?: SentBody
  sentAt?: string
  /** When each lot of the body was counted. */
  countedAt?: { batch_id: string; at: string }[]
  /** The API's own numbers. */
  requestNo?: string | null
  reconciliationId?: string | null
  transNo?: string | null
  /** When the API took it, by its own word; epoch milliseconds. */
  committedMs?: number | null
  /** What the API says that it replaced. */
  replaced?: LotQuantity[]
  verifiedAt?: string
  after?: LotQuantity[]
  discrepancies?: { batch_id: string; discrepancy: string }[]
  /** What a person decided about it, until it is carried out. */
  resolution?: { as: Choice; by: string; reason: string; at: string }
}

/** The discrepancy of a lot that is as it was, although the API took the posting of its room. */
export const NOT_TAKEN = 'not taken'

/** A part of the discrepancy of a lot that is neither as it was nor as posted, without a sale. */
export const UNEXPLAINED = 'unexplained'

/** Parts of a discrepancy, as they are joined: `sale overwritten, unexplained`. */
export const joinParts = (parts: readonly string[]): string => parts.join(', ')

export const isUnexplained = ({ discrepancy }: { discrepancy: string | null }): boolean =>
  discrepancy?.split(', ').includes(UNEXPLAINED) === true

/** The API took the posting of its room, and left this lot as it was. */
export const isNotTaken = ({ discrepancy }: { discrepancy: string | null }): boolean =>
  discrepancy === NOT_TAKEN

/** Lots that are not as they were posted, although the API took the posting of their rooms. */
export function judgeEnd(
  operations: readonly OutboundOperation[],
): { detail: string; at: string } | undefined {
  const left = operations
    .map(factsOf)
    .flatMap(({ discrepancies = [], verifiedAt = '' }) =>
      discrepancies.filter(one => isNotTaken(one) || isUnexplained(one)).map(() => verifiedAt),
    )
  if (left.length === 0) return undefined
  const lots = left.length === 1 ? '1 lot was' : `${left.length} lots were`
  return { detail: `${lots} not as posted`, at: left.toSorted().at(-1)! }
}

export interface LotQuantity {
  batch_id: string
  quantity: string
}

export interface StaleLot extends LotQuantity {
  /** Where it is left out for something else than its quantity. */
  why?: string
}

export interface SentBody {
  inventoryId: string
  employeeId?: string
  note: string
  batchReconcile: true
  audit: true
  blind?: true
  fullInventory?: true
  reportLoss: false
  productLossRequests: {
    productId: string
    batchId: string
    inventoryId: string
    /** A decimal text here; a number on the wire, digit by digit. */
    newQuantity: string
  }[]
}

export const CHOICES = ['confirm', 'retry', 'abandon'] as const
export type Choice = (typeof CHOICES)[number]

export const factsOf = ({ facts }: OutboundOperation): OperationFacts => facts

export const quantityOf = (
  list: readonly LotQuantity[] | undefined,
  batchId: string,
): string | undefined => list?.find(one => one.batch_id === batchId)?.quantity

/** A number as the API has it, where that is one. */
export const asNumber = (text: string | null | undefined): string | number | null =>
  typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : (text ?? null)
