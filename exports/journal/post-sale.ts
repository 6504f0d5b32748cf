import { amountText, CENT, magnitude, roundToMicros, sum } from '../../money/amount.ts'
import type { Amount } from '../../money/amount.ts'
import { allocate } from '../sales/allocate.ts'
import { isOfFee } from '../sales/read-taxes.ts'
import type { Sale, SaleItem, SalePayment, SaleTax, TaxAuthority } from '../sales/sale.ts'
import { CONSUMER_ROLES, TAX_ROLES, TAXED_LIKE, TENDER_ROLES } from './chart.ts'
import type { Account } from './chart.ts'
import { quoted } from './checks.ts'
import type { LineFacts, Posting } from './entry.ts'
import type { AccountingSettings, OwnAccounts } from './settings.ts'

/**
 * Something of a sale that stands in no line of the journal. `line`: a line of the sale, not its
 * value (INV-10).
 */
export interface Gap {
  code: 'UNMAPPED' | 'COST_MISSING' | 'CANNABIS_UNKNOWN' | 'LOTS_SHORT' | 'PAYMENT_DELETED'
  detail: string
}

/**
 * One booked sale or refund as postings, debits positive. The source's figures are posted as they
 * are, nothing is computed again. A refund's figures are negative, so the same rules reverse it; a
 * line is a return by its sign, which makes the two halves of an exchange what they are.
 */
export function postSale(
  sale: Sale,
  settings: AccountingSettings,
): { postings: Posting[]; gaps: Gap[] } {
  const gaps: Gap[] = sale.deletedPayments.map(isLeftOut)
  const { accounts } = settings
  const included = includedTaxes(sale)
  const postings = [
    ...sale.payments.flatMap(payment => postPayment(payment, settings, gaps)),
    ...sale.items.flatMap((item, index) =>
      postItem({ sale, item, includedTax: included[index]!, settings }, gaps),
    ),
    posting(accounts.loyalty, 'after_tax_discount', sale.afterTaxDiscount),
    posting(accounts.deliveryFees, 'delivery_fee', -sale.deliveryFee),
    posting(accounts.paymentFees, 'payment_fee', -sale.paymentFee),
    ...sale.taxes.flatMap(tax => postTax(tax, settings, gaps)),
    posting(accounts.rounding, 'rounding', -sale.rounding),
    posting(accounts.adjustments, 'adjustment', -sale.adjustment),
  ]
  return { postings: postings.filter(({ amount }) => amount !== 0n), gaps }
}

const isLeftOut = ({ paymentNo, applied }: Sale['deletedPayments'][number]): Gap => ({
  code: 'PAYMENT_DELETED',
  detail: `payment ${paymentNo} of ${amountText(applied)} is marked as deleted; it is not counted`,
})

/** What a map of the settings says of a word of the API, which may be `constructor`. */
const namedIn = <Value>(
  map: Readonly<Record<string, Value>>,
  word: string | undefined,
): Value | undefined => (word !== undefined && Object.hasOwn(map, word) ? map[word] : undefined)

function posting(
  account: Account,
  metric: Posting['metric'],
  amount: Amount,
  facts: Partial<LineFacts> = {},
): Posting {
  return {
    account,
    metric,
    amount,
    part: '',
    consumerType: '',
    category: '',
    tender: '',
    authority: '',
    ...facts,
  }
}

/**
 * What settles the sale and its tip. Money that comes back over the counter comes out of the
 * drawer: as change that is the drawer's own affair, but with any other tender more was charged
 * than the sale, and cash was paid out for it.
 */
function postPayment(payment: SalePayment, settings: AccountingSettings, gaps: Gap[]): Posting[] {
  const { tender, tenderName, applied, tip } = payment
  const { accounts } = settings
  const tips = posting(accounts.tips, 'tip', -tip)
  const account =
    namedIn(settings.tenders, tenderName) ??
    namedIn(settings.tenders, tender) ??
    (tender === 'other' ? undefined : accounts[TENDER_ROLES[tender]])
  const back = tender === 'cash' ? 0n : payment.change + payment.cashBack
  const money = applied + tip + back
  if (account === undefined) {
    // What moves nothing needs no account.
    if (money === 0n && tip === 0n && back === 0n) return []
    gaps.push(withoutAccount(payment))
    return [tips]
  }
  return [
    posting(account, 'tender', money, { tender, part: money < 0n ? 'refunds' : 'sales' }),
    posting(accounts.cash, 'tender', -back, { tender: 'cash', part: 'cash back' }),
    tips,
  ]
}

const withoutAccount = ({ paymentNo, tenderName = '' }: SalePayment): Gap => ({
  code: 'UNMAPPED',
  detail:
    `payment ${paymentNo} was made by ${quoted(tenderName)}, which has no account: ` +
    'name it in accounting.tenders',
})

/**
 * The taxes inside each line's price. Where only the header knows them, and for those of fees, they
 * are split by what the lines cost: gross sales are retail value less all of them. Where the lines
 * were rounded one by one and the header was at once, the largest line takes the cents between
 * them: what is owed is the header's.
 */
function includedTaxes({ preTax, items, taxes }: Sale): Amount[] {
  const stated = items.map(item => item.preTax)
  const split = (amount: Amount): Amount[] =>
    allocate(
      amount,
      items.map(({ net }) => net),
    )
  if (preTax !== 0n && stated.every(amount => amount === 0n)) return split(preTax)
  const ofFees = sum(taxes.filter(isInFee).map(({ amount }) => amount))
  const between = preTax - sum(stated) - ofFees
  if (magnitude(between) > mostRounded(items.length)) return stated
  const sizes = stated.map(magnitude)
  const largest = sizes.indexOf(sizes.reduce((one, other) => (other > one ? other : one), 0n))
  const shares = split(ofFees)
  return stated.map((amount, at) => amount + shares[at]! + (at === largest ? between : 0n))
}

const isInFee = (tax: SaleTax): boolean => tax.stage === 'pre' && isOfFee(tax)

/** Half a cent for each line and for the header: no rounding makes more. */
const mostRounded = (lines: number): Amount => (CENT * BigInt(lines + 1)) / 2n

/** One line of a sale, and what books it. */
interface BookedLine {
  sale: Sale
  item: SaleItem
  /** Inside its price. */
  includedTax: Amount
  settings: AccountingSettings
}

function postItem(line: BookedLine, gaps: Gap[]): Posting[] {
  const { item, includedTax, settings } = line
  const { accounts } = settings
  const category = categoryOf(item, settings)
  const own = ownAccounts(line, category)
  const facts = { consumerType: line.sale.consumerType, category }
  const sold = item.retail - includedTax
  const discounted = postDiscount(item, own.discounts ?? accounts.discounts, facts)
  if (item.isGiftCard) return [posting(accounts.giftCards, 'gift_card_sold', -sold), discounted]
  gaps.push(...gapsOf(item))
  const cogs = item.cogs ?? 0n
  return [
    postRevenue(line, own, facts),
    discounted,
    posting(own.cogs ?? accounts.cogs, 'cogs', cogs, { category }),
    posting(own.inventory ?? accounts.inventory, 'inventory', -cogs, { category }),
  ]
}

/** As far as the settings name it: by its name, else by its id. */
const categoryOf = (
  { categoryName, categoryId }: SaleItem,
  { byCategory }: AccountingSettings,
): string => [categoryName, categoryId].find(name => namedIn(byCategory, name) !== undefined) ?? ''

function ownAccounts({ sale, item, settings }: BookedLine, category: string): OwnAccounts {
  const { revenue, returns, ...rest } = settings.byConsumerType[sale.consumerType] ?? {}
  // What is no cannabis is sold to patients, too, and is no medical revenue for that.
  const ofConsumer = item.cannabis === false ? rest : { ...rest, revenue, returns }
  return { ...ofConsumer, ...settings.byCategory[category] }
}

function postDiscount(item: SaleItem, account: Account, facts: Partial<LineFacts>): Posting {
  const discount = item.lineDiscount + item.cartDiscount
  return discount < 0n
    ? posting(account, 'discount_reversed', discount, { ...facts, part: 'reversed on return' })
    : posting(account, 'discount', discount, facts)
}

const NON_CANNABIS = { revenue: 'revenueNonCannabis', returns: 'returnsNonCannabis' } as const

function postRevenue(
  { sale, item, includedTax, settings: { accounts } }: BookedLine,
  own: OwnAccounts,
  facts: Partial<LineFacts>,
): Posting {
  const sold = item.retail - includedTax
  const roles = item.cannabis === false ? NON_CANNABIS : CONSUMER_ROLES[sale.consumerType]
  return sold < 0n || item.retail < 0n
    ? posting(own.returns ?? accounts[roles.returns], 'return', -sold, facts)
    : posting(own.revenue ?? accounts[roles.revenue], 'revenue', -sold, facts)
}

function gapsOf(item: SaleItem): Gap[] {
  const { lineNo, cannabis, cogs, restocked, lotMissingSince } = item
  const gaps: Gap[] = []
  if (cannabis === undefined)
    gaps.push({
      code: 'CANNABIS_UNKNOWN',
      detail: `line ${lineNo} is not known to be cannabis or not; it is booked as cannabis`,
    })
  // What did not come back into stock has no cost to be taken back.
  if (cogs === undefined && restocked !== false)
    gaps.push({
      code: 'COST_MISSING',
      detail:
        `line ${lineNo} has no cost: ${whyMissing(lotMissingSince)}; ` +
        'its cost of goods is not in the journal',
    })
  return cogs === undefined ? gaps : [...gaps, ...lotsShort(item)]
}

/**
 * Cost of goods is that of the lots that a line was drawn from, also where they are less than the
 * line. More may be the parts of a bundle, and of a refund only a part may come back into stock.
 */
function lotsShort({ lineNo, quantity, lots, restocked }: SaleItem): Gap[] {
  const drawn = magnitude(sum(lots.map(lot => lot.quantity)))
  const isShort = roundToMicros(drawn) < roundToMicros(magnitude(quantity))
  if (lots.length === 0 || restocked !== undefined || !isShort) return []
  const detail =
    `the lots of line ${lineNo} are ${amountText(drawn, 0)} of ` +
    `${amountText(magnitude(quantity), 0)}; the rest has no cost of goods`
  return [{ code: 'LOTS_SHORT', detail }]
}

const whyMissing = (lotMissingSince: string | undefined): string =>
  lotMissingSince === undefined
    ? 'neither the line nor a lot that was read says one'
    : `the API does not know its lot (asked on ${lotMissingSince.slice(0, 10)})`

function taxAccount(authority: TaxAuthority, settings: AccountingSettings): Account | undefined {
  const own = settings.taxes[authority]
  if (own !== undefined || authority === 'unsplit') return own
  if (authority === 'delivery' || authority === 'surcharge')
    return taxAccount(TAXED_LIKE[authority], settings)
  return settings.accounts[TAX_ROLES[authority]]
}

function postTax(
  { authority, stage, amount }: SaleTax,
  settings: AccountingSettings,
  gaps: Gap[],
): Posting[] {
  const account = taxAccount(authority, settings)
  if (account !== undefined) return [posting(account, 'tax', -amount, { authority })]
  gaps.push({
    code: 'UNMAPPED',
    detail:
      `its ${stage === 'pre' ? 'included' : 'added'} tax is a total ` +
      'that no authority is named for: name an account in accounting.taxes.unsplit',
  })
  return []
}
