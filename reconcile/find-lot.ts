import type { Lot } from '../audit/snapshot.ts'
import type { CountRow } from './read-rows.ts'

/** Why a row of found stock is about no lot, or about nobody knows which. */
export interface LotProblem {
  column: string
  code: string
  message: string
}

/** What a row may name a lot by, and what the lot says there. */
const NAMED_BY = [
  { column: 'scanned_tag', field: 'packageTag', what: 'the tag', code: 'TAG' },
  { column: 'package_tag', field: 'packageTag', what: 'the tag', code: 'TAG' },
  { column: 'batch_sku', field: 'batchSku', what: 'the lot number', code: 'BATCH' },
  { column: 'sku', field: 'sku', what: 'the SKU', code: 'SKU' },
] as const

/**
 * The lot that found stock belongs to: everything that the row says of it must be true of it, and
 * of no other. Lot numbers and tags are given by people, so two lots may share one. Pure.
 */
export function findLot(
  lots: readonly Lot[],
  { cells }: Pick<CountRow, 'cells'>,
): Lot | LotProblem {
  const named = NAMED_BY.filter(({ column }) => cells[column] !== '')
  let candidates = [...new Map(lots.map(lot => [lot.batchId, lot])).values()]
  for (const { column, field, what, code } of named) {
    const said = cells[column]
    const fitting = candidates.filter(lot => lot[field] === said)
    if (fitting.length > 0) {
      candidates = fitting
      continue
    }
    if (!lots.some(lot => lot[field] === said))
      return { column, code: `${code}_UNKNOWN`, message: `no lot has ${what} ${said}` }
    const is = `${what} belongs to another lot than the rest of the row: ${describe(candidates)}`
    return { column, code: `${code}_OTHER_LOT`, message: `${said} is ${is}` }
  }
  const [lot, ...others] = candidates
  if (lot !== undefined && others.length === 0) return lot
  const { column, code } = named[0]!
  const message =
    `${candidates.length} lots match: ${describe(candidates)}; ` +
    'name one by its tag, or by its SKU as well'
  return { column, code: `${code}_AMBIGUOUS`, message }
}

const MOST_NAMED = 5

function describe(lots: readonly Lot[]): string {
  const named = lots
    .slice(0, MOST_NAMED)
    .map(({ product, sku, batchSku }) => `${product} (SKU ${sku}), lot ${batchSku}`)
  const more = lots.length > MOST_NAMED ? [`${lots.length - MOST_NAMED} more`] : []
  return [...named, ...more].join('; ')
}
