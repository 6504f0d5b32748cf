import { money } from '../money.ts'
import type { Shop } from '../stores.ts'
import type { Cart, Line } from './cart.ts'
import type { Catalog } from './catalog.ts'
import { paymentText } from './payments.ts'
import type { Nested, Transaction } from './transactions.ts'

const WHOLE_BYTES = 4500

/**
 * A transaction as JSON text, written straight from numbers: the sandbox must never be what a benchmark measures.
 * The documentation does not show a transaction's fields; these are the ones that public clients of this API family read.
 */
export class TransactionWriter {
  private readonly shop: Shop
  private readonly catalog: Catalog
  private readonly nested: Nested
  private readonly recordBytes: number
  /** Room enough for what items may leave out: the nested product and zeros in their taxes. */
  private readonly whole: boolean
  private readonly head: string
  private readonly known = new Map<number, string>()
  /** Who sold, where: a few dozen combinations. */
  private readonly tills: readonly string[]

  constructor(shop: Shop, catalog: Catalog, nested: Nested, recordBytes: number) {
    this.shop = shop
    this.catalog = catalog
    this.nested = nested
    this.recordBytes = recordBytes
    this.whole = recordBytes >= WHOLE_BYTES
    this.tills = catalog.employees.flatMap(({ id }, at) => catalog.terminals.map((terminal) => `"createdById":"${id}","sellerId":"${id}","seller":${nested.seller[at]!},"terminalId":"${terminal}","sellerTerminalId":"${terminal}","timeZone":"${shop.timeZone}","checkinTime":`))
    this.head = `","companyId":"${shop.companyId}","shopId":"${shop.shopId}","created":`
  }

  /** `refundSign` is -1 where refunds take money back (the default reading), 1 where they are written like sales. */
  write(transaction: Transaction, refundSign: 1 | -1): string {
    const { type, status, member, cart, id } = transaction
    const created = epoch(transaction.created)
    const completed = epoch(transaction.completed)
    const sign = type === 'Refund' ? refundSign : 1
    const done = status === 'Hold' ? '' : `"processedTime":${completed},"completedTime":${completed},"endTime":${completed},`
    const buyer = member === undefined ? '' : `"memberId":"${member.id}","member":${this.nested.member(member)},`
    const parent = transaction.parentId === undefined ? '' : `"parentTransactionId":"${transaction.parentId}",`
    const start = `{"id":"${id}${this.head}${created},"modified":${epoch(transaction.modified)},"deleted":${transaction.deleted},"updated":true,"transNo":"${100001 + transaction.number}","transType":"${type}","status":"${status}","active":${status === 'Hold'},"queueType":"${transaction.delivery ? 'Delivery' : 'WalkIn'}","source":"${transaction.delivery ? 'Widget' : 'Retail'}","checkoutType":"Direct","trackingStatus":"${transaction.delivery ? 'Delivered' : 'NotStarted'}",${parent}${buyer}${this.tills[transaction.employee * this.catalog.terminals.length + transaction.terminal]!}${created},"startTime":${created},${done}"pointsEarned":${money(cart === undefined || member === undefined || type !== 'Sale' ? 0 : Math.floor(cart.subTotal / 100) * 100)},"orderTags":${transaction.delivery ? '["online"]' : '[]'},"traceSubmitStatus":"None",`
    const end = cart === undefined ? `"payments":[]${this.transfer(transaction)}` : `"payments":[${this.payments(transaction, sign, completed)}],"cart":${this.cart(transaction, cart, sign)}`
    const missing = this.recordBytes - start.length - end.length - 20
    return missing > 0 ? `${start}${end},"memo":"${filler(missing)}"}` : `${start}${end}}`
  }

  private payments(transaction: Transaction, sign: number, completed: string): string {
    let text = ''
    for (let at = 0; at < transaction.payments.length; at++) {
      const row = transaction.payments[at]!
      const signed = sign === 1 ? row : { ...row, paid: -row.paid }
      text += `${at === 0 ? '' : ','}${paymentText(signed, `${transaction.id}p${at}`, at + 1, completed, row.tender === 'Cash' ? 'CashDrawer' : 'CashVault')}`
    }
    return text
  }

  private cart(transaction: Transaction, cart: Cart, sign: number): string {
    const amount = (cents: number): string => money(sign * cents)
    const postTax = cart.city + cart.excise + cart.state + cart.county
    const cash = transaction.payments.reduce((sum, row) => sum + (row.tender === 'Cash' ? row.paid + row.change : 0), 0)
    const change = transaction.payments.reduce((sum, row) => sum + row.change, 0)
    let items = ''
    for (let at = 0; at < cart.lines.length; at++) items += (at === 0 ? '' : ',') + this.item(transaction, cart.lines[at]!, at, sign)
    const refunded = transaction.type === 'Refund' ? `"refundAmount":${amount(cart.total)},"refundOption":"${transaction.restocked ? 'WithInventory' : 'WithoutInventory'}",` : ''
    return `{"items":[${items}],"subTotal":${amount(cart.subTotal)},"discount":${cart.cartPercentOff}.00,"discountType":"Percentage","calcCartDiscount":${amount(cart.cartDiscount)},"subTotalDiscount":${amount(cart.subTotal - cart.cartDiscount)},"totalDiscount":${amount(cart.lineDiscount + cart.cartDiscount)},"afterTaxDiscount":${amount(cart.afterTaxDiscount)},"appliedAfterTaxDiscount":${amount(cart.afterTaxDiscount)},"pointSpent":${amount(cart.afterTaxDiscount * 20)},"promoCode":"","consumerType":"${transaction.member?.consumerType ?? 'AdultUse'}","tax":${amount(postTax)},"taxResult":${taxResult(cart, sign)},"totalPreCalcTax":${amount(cart.statePre)},"totalCalcTax":${amount(postTax)},"totalExciseTax":${amount(cart.excise)},"enableDeliveryFee":${transaction.delivery},"deliveryFee":${amount(cart.deliveryFee)},"deliveryDiscount":0.00,"enableCreditCardFee":${cart.cardFee > 0},"creditCardFee":${amount(cart.cardFee)},"roundAmt":${amount(cart.rounding)},"total":${amount(cart.total)},"balanceDue":${transaction.status === 'Hold' ? amount(cart.total) : '0.00'},"cashReceived":${amount(cash)},"changeDue":${amount(change)},"paymentOption":"${transaction.option}","paymentType":"Full",${refunded}"storageLocation":"CashDrawer"}`
  }

  /** Most lines were sold before in the same way; but for the line's id they are the same text. */
  private item(transaction: Transaction, line: Line, at: number, sign: number): string {
    const start = `{"orderItemId":"${transaction.id}${at}",`
    const { category } = line.product
    if (category.weighed || line.cartDiscount !== 0 || sign !== 1 || transaction.type !== 'Sale') return start + this.soldAs(transaction, line, sign)
    const untaxed = line.state === 0 && line.county === 0 ? 1 : 0
    const key = (((line.batches.at(-1)!.number * 2 + line.batches.length - 1) * 4 + line.quantity / 100) * 101 + line.percentOff) * 2 + untaxed
    let text = this.known.get(key)
    if (text === undefined) {
      // Through a buffer and back: what is kept shall be plain text, not a tree of its parts.
      text = Buffer.from(this.soldAs(transaction, line, sign), 'latin1').toString('latin1')
      this.known.set(key, text)
    }
    return start + text
  }

  private soldAs(transaction: Transaction, line: Line, sign: number): string {
    const amount = (cents: number): string => money(sign * cents)
    const { product } = line
    const quantity = amount(line.quantity)
    const postTax = line.city + line.excise + line.state + line.county
    const lots = transaction.type === 'Refund' && !transaction.restocked ? '' : this.lots(line, sign)
    return `"productId":"${product.id}","batchId":"${line.batches[0]!.id}","status":"Active","quantity":${quantity},"origQuantity":${quantity},"unitPrice":${money(product.unitPrice)},"cost":${amount(line.cost)},"discount":${line.percentOff}.00,"discountType":"Percentage","calcDiscount":${amount(line.discount)},"finalPrice":${amount(line.cost - line.discount)},"calcTax":${amount(postTax)},"calcPreTax":${amount(line.statePre)},"taxType":"Default","taxOrder":"${line.statePre === 0 ? 'PostTaxed' : 'PreTaxed'}","taxResult":${this.whole ? taxResult(line, sign) : shortTaxResult(line, sign)},"quantityLogs":[${lots}]${this.whole ? `,"promotionReqs":[],"product":${this.nested.product[product.number]!}` : ''}}`
  }

  private lots(line: Line, sign: number): string {
    const [first, second] = line.batches
    const rest = second === undefined ? 0 : Math.floor(line.quantity / 200) * 100
    const lot = (batchId: string, quantity: number): string => `{"inventoryId":"${this.catalog.inventories[0]!}","batchId":"${batchId}","quantity":${money(sign * quantity)}}`
    return second === undefined ? lot(first!.id, line.quantity) : `${lot(first!.id, line.quantity - rest)},${lot(second.id, rest)}`
  }

  /** Rows that are no revenue: goods moved between rooms, or counts corrected. */
  private transfer(transaction: Transaction): string {
    if (transaction.type !== 'Transfer') return ',"cart":null'
    const product = this.catalog.products[transaction.number % this.catalog.products.length]!
    const [from, to] = this.catalog.inventories
    return `,"cart":null,"transferRequest":{"fromShopId":"${this.shop.shopId}","toShopId":"${this.shop.shopId}","transfers":[{"productId":"${product.id}","fromInventoryId":"${from}","toInventoryId":"${to}","transferAmount":${1 + (transaction.number % 24)}.00}]}`
  }
}

/**
 * Reading: `totalExciseTax` is the whole excise and the AL field its breakdown; post-taxes are city + county + state +
 * federal + excise, pre-taxes are what the price includes.
 */
function taxResult(tax: Pick<Line, 'city' | 'excise' | 'state' | 'county' | 'statePre'>, sign: number): string {
  const amount = (cents: number): string => money(sign * cents)
  const pre = amount(tax.statePre)
  const excise = amount(tax.excise)
  return `{"totalPreCalcTax":${pre},"totalPostCalcTax":${amount(tax.city + tax.excise + tax.state + tax.county)},"totalCityTax":${amount(tax.city)},"totalCountyTax":${amount(tax.county)},"totalStateTax":${amount(tax.state)},"totalFedTax":0.00,"totalCityPreTax":0.00,"totalCountyPreTax":0.00,"totalStatePreTax":${pre},"totalFedPreTax":0.00,"totalExciseTax":${excise},"totalALExciseTax":${excise},"totalNALPreExciseTax":0.00,"totalALPostExciseTax":${excise}}`
}

function shortTaxResult(tax: Pick<Line, 'city' | 'excise' | 'state' | 'county' | 'statePre'>, sign: number): string {
  const amount = (cents: number): string => money(sign * cents)
  return `{"totalPreCalcTax":${amount(tax.statePre)},"totalPostCalcTax":${amount(tax.city + tax.excise + tax.state + tax.county)},"totalCityTax":${amount(tax.city)},"totalCountyTax":${amount(tax.county)},"totalStateTax":${amount(tax.state)},"totalExciseTax":${amount(tax.excise)}}`
}

let hundredSeconds = -1
let hundredSecondsText = ''

/** Epoch milliseconds as text. Neighbours share all but the last five digits, and turning large numbers into text is what costs. */
function epoch(ms: number): string {
  const high = Math.floor(ms / 100_000)
  if (high !== hundredSeconds) {
    hundredSeconds = high
    hundredSecondsText = String(high)
  }
  return hundredSecondsText + String(100_000 + ms - high * 100_000).slice(1)
}

const SENTENCE = 'Left a note for the morning shift: check the display case, count the drawer twice, thank the regulars. Déjà payé. '
let ream = SENTENCE

/** Ordinary text of some length, for records that are asked to be larger than they would be. */
function filler(length: number): string {
  while (ream.length < length) ream += ream
  return ream.slice(0, length)
}
