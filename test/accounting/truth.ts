import { DAY_MS } from '../../calendar/days.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { control } from '../helpers/project.ts'

/** A record as the sandbox has it. Its amounts have two digits, so cents of them are exact. */
export type Wire = Readonly<Record<string, unknown>>

/** What one store really did, asked past everything that its API does to who reads it. */
export interface Truth {
  transactions: readonly Wire[]
  /** By id. */
  products: ReadonlyMap<string, Wire>
  batches: ReadonlyMap<string, Wire>
}

export async function readTruth(sandbox: Sandbox, store: string): Promise<Truth> {
  const [transactions, products, batches] = await Promise.all(
    ['transactions', 'products', 'batches'].map(
      async stream =>
        (await control(sandbox, 'GET', `records?store=${store}&stream=${stream}&full=1`)) as Wire[],
    ),
  )
  const byId = (records: readonly Wire[]): Map<string, Wire> =>
    new Map(records.map(record => [String(record['id']), record]))
  return { transactions: transactions!, products: byId(products!), batches: byId(batches!) }
}

export const cents = (value: unknown): number => Math.round(Number(value ?? 0) * 100)
export const fieldsOf = (value: unknown): Wire =>
  typeof value === 'object' && value !== null ? (value as Wire) : {}
export const rowsOf = (value: unknown): Wire[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

/** What is booked: completed sales and refunds that nobody has deleted. */
export const isBooked = ({ status, deleted, transType }: Wire): boolean =>
  status === 'Completed' && deleted !== true && (transType === 'Sale' || transType === 'Refund')

export const isCannabis = ({ products }: Truth, item: Wire): boolean =>
  fieldsOf(fieldsOf(products.get(String(item['productId'])))['category'])['cannabis'] === true

/**
 * The business day of a transaction, by the store's wall clock alone: what is sold before the
 * cut-off belongs to the day before.
 */
export function dayIn(timeZone: string, dayStartsAt: string): (record: Wire) => string {
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  return record => {
    const [day = '', time = ''] = clock.format(Number(record['completedTime'])).split(' ')
    return time >= dayStartsAt ? day : new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10)
  }
}

/** Sums in cents by key, debits positive; nothing that is zero. */
export class Sums {
  private readonly sums = new Map<string, number>()

  add(key: string, amount: number): void {
    this.sums.set(key, (this.sums.get(key) ?? 0) + amount)
  }

  /** Sorted, as text with two digits: a difference reads well. */
  toJSON(): Record<string, string> {
    return Object.fromEntries(
      [...this.sums]
        .filter(([, amount]) => amount !== 0)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, amount]) => [key, (amount / 100).toFixed(2)]),
    )
  }
}

const TENDERS: Readonly<Record<string, string>> = {
  Cash: '1010',
  Debit: '1050',
  Credit: '1055',
  CashlessATM: '1060',
  Check: '1070',
  StoreCredit: '2410',
  GiftCard: '2400',
}
const TAXES = [
  ['City', '2210'],
  ['State', '2230'],
  ['County', '2240'],
  ['Fed', '2250'],
] as const

/**
 * The books of a store by day and account, straight from its records: what the journals must add up
 * to. It knows the default chart, the wire and nothing else of Tillage; a pipeline and its check
 * that share code share mistakes.
 */
export function booksOf(truth: Truth, dayOf: (record: Wire) => string): Sums {
  const sums = new Sums()
  for (const record of truth.transactions.filter(isBooked)) {
    const cart = fieldsOf(record['cart'])
    const post = (account: string, amount: number): void =>
      sums.add(`${dayOf(record)} ${account}`, amount)
    for (const payment of rowsOf(record['payments'])) {
      const tender = TENDERS[String(payment['paymentOption'])]
      if (tender === undefined)
        throw new Error(`no account for ${String(payment['paymentOption'])}`)
      const back = tender === '1010' ? 0 : cents(payment['changeDue']) + cents(payment['cashBack'])
      post(tender, cents(payment['paidAmount']) + cents(payment['blazeTip']) + back)
      post('1010', -back)
      post('2300', -cents(payment['blazeTip']))
    }
    let costs = 0
    for (const item of rowsOf(cart['items'])) {
      const series =
        record['transType'] === 'Refund' ? ['4092', '4090', '4091'] : ['4030', '4010', '4020']
      const cannabis = cart['consumerType'] === 'AdultUse' ? series[1]! : series[2]!
      post(
        isCannabis(truth, item) ? cannabis : series[0]!,
        cents(item['calcPreTax']) - cents(item['cost']),
      )
      post('4080', cents(item['calcDiscount']))
      for (const log of rowsOf(item['quantityLogs']))
        costs +=
          cents(log['quantity']) *
          cents(fieldsOf(truth.batches.get(String(log['batchId'])))['costPerUnit'])
    }
    post('4080', cents(cart['calcCartDiscount']))
    post('4085', cents(cart['appliedAfterTaxDiscount']))
    post('4100', cart['enableDeliveryFee'] === true ? -cents(cart['deliveryFee']) : 0)
    post('4110', cart['enableCreditCardFee'] === true ? -cents(cart['creditCardFee']) : 0)
    const taxes = fieldsOf(cart['taxResult'])
    for (const [name, account] of TAXES)
      post(account, -cents(taxes[`total${name}Tax`]) - cents(taxes[`total${name}PreTax`]))
    post('2220', -cents(cart['totalExciseTax']))
    post('4950', -cents(cart['roundAmt']))
    // Half a cent goes away from zero, once for each transaction.
    const cogs = Math.sign(costs) * Math.floor((Math.abs(costs) + 50) / 100)
    post('5010', cogs)
    post('1300', -cogs)
  }
  return sums
}

/** What customers owed, by day. */
export function totalsOf({ transactions }: Truth, dayOf: (record: Wire) => string): Sums {
  const sums = new Sums()
  for (const record of transactions.filter(isBooked))
    sums.add(dayOf(record), cents(fieldsOf(record['cart'])['total']))
  return sums
}
