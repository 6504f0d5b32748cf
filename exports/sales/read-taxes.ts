import type { Amount } from '../../money/amount.ts'
import { toAmount } from '../../money/amount.ts'
import type { Fields } from '../../text/record-fields.ts'
import { amountOf, fieldsOf, listOf, oneSign } from '../../text/record-fields.ts'
import type { SaleTax, TaxAuthority, TaxStage } from './sale.ts'

const STAGES: readonly TaxStage[] = ['pre', 'post']

type Part = readonly [authority: TaxAuthority, stage: TaxStage, amount: Amount]

/**
 * `cart` may lack its taxes' parts, of both stages or of one: then the lines' parts count, and else
 * the total stands `unsplit`. Totals are in the sign of the books.
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
  const left = STAGES.filter(
    stage =>
      header.length === 0 || (totals[stage] !== 0n && !header.some(tax => tax.stage === stage)),
  )
  const ofLines = left.length === 0 ? [] : taxesOfLines(cart, refund)
  const found = [...header, ...ofLines.filter(tax => left.includes(tax.stage))]
  const isSplit = (stage: TaxStage): boolean =>
    totals[stage] === 0n || found.some(tax => tax.stage === stage)
  const unsplit = STAGES.filter(stage => !isSplit(stage)).map((stage): SaleTax => ({
    authority: 'unsplit',
    stage,
    amount: totals[stage],
    level: 'header',
    lineNo: undefined,
  }))
  return [...found, ...unsplit]
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
    ['excise_al', 'pre', alPre],
    ['excise_nal', 'pre', nalPre],
    ['city', 'post', of('totalCityTax')],
    ['excise_al', 'post', alPost],
    ['excise_nal', 'post', post - alPost],
    ['state', 'post', of('totalStateTax')],
    ['county', 'post', of('totalCountyTax')],
    ['federal', 'post', of('totalFedTax')],
  ]
}
