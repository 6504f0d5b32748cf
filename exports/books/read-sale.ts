import type { Amount } from './amount.ts'
import { sum, toAmount } from './amount.ts'
import type { CatalogFacts } from './catalog-facts.ts'
import { NO_FACTS } from './catalog-facts.ts'
import { readItems } from './read-items.ts'
import { readPayments } from './read-payments.ts'
import { readTaxes } from './read-taxes.ts'
import type { Fields } from './record.ts'
import { amountOf, fieldsOf, oneSign, parseRecord, textOf, timeOf } from './record.ts'
import type { ConsumerType, ExcludedReason, Sale, TransactionType } from './sale.ts'

const TYPES: Readonly<Record<string, TransactionType>> = {
  sale: 'sale',
  refund: 'refund',
  reconciliation: 'reconciliation',
  transfer: 'transfer',
}
const CONSUMERS: Readonly<Record<string, ConsumerType>> = {
  adultuse: 'adult_use',
  medicinalstate: 'medicinal_state',
  medicinalthirdparty: 'medicinal_third_party',
}
const VOID = new Set(['void', 'voided', 'canceled', 'cancelled'])

/**
 * Reads one transaction's JSON as the books see it. Pure; `facts` tell what the record refers to
 * and does not carry.
 */
export function readSale(raw: string, facts: CatalogFacts = NO_FACTS): Sale {
  const record = parseRecord(raw)
  const cart = fieldsOf(record['cart'])
  const type = TYPES[textOf(record['transType'])?.toLowerCase() ?? ''] ?? 'unknown'
  const refund = type === 'refund'
  const status = textOf(record['status'])
  const marks = {
    isDeleted: record['deleted'] === true || amountOf(record['deleted']) !== 0n,
    isVoid: VOID.has(status?.toLowerCase() ?? ''),
    isCompleted: status?.toLowerCase() === 'completed',
  }
  const money = readMoney(cart, refund)
  const items = readItems(cart, facts, refund, money.cartDiscount)
  const stated = toAmount(cart['subTotal'])
  const one = oneSign(refund)
  // A record without lines still has the cart's own sums of them.
  const retail = items.length > 0 ? sum(items.map(item => item.retail)) : one(stated ?? 0n)
  const productDiscount = sum(items.map(item => item.lineDiscount))
  const payments = readPayments(record, cart, refund, money.totalDue)
  const net = retail - productDiscount - money.cartDiscount + money.deliveryFee + money.paymentFee
  return {
    id: textOf(record['id']) ?? '',
    storeKey:
      textOf(record['shopId']) === undefined
        ? undefined
        : `${textOf(record['companyId']) ?? ''}:${textOf(record['shopId'])}`,
    transNo: textOf(record['transNo']),
    type,
    status,
    ...marks,
    excluded: excludedReason(type, marks),
    parentId: textOf(record['parentTransactionId']),
    consumerCartId: textOf(record['consumerCartId']),
    queueType: textOf(record['queueType']),
    channel: textOf(record['source']),
    consumerType:
      CONSUMERS[
        (textOf(cart['consumerType']) ?? textOf(fieldsOf(record['member'])['consumerType']))
          ?.toLowerCase()
          .replaceAll(/[^a-z]/g, '') ?? ''
      ] ?? 'other',
    sellerId: textOf(record['sellerId']),
    terminalId: textOf(record['sellerTerminalId']) ?? textOf(record['terminalId']),
    memberId: textOf(record['memberId']),
    createdMs: timeOf(record['created']),
    completedMs: timeOf(record['completedTime']),
    processedMs: timeOf(record['processedTime']),
    modifiedMs: timeOf(record['modified']),
    retail,
    productDiscount,
    ...money,
    adjustment: 0n,
    tip: sum(payments.map(payment => payment.tip)),
    cogs: items.some(item => item.cogs === undefined)
      ? undefined
      : sum(items.map(item => item.cogs ?? 0n)),
    identityDelta: money.totalDue - (net + money.postTax - money.afterTaxDiscount + money.rounding),
    statedSubTotal: stated === undefined ? undefined : one(stated),
    items,
    payments,
    taxes: readTaxes(cart, refund, { pre: money.preTax, post: money.postTax }),
  }
}

/** What only the header knows, in the sign of the books. */
function readMoney(
  cart: Fields,
  refund: boolean,
): Pick<
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
> {
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
    // It may have either sign, so it is turned together with its total.
    rounding: refund && total > 0n ? -rounding : rounding,
    totalDue: one(total),
  }
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
