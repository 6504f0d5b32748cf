import type { Amount } from '../../money/amount.ts'
import { sum, toAmount } from '../../money/amount.ts'
import type { Fields } from '../../text/record-fields.ts'
import {
  amountOf,
  fieldsOf,
  isMarkedDeleted,
  listOf,
  oneSign,
  parseRecord,
  textOf,
  timeOf,
} from '../../text/record-fields.ts'
import type { CatalogFacts } from './catalog-facts.ts'
import { NO_FACTS } from './catalog-facts.ts'
import { readItems } from './read-items.ts'
import { deletedPaymentsOf, readPayments } from './read-payments.ts'
import { readTaxes } from './read-taxes.ts'
import type {
  ConsumerType,
  ExcludedReason,
  Sale,
  SaleItem,
  TransactionType,
  UnknownWord,
} from './sale.ts'
import { wordTable } from './word-table.ts'

const TYPES = wordTable<TransactionType>({
  sale: 'sale',
  refund: 'refund',
  reconciliation: 'reconciliation',
  transfer: 'transfer',
})
const CONSUMERS = wordTable<ConsumerType>({
  adultuse: 'adult_use',
  medicinalstate: 'medicinal_state',
  medicinalthirdparty: 'medicinal_third_party',
})
const VOID = new Set(['void', 'voided', 'canceled', 'cancelled'])
/**
 * States that are none of a sale that was made. The documentation names none of transactions: these
 * are what tills have, and the states of the orders that become transactions.
 */
const NO_SALE = new Set([
  ...VOID,
  'queued',
  'inprogress',
  'hold',
  'onhold',
  'pending',
  'notstarted',
  'placed',
  'accepted',
  'packaged',
  'ontheway',
  'waitingpickup',
  'declined',
  'canceledbyconsumer',
  'canceledbydispensary',
  'expired',
])

/** What a type of the API means; `unknown`: it is none of those that we know. */
export const transactionTypeOf = (word: string | undefined): TransactionType =>
  TYPES.get(word?.toLowerCase() ?? '') ?? 'unknown'

/**
 * Reads one transaction's JSON as the books see it. Pure; `facts` tell what the record refers to
 * and does not carry.
 */
export function readSale(raw: string, facts: CatalogFacts = NO_FACTS): Sale {
  const record = parseRecord(raw)
  const cart = fieldsOf(record['cart'])
  const type = transactionTypeOf(textOf(record['transType']))
  const refund = type === 'refund'
  const marks = marksOf(record)
  const excluded = excludedReason(type, marks)
  const money = readMoney(cart, refund)
  const items = readItems(cart, facts, refund, money.cartDiscount)
  const payments = readPayments(record, cart, refund, money.totalDue)
  return {
    ...describeRecord(record, cart),
    type,
    ...marks,
    excluded,
    unknownWord: unknownWordOf(record, excluded),
    ...money,
    ...sumsOf(cart, refund, money, items),
    adjustment: 0n,
    tip: sum(payments.map(payment => payment.tip)),
    items,
    payments,
    deletedPayments: deletedPaymentsOf(record),
    taxes: readTaxes(cart, refund, { pre: money.preTax, post: money.postTax }),
  }
}

export function marksOf(record: Fields): Pick<Sale, 'isDeleted' | 'isVoid' | 'isCompleted'> {
  const status = textOf(record['status'])?.toLowerCase()
  return {
    isDeleted: isMarkedDeleted(record),
    isVoid: VOID.has(status ?? ''),
    isCompleted: status === 'completed',
  }
}

/** What the record says of itself, besides its figures. */
const describeRecord = (record: Fields, cart: Fields) => ({
  id: textOf(record['id']) ?? '',
  storeKey: storeKeyOf(record),
  transNo: textOf(record['transNo']),
  status: textOf(record['status']),
  parentId: textOf(record['parentTransactionId']),
  consumerCartId: textOf(record['consumerCartId']),
  queueType: textOf(record['queueType']),
  channel: textOf(record['source']),
  consumerType: consumerTypeOf(record, cart),
  sellerId: textOf(record['sellerId']),
  terminalId: textOf(record['sellerTerminalId']) ?? textOf(record['terminalId']),
  memberId: textOf(record['memberId']),
  createdMs: timeOf(record['created']),
  completedMs: timeOf(record['completedTime']),
  processedMs: timeOf(record['processedTime']),
  modifiedMs: timeOf(record['modified']),
})

function storeKeyOf(record: Fields): string | undefined {
  const shop = textOf(record['shopId'])
  return shop === undefined ? undefined : `${textOf(record['companyId']) ?? ''}:${shop}`
}

function consumerTypeOf(record: Fields, cart: Fields): ConsumerType {
  const said =
    textOf(cart['consumerType']) ?? textOf(fieldsOf(record['member'])['consumerType']) ?? ''
  return CONSUMERS.get(said.toLowerCase().replaceAll(/[^a-z]/g, '')) ?? 'other'
}

/** What only the header knows, in the sign of the books. */
type Money = Pick<
  Sale,
  | 'cartDiscount'
  | 'afterTaxDiscount'
  | 'loyaltyPointsSpent'
  | 'deliveryFee'
  | 'paymentFee'
  | 'preTax'
  | 'postTax'
  | 'rounding'
  | 'totalDue'
>

/** What the lines add up to, and whether the published identity holds. */
function sumsOf(
  cart: Fields,
  refund: boolean,
  money: Money,
  items: readonly SaleItem[],
): Pick<Sale, 'retail' | 'productDiscount' | 'cogs' | 'identityDelta' | 'statedSubTotal'> {
  const one = oneSign(refund)
  const stated = toAmount(cart['subTotal'])
  // A record without lines still has the cart's own sums of them.
  const retail = items.length > 0 ? sum(items.map(item => item.retail)) : one(stated ?? 0n)
  const productDiscount = sum(items.map(item => item.lineDiscount))
  const net = retail - productDiscount - money.cartDiscount + money.deliveryFee + money.paymentFee
  const isUnknown = items.some(item => item.cogs === undefined)
  return {
    retail,
    productDiscount,
    cogs: isUnknown ? undefined : sum(items.map(item => item.cogs ?? 0n)),
    identityDelta: money.totalDue - (net + money.postTax - money.afterTaxDiscount + money.rounding),
    statedSubTotal: stated === undefined ? undefined : one(stated),
  }
}

function readMoney(cart: Fields, refund: boolean): Money {
  const one = oneSign(refund)
  const of = (name: string): Amount => one(amountOf(cart[name]))
  const result = fieldsOf(cart['taxResult'])
  const total = toAmount(cart['total']) ?? amountOf(cart['refundAmount'])
  const rounding = amountOf(cart['roundAmt'])
  return {
    cartDiscount: of('calcCartDiscount'),
    afterTaxDiscount: one(
      toAmount(cart['appliedAfterTaxDiscount']) ?? amountOf(cart['afterTaxDiscount']),
    ),
    loyaltyPointsSpent: of('pointSpent'),
    // Some servers fill in the usual fee and set the flag that switches it off.
    deliveryFee:
      cart['enableDeliveryFee'] === false ? 0n : of('deliveryFee') - of('deliveryDiscount'),
    paymentFee: cart['enableCreditCardFee'] === false ? 0n : of('creditCardFee'),
    preTax: one(toAmount(cart['totalPreCalcTax']) ?? amountOf(result['totalPreCalcTax'])),
    postTax: one(
      toAmount(cart['totalCalcTax']) ??
        toAmount(result['totalPostCalcTax']) ??
        amountOf(cart['tax']),
    ),
    rounding: refund && comesPositive(cart, total) ? -rounding : rounding,
    totalDue: one(total),
  }
}

/**
 * Whether a refund is written without its sign. Its rounding may have either, so that is turned
 * together with its total; with its lines where the rounding leaves nothing of that.
 */
const comesPositive = (cart: Fields, total: Amount): boolean => {
  const lines = listOf(cart['items']).map(item => amountOf(fieldsOf(item)['cost']))
  return ([total, amountOf(cart['subTotal']), sum(lines)].find(one => one !== 0n) ?? 0n) > 0n
}

function excludedReason(
  type: TransactionType,
  marks: Pick<Sale, 'isDeleted' | 'isVoid' | 'isCompleted'>,
): ExcludedReason | undefined {
  if (marks.isDeleted) return 'deleted'
  if (type === 'reconciliation' || type === 'transfer') return type
  if (type === 'unknown') return 'unknown_type'
  if (marks.isVoid) return 'void'
  return marks.isCompleted ? undefined : 'not_completed'
}

/**
 * What nobody knows may have been a sale, so the books must not leave it out in silence; what was
 * never over, or says itself that it is none, was not.
 */
function unknownWordOf(
  record: Fields,
  excluded: ExcludedReason | undefined,
): UnknownWord | undefined {
  const status = textOf(record['status'])
  const isOver = timeOf(record['completedTime']) ?? timeOf(record['processedTime'])
  const isNoSale = NO_SALE.has(status?.toLowerCase().replaceAll(/[^a-z]/g, '') ?? '')
  if (isOver === undefined || isNoSale) return undefined
  if (excluded === 'unknown_type') return { field: 'type', word: textOf(record['transType']) }
  return excluded === 'not_completed' ? { field: 'status', word: status } : undefined
}
