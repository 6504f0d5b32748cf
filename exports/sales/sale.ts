import type { Amount } from '../../money/amount.ts'

/** `unknown`: a type that the documentation does not name, or none. Never booked, never lost. */
export type TransactionType = 'sale' | 'refund' | 'reconciliation' | 'transfer' | 'unknown'

/**
 * Why a transaction is not booked. Its rows stay in the files with this reason and with nothing in
 * their money columns.
 */
export type ExcludedReason =
  | 'deleted'
  | 'void'
  | 'not_completed'
  | 'reconciliation'
  | 'transfer'
  | 'unknown_type'

/** A word of the API that decides whether a transaction is booked, and that nobody knows. */
export interface UnknownWord {
  field: 'type' | 'status'
  /** As it came; `undefined`: there was none. */
  word: string | undefined
}

export type ConsumerType = 'adult_use' | 'medicinal_state' | 'medicinal_third_party' | 'other'
export type Tender =
  | 'cash'
  | 'debit'
  | 'credit'
  | 'cashless_atm'
  | 'ach'
  | 'check'
  | 'store_credit'
  | 'gift_card'
  | 'loyalty'
  | 'other'

/** Taxes by what is taxed, a fee, where the API does not say whom they are owed to. */
export type FeeTax = 'delivery' | 'surcharge'
/** `unsplit`: the API gives a total and no parts. */
export type TaxAuthority =
  | 'city'
  | 'county'
  | 'state'
  | 'federal'
  | 'excise_al'
  | 'excise_nal'
  | FeeTax
  | 'unsplit'
/** `pre`: included in the price; `post`: on top of it. */
export type TaxStage = 'pre' | 'post'

/**
 * One transaction as the books see it: what the record says, in one sign convention. Sales are
 * positive and refunds negative, whichever sign the API writes. Nothing is recomputed that the API
 * states: taxes and totals are its figures.
 */
export interface Sale {
  id: string
  /** `companyId:shopId`, as the record says. */
  storeKey: string | undefined
  transNo: string | undefined
  type: TransactionType
  status: string | undefined
  isCompleted: boolean
  isVoid: boolean
  isDeleted: boolean
  /** `undefined`: it is booked. */
  excluded: ExcludedReason | undefined
  /** Of a transaction that is over, and not booked because nobody knows this word. */
  unknownWord: UnknownWord | undefined
  /** Refunds: the sale that goes back. */
  parentId: string | undefined
  consumerCartId: string | undefined
  queueType: string | undefined
  channel: string | undefined
  consumerType: ConsumerType
  sellerId: string | undefined
  terminalId: string | undefined
  /** Who bought. Stays inside: files carry `memberKey` of it (INV-10). */
  memberId: string | undefined
  /** Epoch milliseconds. */
  createdMs: number | undefined
  completedMs: number | undefined
  processedMs: number | undefined
  modifiedMs: number | undefined
  /** Price times units of all lines; prices include `preTax`. */
  retail: Amount
  productDiscount: Amount
  cartDiscount: Amount
  /** Loyalty included. */
  afterTaxDiscount: Amount
  loyaltyPointsSpent: Amount
  deliveryFee: Amount
  paymentFee: Amount
  preTax: Amount
  postTax: Amount
  rounding: Amount
  /** Part of the published identity, and no field of the API: always 0. */
  adjustment: Amount
  /** On top of `totalDue`. */
  tip: Amount
  totalDue: Amount
  /** `undefined`: the cost of some line is missing. Never 0 for that reason. */
  cogs: Amount | undefined
  /**
   * `totalDue` minus what the published identity gives: `retail - discounts + fees + postTax -
   * afterTaxDiscount + rounding + adjustment`.
   */
  identityDelta: Amount
  /**
   * The cart's own sum of its lines, before or after their discounts: evidence for tie-outs, never
   * booked.
   */
  statedSubTotal: Amount | undefined
  items: readonly SaleItem[]
  payments: readonly SalePayment[]
  /** Listed, and said to be deleted: no money, and no part of `payments`. */
  deletedPayments: readonly Pick<SalePayment, 'paymentNo' | 'applied'>[]
  /**
   * By authority and stage; nothing that is zero. From the header, or from the lines where the
   * header has no parts.
   */
  taxes: readonly SaleTax[]
}

/** One line. Two that are equal in everything are two lines: `lineNo` tells them apart. */
export interface SaleItem {
  /** From 1, in the order of the record. */
  lineNo: number
  orderItemId: string | undefined
  productId: string | undefined
  sku: string | undefined
  productName: string | undefined
  categoryId: string | undefined
  categoryName: string | undefined
  brandId: string | undefined
  vendorId: string | undefined
  /** `undefined`: the record does not say. */
  cannabis: boolean | undefined
  batchId: string | undefined
  inventoryId: string | undefined
  prepackageItemId: string | undefined
  quantity: Amount
  /** `EACH` or `GRAM`. */
  unit: string | undefined
  gramsEquivalent: Amount | undefined
  unitPrice: Amount | undefined
  retail: Amount
  lineDiscount: Amount
  /** Its part of the cart's discount: by net, in cents, so that the parts add up to the header. */
  cartDiscount: Amount
  /** `retail - lineDiscount - cartDiscount`. */
  net: Amount
  preTax: Amount
  postTax: Amount
  unitCost: Amount | undefined
  /** 0 for a refund that was not restocked; `undefined`: nobody knows what the goods had cost. */
  cogs: Amount | undefined
  /** `line`: the line states it; `batch`: quantity of each lot times that lot's cost per unit. */
  costSource: 'line' | 'batch' | 'missing'
  /** A lot of it that the API does not know, and when it said so, ISO. */
  lotMissingSince: string | undefined
  /**
   * Refunds: whether the goods went back into stock. `undefined` for sales, and where the record
   * does not say.
   */
  restocked: boolean | undefined
  isGiftCard: boolean
  lots: readonly SaleLot[]
}

/** Which lot and room a line's goods came from, or went back to. */
export interface SaleLot {
  /** From 1. */
  lotNo: number
  batchId: string | undefined
  inventoryId: string | undefined
  quantity: Amount
}

export interface SalePayment {
  /** From 1, in the order of the record, deleted ones included. */
  paymentNo: number
  tender: Tender
  /** The API's own word, for mappings of what `other` stands for. */
  tenderName: string | undefined
  direction: 'in' | 'out'
  /** What it settles of `totalDue`: fee in, tip out. */
  applied: Amount
  /** What was handed over: `applied + tip + change + cashBack`. */
  tendered: Amount
  change: Amount
  cashBack: Amount
  tip: Amount
  fee: Amount
  paidMs: number | undefined
  storageLocation: string | undefined
  /** Made from the cart's payment option, since the record lists no payments. */
  derived: boolean
}

export interface SaleTax {
  authority: TaxAuthority
  stage: TaxStage
  amount: Amount
  /** `item`: with the line it belongs to; the header then has no parts. */
  level: 'header' | 'item'
  lineNo: number | undefined
}
