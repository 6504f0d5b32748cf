import { compareDecimals, isZero, movedByMore } from '../../money/decimal.ts'
import { isRecord, tokenOf } from '../../text/exact-json.ts'
import type { Json, JsonRecord } from '../../text/exact-json.ts'
import { textField } from '../live.ts'
import type { LiveCatalog } from '../live.ts'
import type { Change, Flag, OperationKind } from '../operation.ts'

/** A change of a price by more than this needs an approval of its own. */
const PRICE_CHANGE_PERCENT = 30n

export interface JudgedChange {
  op: OperationKind
  /** Undefined for a creation. */
  record: JsonRecord | undefined
  changes: readonly Change[]
  live: LiveCatalog
  nowMs: number
}

/** What a careful person would stop at before sending these changes. Pure. */
export function findFlags(judged: JudgedChange): Flag[] {
  return [
    ...prices(judged),
    ...stock(judged),
    ...taxes(judged),
    ...cannabis(judged),
    ...vendor(judged),
  ]
}

const changeOf = ({ changes }: JudgedChange, field: string): Change | undefined =>
  changes.find(change => change.field === field)

const changes = (judged: JudgedChange, ...fields: string[]): boolean =>
  fields.some(field => changeOf(judged, field) !== undefined)

/** What a field will be: the change's value, else the record's. */
function after(judged: JudgedChange, column: string, field: string): string | null {
  const change = changeOf(judged, column)
  if (change !== undefined) return change.new
  return decimalOf(judged.record?.[field])
}

/** A number, or a text that may be one; some servers write decimals so. */
const decimalOf = (value: Json): string | null =>
  tokenOf(value) ?? (typeof value === 'string' && value !== '' ? value : null)

function prices(judged: JudgedChange): Flag[] {
  const flags: Flag[] = []
  const unit = changeOf(judged, 'unit_price')
  const moved = (change: Change | undefined): boolean =>
    judged.op !== 'create' &&
    change !== undefined &&
    movedByMore(change.old ?? '0', change.new ?? '0', PRICE_CHANGE_PERCENT)
  const sale = changeOf(judged, 'sales_price')
  // A sales price of 0 is none: that one begins or ends is no change of it.
  const saleMoved =
    sale !== undefined && !isNothing(sale.old) && !isNothing(sale.new) && moved(sale)
  if (moved(unit) || saleMoved) flags.push('price_change')
  if (unit !== undefined && isNothing(unit.new)) flags.push('price_zero')
  if (changes(judged, 'unit_price', 'sales_price', 'purchase_price') && belowCost(judged))
    flags.push('price_below_cost')
  return flags
}

const isNothing = (price: string | null): boolean => price === null || isZero(price)

function belowCost(judged: JudgedChange): boolean {
  const cost = after(judged, 'purchase_price', 'purchasePrice')
  if (cost === null) return false
  const below = (price: string | null): boolean =>
    price !== null && (compareDecimals(price, cost) ?? 0) < 0
  const sale = after(judged, 'sales_price', 'salesPrice')
  return below(after(judged, 'unit_price', 'unitPrice')) || (!isNothing(sale) && below(sale))
}

function stock(judged: JudgedChange): Flag[] {
  if (judged.record === undefined || !isStocked(judged.record)) return []
  const flags: Flag[] = []
  const { before, next } = categories(judged)
  const weighedOtherwise =
    before?.['unitType'] !== undefined &&
    next?.['unitType'] !== undefined &&
    before['unitType'] !== next['unitType']
  if (changes(judged, 'weight_per_unit', 'custom_weight', 'custom_gram_type') || weighedOtherwise)
    flags.push('unit_change')
  if (judged.op === 'deactivate') flags.push('deactivate_stocked')
  return flags
}

/** Whether there is any of it, by what the record says. */
export function isStocked(record: JsonRecord): boolean {
  const some = (value: Json): boolean => (compareDecimals(decimalOf(value) ?? '0', '0') ?? 0) > 0
  const rooms = Array.isArray(record['quantities']) ? record['quantities'].filter(isRecord) : []
  return (
    some(record['totalSellableQuantity']) ||
    some(record['totalCommittedQuantity']) ||
    rooms.some(({ quantity }) => some(quantity)) ||
    (rooms.length === 0 && record['instock'] === true)
  )
}

const taxes = (judged: JudgedChange): Flag[] =>
  judged.op !== 'create' && changes(judged, 'enable_excise_tax', 'price_includes_excise')
    ? ['tax_change']
    : []

function cannabis(judged: JudgedChange): Flag[] {
  if (judged.op === 'create') return []
  const { before, next } = categories(judged)
  const flagDiffers =
    next !== undefined && (before?.['cannabis'] === true) !== (next['cannabis'] === true)
  return changes(judged, 'cannabis_type') || flagDiffers ? ['cannabis_change'] : []
}

/**
 * The category before and after, where it changes. One that
 * the plan creates says nothing of itself.
 */
function categories(judged: JudgedChange): {
  before: JsonRecord | undefined
  next: JsonRecord | undefined
} {
  const change = changeOf(judged, 'category_external_id')
  const edit = change?.edits[0]
  if (edit === undefined) return { before: undefined, next: undefined }
  const { byId } = judged.live.categories
  return {
    before: byId.get(textField(judged.record ?? {}, 'categoryId')),
    next: change!.new === null ? {} : byId.get(String(JSON.parse(edit.to!))),
  }
}

function vendor(judged: JudgedChange): Flag[] {
  const flags: Flag[] = []
  if (judged.op !== 'create' && changes(judged, 'arms_length_type'))
    flags.push('arms_length_change')
  const change = changeOf(judged, 'license_expiration')
  const expires =
    change === undefined
      ? tokenOf(judged.record?.['licenseExpirationDate'])
      : (change.edits[0]?.to ?? undefined)
  if (expires !== undefined && Number(expires) < judged.nowMs) flags.push('license_expired')
  return flags
}
