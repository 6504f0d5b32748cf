import type { Amount } from './amount.ts'
import { toAmount } from './amount.ts'
import type { Fields } from './record.ts'
import { amountOf, fieldsOf, listOf, oneSign } from './record.ts'
import type { SaleTax, TaxAuthority, TaxStage } from './sale.ts'

type Part = readonly [authority: TaxAuthority, stage: TaxStage, amount: Amount]

/**
 * `cart` may lack its taxes' parts: then the lines' parts count, and else the total stands
 * `unsplit`. Totals are in the sign of the books.
 */
export function readTaxes(
  cart: Fields,
  refund: boolean,
  totals: Readonly<Record<TaxStage, Amount>>,
): SaleTax[] {
  const one = oneSign(refund)
  const taxes = (parts: readonly Part[], lineNo?: number): SaleTax[] =>
    parts.flatMap(([authority, stage, amount]) =>
      amount === 0n
        ? []
        : [
            {
              authority,
              stage,
              amount: one(amount),
              level: lineNo === undefined ? ('header' as const) : ('item' as const),
              lineNo,
            },
          ],
    )
  const header = taxes(partsOf(fieldsOf(cart['taxResult']), toAmount(cart['totalExciseTax'])))
  const found =
    header.length > 0
      ? header
      : listOf(cart['items']).flatMap((item, index) =>
          taxes(partsOf(fieldsOf(fieldsOf(item)['taxResult']), undefined), index + 1),
        )
  const unsplit = (['pre', 'post'] as const).flatMap((stage): SaleTax[] =>
    totals[stage] === 0n || found.some(tax => tax.stage === stage)
      ? []
      : [
          {
            authority: 'unsplit',
            stage,
            amount: totals[stage],
            level: 'header',
            lineNo: undefined,
          },
        ],
  )
  return [...found, ...unsplit]
}

/**
 * `totalExciseTax` is the whole excise and the arm's-length fields are its breakdown: what lies in
 * the price is `pre`, the rest is `post`, arm's-length unless the breakdown says otherwise.
 */
function partsOf(result: Fields, cartExcise: Amount | undefined): Part[] {
  const of = (name: string): Amount => amountOf(result[name])
  const whole = toAmount(result['totalExciseTax']) ?? cartExcise ?? 0n
  const nalPre = of('totalNALPreExciseTax')
  const al = of('totalALExciseTax')
  const alStatedPost = toAmount(result['totalALPostExciseTax'])
  const alPre = alStatedPost === undefined || al === 0n ? 0n : al - alStatedPost
  const post = whole - nalPre - alPre
  const alPost = al === 0n ? (nalPre === 0n ? post : 0n) : al - alPre
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
