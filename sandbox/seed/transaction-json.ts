/* oxlint-disable no-unused-expressions -- a tagged template writes: that is its effect */
import type { JsonWriter } from '../values/json-writer.ts'
import type { Cart, Line } from './cart.ts'
import type { Catalog } from './catalog.ts'
import type { Nested } from './nested.ts'
import { writePayment } from './payments.ts'
import type { Shop } from './stores.ts'
import type { Transaction } from './transactions.ts'

/**
 * From this size on items carry what they may leave out: the nested product, and taxes that are
 * zero.
 */
const WHOLE_BYTES = 4500

/**
 * Transactions as JSON. The documentation does not show a transaction's fields; these are the ones
 * that public clients of this API family read. What costs time is written from numbers, the rest is
 * bytes that were made before.
 */
export class TransactionWriter {
  private readonly shop: Shop
  private readonly catalog: Catalog
  private readonly nested: Nested
  private readonly recordBytes: number
  private readonly whole: boolean
  private readonly owner: Uint8Array
  private readonly knownItems = new Map<number, Uint8Array>()

  constructor(shop: Shop, catalog: Catalog, nested: Nested, recordBytes: number) {
    this.shop = shop
    this.catalog = catalog
    this.nested = nested
    this.recordBytes = recordBytes
    this.whole = recordBytes >= WHOLE_BYTES
    this.owner = Buffer.from(`"companyId":"${shop.companyId}","shopId":"${shop.shopId}"`)
  }

  /**
   * `refundSign` is -1 where refunds take money back (the default reading), 1 where they are
   * written like sales.
   */
  write(out: JsonWriter, transaction: Transaction, refundSign: 1 | -1): void {
    const start = out.length
    const { id, type, status, member, cart, delivery, parentId } = transaction
    const created = epoch(transaction.created)
    const completed = epoch(transaction.completed)
    const sign = type === 'Refund' ? refundSign : 1
    out.json`
      {"id":"${id}",${this.owner},"created":${created},
      "modified":${epoch(transaction.modified)},"deleted":${String(transaction.deleted)},
      "updated":true,"transNo":"${String(100_001 + transaction.number)}","transType":"${type}",
      "status":"${status}","active":${String(status === 'Hold')},`
    writeQueue(out, delivery)
    if (parentId !== undefined) out.json`"parentTransactionId":"${parentId}",`
    if (member !== undefined) out.raw(this.nested.buyer(member))
    out.raw(this.nested.till(transaction.employee, transaction.terminal))
    out.json`"checkinTime":${created},"startTime":${created},`
    if (status !== 'Hold')
      out.json`"processedTime":${completed},"completedTime":${completed},"endTime":${completed},`
    out.json`"pointsEarned":${pointsOf(transaction)},"traceSubmitStatus":"None","payments":[`
    writePayments(out, transaction, sign, completed)
    if (cart === undefined) this.transfer(out, transaction)
    else this.cart(out, transaction, cart, sign)
    const missing = this.recordBytes - (out.length - start) - 12
    if (missing > 0) out.json`,"memo":"${filler(missing)}"}`
    else out.json`}`
  }

  private cart(out: JsonWriter, transaction: Transaction, cart: Cart, sign: number): void {
    out.json`],"cart":{"items":[`
    for (let at = 0; at < cart.lines.length; at++) {
      if (at > 0) out.json`,`
      out.json`{"orderItemId":"${transaction.id}${String(at)}",`
      this.item(out, transaction, cart.lines[at]!, sign)
    }
    this.discounts(out, transaction, cart, sign)
    this.totals(out, transaction, cart, sign)
    if (transaction.type === 'Refund')
      out.json`
        "refundAmount":${sign * cart.total},
        "refundOption":"${transaction.restocked ? 'WithInventory' : 'WithoutInventory'}",`
    out.json`"storageLocation":"CashDrawer"}`
  }

  private discounts(out: JsonWriter, { member }: Transaction, cart: Cart, sign: number): void {
    const afterTax = sign * cart.afterTaxDiscount
    out.json`
      ],"subTotal":${sign * cart.subTotal},"discount":${cart.cartPercentOff * 100},
      "discountType":"Percentage","calcCartDiscount":${sign * cart.cartDiscount},
      "subTotalDiscount":${sign * (cart.subTotal - cart.cartDiscount)},
      "totalDiscount":${sign * (cart.lineDiscount + cart.cartDiscount)},
      "afterTaxDiscount":${afterTax},"appliedAfterTaxDiscount":${afterTax},
      "pointSpent":${afterTax * 20},"promoCode":"",
      "consumerType":"${member?.consumerType ?? 'AdultUse'}",`
  }

  private totals(out: JsonWriter, transaction: Transaction, cart: Cart, sign: number): void {
    const postTax = sign * (cart.city + cart.excise + cart.state + cart.county)
    let cash = 0
    let change = 0
    for (const row of transaction.payments) {
      if (row.tender === 'Cash') cash += row.paid + row.change
      change += row.change
    }
    out.json`"tax":${postTax},"taxResult":`
    writeTaxes(out, cart, sign, true)
    out.json`
      ,"totalPreCalcTax":${sign * cart.statePre},"totalCalcTax":${postTax},
      "totalExciseTax":${sign * cart.excise},
      "enableDeliveryFee":${String(transaction.delivery)},
      "deliveryFee":${sign * cart.deliveryFee},"deliveryDiscount":0.00,
      "enableCreditCardFee":${String(cart.cardFee > 0)},
      "creditCardFee":${sign * cart.cardFee},"roundAmt":${sign * cart.rounding},
      "total":${sign * cart.total},
      "balanceDue":${transaction.status === 'Hold' ? cart.total : 0},
      "cashReceived":${sign * cash},"changeDue":${sign * change},
      "paymentOption":"${transaction.option}","paymentType":"Full",`
  }

  /** Most lines were sold before in the same way; but for the line's id they are the same bytes. */
  private item(out: JsonWriter, transaction: Transaction, line: Line, sign: number): void {
    if (line.product.category.weighed || line.cartDiscount !== 0 || transaction.type !== 'Sale') {
      this.soldAs(out, transaction, line, sign)
      return
    }
    const untaxed = line.state === 0 && line.county === 0 ? 1 : 0
    const key =
      (((line.batches.at(-1)!.number * 2 + line.batches.length - 1) * 4 + line.quantity / 100) *
        101 +
        line.percentOff) *
        2 +
      untaxed
    const known = this.knownItems.get(key)
    if (known !== undefined) {
      out.raw(known)
      return
    }
    const start = out.length
    this.soldAs(out, transaction, line, sign)
    this.knownItems.set(key, out.copy(start))
  }

  private soldAs(out: JsonWriter, transaction: Transaction, line: Line, sign: number): void {
    const { product } = line
    const quantity = sign * line.quantity
    const postTax = sign * (line.city + line.excise + line.state + line.county)
    out.json`
      "productId":"${product.id}","batchId":"${line.batches[0]!.id}","status":"Active",
      "quantity":${quantity},"origQuantity":${quantity},"unitPrice":${product.unitPrice},
      "cost":${sign * line.cost},"discount":${line.percentOff * 100},
      "discountType":"Percentage","calcDiscount":${sign * line.discount},
      "finalPrice":${sign * (line.cost - line.discount)},"calcTax":${postTax},
      "calcPreTax":${sign * line.statePre},"taxType":"Default",
      "taxOrder":"${line.statePre === 0 ? 'PostTaxed' : 'PreTaxed'}","taxResult":`
    writeTaxes(out, line, sign, this.whole)
    out.json`,"quantityLogs":[`
    if (transaction.type !== 'Refund' || transaction.restocked) {
      const [first, second] = line.batches
      const rest = second === undefined ? 0 : Math.floor(line.quantity / 200) * 100
      const [floor] = this.catalog.inventories
      out.json`
        {"inventoryId":"${floor!}","batchId":"${first!.id}",
        "quantity":${sign * (line.quantity - rest)}}`
      if (second !== undefined)
        out.json`,{"inventoryId":"${floor!}","batchId":"${second.id}","quantity":${sign * rest}}`
    }
    if (this.whole)
      out.json`],"promotionReqs":[],"product":${this.nested.product[product.number]!}}`
    else out.json`]}`
  }

  /** Rows that are no revenue: goods moved between rooms, or counts corrected. */
  private transfer(out: JsonWriter, transaction: Transaction): void {
    out.json`],"cart":null`
    if (transaction.type !== 'Transfer') return
    const product = this.catalog.products[transaction.number % this.catalog.products.length]!
    const [from, to] = this.catalog.inventories
    const { shopId } = this.shop
    out.json`
      ,"transferRequest":{"fromShopId":"${shopId}","toShopId":"${shopId}",
      "transfers":[{"productId":"${product.id}","fromInventoryId":"${from!}",
      "toInventoryId":"${to!}","transferAmount":${100 + (transaction.number % 24) * 100}}]}`
  }
}

function writeQueue(out: JsonWriter, delivery: boolean): void {
  if (delivery)
    out.json`
      "queueType":"Delivery","source":"Widget","checkoutType":"Direct",
      "trackingStatus":"Delivered","orderTags":["online"],`
  else
    out.json`
      "queueType":"WalkIn","source":"Retail","checkoutType":"Direct",
      "trackingStatus":"NotStarted","orderTags":[],`
}

/** In hundredths: one point for each whole unit of money that a member spends before taxes. */
const pointsOf = ({ type, cart, member }: Transaction): number =>
  cart === undefined || member === undefined || type !== 'Sale'
    ? 0
    : Math.floor(cart.subTotal / 100) * 100

function writePayments(
  out: JsonWriter,
  { id, payments }: Transaction,
  sign: number,
  paidTime: string,
): void {
  for (let at = 0; at < payments.length; at++) {
    if (at > 0) out.json`,`
    const row = payments[at]!
    const signed = sign === 1 ? row : { ...row, paid: -row.paid }
    writePayment(out, signed, { id, line: at + 1, paidTime })
  }
}

/**
 * Reading: `totalExciseTax` is the whole excise and the AL field its breakdown; post-taxes are city
 * + county + state + federal + excise, pre-taxes are what the price includes.
 */
function writeTaxes(
  out: JsonWriter,
  tax: Pick<Line, 'city' | 'excise' | 'state' | 'county' | 'statePre'>,
  sign: number,
  whole: boolean,
): void {
  const pre = sign * tax.statePre
  const excise = sign * tax.excise
  out.json`
    {"totalPreCalcTax":${pre},
    "totalPostCalcTax":${sign * (tax.city + tax.excise + tax.state + tax.county)},
    "totalCityTax":${sign * tax.city},"totalCountyTax":${sign * tax.county},
    "totalStateTax":${sign * tax.state},"totalExciseTax":${excise}`
  if (whole)
    out.json`
      ,"totalFedTax":0.00,"totalCityPreTax":0.00,"totalCountyPreTax":0.00,
      "totalStatePreTax":${pre},"totalFedPreTax":0.00,"totalALExciseTax":${excise},
      "totalNALPreExciseTax":0.00,"totalALPostExciseTax":${excise}}`
  else out.json`}`
}

let hundredSeconds = -1
let hundredSecondsText = ''

/**
 * Epoch milliseconds as text. Neighbours share all but the last five digits, and turning large
 * numbers into text is what costs.
 */
function epoch(ms: number): string {
  const high = Math.floor(ms / 100_000)
  if (high !== hundredSeconds) {
    hundredSeconds = high
    hundredSecondsText = String(high)
  }
  return hundredSecondsText + String(100_000 + ms - high * 100_000).slice(1)
}

const SENTENCE = Buffer.from(
  'Left a note for the morning shift: check the display case, count the drawer twice, ' +
    'thank the regulars. ',
)
let ream = SENTENCE

/** Ordinary text of some length, for records that are asked to be larger than they would be. */
function filler(length: number): Uint8Array {
  while (ream.length < length) ream = Buffer.concat([ream, ream])
  return ream.subarray(0, length)
}
