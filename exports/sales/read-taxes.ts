import type { Amount } from '../../money/amount.ts'
import { isClose, sum, toAmount } from '../../money/amount.ts'
import type { Fields } from '../../text/record-fields.ts'
import { amountOf, fieldsOf, listOf, oneSign } from '../../text/record-fields.ts'
import type { SaleTax, TaxAuthority, TaxStage } from './sale.ts'

const STAGES: readonly TaxStage[] = ['pre', 'post']

type Part = readonly [authority: TaxAuthority, stage: TaxStage, amount: Amount]

/**
 * `cart` may lack its taxes' parts, of both stages or of one: then the lines' parts count, and else
 * the total, or what taxes of fees leave of it, stands `unsplit`. Totals are in the sign of the
 * books.
 */
export function readTaxes(
  cart: Fields,
  refund: boolean,
  totals: Readonly<Record<TaxStage, Amount>>,
): SaleTax[] {
  const header = taxesOf(
    partsOf(fieldsOf(cart['taxResult']), toAmount(cart['totalExciseTax'])),
    refund,
  )
  // A header that splits one stage alone may leave the other to the lines.
  const isSplit = header.some(tax => !isOfFee(tax))
  const left = STAGES.filter(
    stage => !isSplit || (totals[stage] !== 0n && !ofAuthorities(header, stage).length),
  )
  const ofLines = left.length === 0 ? [] : taxesOfLines(cart, refund)
  const parts = [
    ...header,
    ...ofLines.filter(tax => left.includes(tax.stage) && !(isOfFee(tax) && isIn(header, tax))),
  ]
  // Whether authorities' totals contain the taxes of fees is not documented. Where they are the
  // whole tax without them, they do, and a tax of a fee would count twice.
  const isWhole = (stage: TaxStage): boolean =>
    isClose(sumOf(ofAuthorities(parts, stage)), totals[stage])
  const found = parts.filter(tax => !isOfFee(tax) || !isWhole(tax.stage))
  return [...found, ...STAGES.flatMap(stage => unsplitOf(stage, found, totals[stage]))]
}

export const isOfFee = ({ authority }: SaleTax): boolean =>
  authority === 'delivery' || authority === 'surcharge'

const isIn = (header: readonly SaleTax[], { authority, stage }: SaleTax): boolean =>
  header.some(tax => tax.authority === authority && tax.stage === stage)

const ofAuthorities = (taxes: readonly SaleTax[], stage: TaxStage): SaleTax[] =>
  taxes.filter(tax => tax.stage === stage && !isOfFee(tax))

const sumOf = (taxes: readonly SaleTax[]): Amount => sum(taxes.map(({ amount }) => amount))

/** What of a total no part says whom it is owed to. */
function unsplitOf(stage: TaxStage, found: readonly SaleTax[], total: Amount): SaleTax[] {
  if (total === 0n || ofAuthorities(found, stage).length > 0) return []
  const amount = total - sumOf(found.filter(tax => tax.stage === stage))
  return isClose(amount, 0n)
    ? []
    : [{ authority: 'unsplit', stage, amount, level: 'header', lineNo: undefined }]
}

const taxesOfLines = (cart: Fields, refund: boolean): SaleTax[] =>
  listOf(cart['items']).flatMap((item, index) =>
    taxesOf(partsOf(fieldsOf(fieldsOf(item)['taxResult']), undefined), refund, index + 1),
  )

/** Nothing that is zero. */
function taxesOf(parts: readonly Part[], refund: boolean, lineNo?: number): SaleTax[] {
  const one = oneSign(refund)
  const level = lineNo === undefined ? 'header' : 'item'
  return parts
    .filter(([, , amount]) => amount !== 0n)
    .map(([authority, stage, amount]) => ({ authority, stage, amount: one(amount), level, lineNo }))
}

/**
 * `totalExciseTax` is the whole excise and the arm's-length fields are its breakdown: what lies in
 * the price is `pre`, the rest is `post`, arm's-length unless the breakdown says otherwise. Where
 * the API tells the parts alone, the whole is their sum.
 */
function partsOf(result: Fields, cartExcise: Amount | undefined): Part[] {
  const of = (name: string): Amount => amountOf(result[name])
  const nalPre = of('totalNALPreExciseTax')
  const alStatedPost = toAmount(result['totalALPostExciseTax'])
  const al = toAmount(result['totalALExciseTax']) ?? alStatedPost ?? 0n
  const whole = toAmount(result['totalExciseTax']) ?? cartExcise ?? nalPre + al
  const alPre = alStatedPost === undefined || al === 0n ? 0n : al - alStatedPost
  const post = whole - nalPre - alPre
  const unnamed = nalPre === 0n ? post : 0n
  const alPost = al === 0n ? unnamed : al - alPre
  return [
    ['city', 'pre', of('totalCityPreTax')],
    ['county', 'pre', of('totalCountyPreTax')],
    ['state', 'pre', of('totalStatePreTax')],
    ['federal', 'pre', of('totalFedPreTax')],
    ['delivery', 'pre', of('totalDeliveryFeePreTax')],
    ['surcharge', 'pre', of('totalSurchargePreTax')],
    ['excise_al', 'pre', alPre],
    ['excise_nal', 'pre', nalPre],
    ['city', 'post', of('totalCityTax')],
    ['excise_al', 'post', alPost],
    ['excise_nal', 'post', post - alPost],
    ['state', 'post', of('totalStateTax')],
    ['county', 'post', of('totalCountyTax')],
    ['federal', 'post', of('totalFedTax')],
    ['delivery', 'post', of('totalDeliveryFeeTax')],
    ['surcharge', 'post', of('totalSurchargeTax')],
  ]
}
