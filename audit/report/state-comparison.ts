import { magnitude, ONE, sum } from '../../money/amount.ts'
import type { Amount } from '../../money/amount.ts'
import { finalCount } from '../counts.ts'
import type { Find } from '../counts.ts'
import { roomName } from '../snapshot.ts'
import type { Lot, Snapshot } from '../snapshot.ts'
import type { StateList, StatePackage } from '../state-list.ts'
import { amountCell } from './lines.ts'
import type { AuditLine } from './lines.ts'
import { number, text } from './table.ts'
import type { AuditTable } from './table.ts'

/** What is wrong with a package, in the order in which an inspector looks. */
const KINDS = [
  'on the shelf, not on the list',
  'no package tag',
  'on the list, not on the shelf',
  'shelf and list differ',
  'unknown to the till',
  'till and list differ',
  'in the till, not on the list',
  'units differ',
  'not counted',
  '',
] as const
type Kind = (typeof KINDS)[number]

/** A package on the shelf, in the till and on the state's list; undefined: nobody knows. */
export interface ComparedPackage {
  tag: string
  product: string
  rooms: string
  unit: string
  shelf: Amount | undefined
  till: Amount | undefined
  /** Undefined: it is not on the list. */
  state: Amount | undefined
  /** Empty: nothing is wrong. */
  kind: Kind
}

export interface ComparedLists {
  snapshot: Pick<Snapshot, 'audit' | 'rooms' | 'isPartial' | 'otherLots'>
  lines: readonly AuditLine[]
  finds: readonly Find[]
  list: StateList
}

/**
 * What lies on the shelf against what the till and the state's system have of each package, the
 * gravest first. A package is compared over all rooms; of a snapshot of some rooms, a package may
 * lie in others too, so that too little proves nothing. Pure.
 */
export function compareWithState(facts: ComparedLists): ComparedPackage[] {
  const byTag = Map.groupBy(
    facts.lines.filter(({ lot }) => lot.packageTag !== ''),
    ({ lot }) => lot.packageTag,
  )
  const found = Map.groupBy(facts.finds, ({ tag }) => tag)
  const listed = new Map(facts.list.packages.map(one => [one.tag, one]))
  const tags = new Set([...byTag.keys(), ...found.keys(), ...listed.keys()])
  tags.delete('')
  const others = new Map(facts.snapshot.otherLots.map(lot => [lot.packageTag, lot]))
  const packages = [...tags].map(tag =>
    comparePackage(facts, {
      lines: byTag.get(tag) ?? [],
      finds: found.get(tag) ?? [],
      listed: listed.get(tag),
      other: others.get(tag),
      tag,
    }),
  )
  return [...packages, ...untagged(facts)].toSorted(
    (one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind),
  )
}

interface Known {
  tag: string
  lines: readonly AuditLine[]
  finds: readonly Find[]
  listed: StatePackage | undefined
  /** A lot of the till that is on no sheet: it has none of it, where all rooms were looked at. */
  other: Lot | undefined
}

function comparePackage(facts: ComparedLists, known: Known): ComparedPackage {
  const { tag, listed } = known
  const one = {
    tag,
    ...describeGoods(known),
    rooms: roomsOf(facts, known),
    shelf: shelfOf(facts, known),
    till: tillOf(facts, known),
    state: listed?.quantity,
  }
  return { ...one, kind: kindOf(facts, one, listed) }
}

/** As the till has it, else as it was written down, else as the list has it. */
function describeGoods({ lines, finds, listed, other }: Known): { product: string; unit: string } {
  const lot = lines[0]?.lot ?? other
  if (lot !== undefined) return { product: lot.product, unit: lot.unit }
  const product = finds[0]?.product ?? listed?.item ?? ''
  return { product, unit: listed?.unit ?? '' }
}

function roomsOf({ snapshot }: ComparedLists, { lines, finds, listed }: Known): string {
  const nameOf = (find: Find): string => roomName(snapshot, find.inventoryId)
  const names = [...lines.map(({ room }) => room), ...finds.map(nameOf)]
  return names.length === 0 ? (listed?.location ?? '') : [...new Set(names)].join(', ')
}

/** What was counted, in all rooms together; nothing where a line of it was not. */
function shelfOf(
  { snapshot, lines: all }: ComparedLists,
  { lines, finds }: Known,
): Amount | undefined {
  if (lines.some(({ count }) => count === undefined)) return undefined
  if (lines.length + finds.length === 0) {
    const isWhole = !snapshot.isPartial && all.every(({ count }) => count !== undefined)
    return isWhole ? 0n : undefined
  }
  return sum([...lines.map(({ count }) => finalCount(count!)), ...finds.map(one => one.counted)])
}

/** At the count, where that is known, else at the snapshot. */
function tillOf({ snapshot }: ComparedLists, { lines, other }: Known): Amount | undefined {
  if (lines.length > 0) return sum(lines.map(({ adjusted, expected }) => adjusted ?? expected))
  return other === undefined || snapshot.isPartial ? undefined : 0n
}

type Amounts = Pick<ComparedPackage, 'shelf' | 'till' | 'state' | 'unit'>

function kindOf(facts: ComparedLists, one: Amounts, listed: StatePackage | undefined): Kind {
  if (listed === undefined) return offList(one)
  const { shelf, unit } = one
  const { quantity } = listed
  if (listed.unit !== undefined && listed.unit !== unit) return 'units differ'
  if (facts.snapshot.isPartial)
    return shelf !== undefined && shelf > quantity ? 'shelf and list differ' : ''
  if (shelf === undefined || isSame(shelf, quantity)) return besideTill(one, quantity)
  return isThere(shelf) ? 'shelf and list differ' : 'on the list, not on the shelf'
}

/** What nobody counted, or where the shelf is as the list has it. */
function besideTill({ shelf, till }: Amounts, listed: Amount): Kind {
  if (till === undefined) return isThere(listed) ? 'unknown to the till' : ''
  if (!isSame(till, listed)) return 'till and list differ'
  return shelf === undefined ? 'not counted' : ''
}

function offList({ shelf, till }: Amounts): Kind {
  if (isThere(shelf)) return 'on the shelf, not on the list'
  return isThere(till) ? 'in the till, not on the list' : ''
}

const isThere = (amount: Amount | undefined): boolean => amount !== undefined && amount > 0n

/** Ounces and grams are rounded on their way: less than a thousandth of a gram is nothing. */
const isSame = (one: Amount, other: Amount): boolean => magnitude(one - other) < ONE / 1000n

/** Cannabis without a package tag: the state's list cannot have it. */
function untagged(lists: ComparedLists): ComparedPackage[] {
  const { snapshot, lines, finds } = lists
  const none = { tag: '', till: undefined, state: undefined, kind: 'no package tag' as const }
  const inTill = lines
    .filter(({ lot, count }) => lot.packageTag === '' && lot.cannabis && count !== undefined)
    .filter(({ count }) => isThere(finalCount(count!)))
    .map(({ lot, room, count, adjusted }) => ({
      ...none,
      product: `${lot.product}, lot ${lot.batchSku}`,
      rooms: room,
      unit: lot.unit,
      shelf: finalCount(count!),
      till: adjusted,
    }))
  const onlyFound = finds
    .filter(({ tag, sku }) => tag === '' && !isOtherGoods(lists, sku))
    .map(({ product, inventoryId, counted }) => ({
      ...none,
      product,
      rooms: roomName(snapshot, inventoryId),
      unit: '',
      shelf: counted,
    }))
  return [...inTill, ...onlyFound]
}

/** By its SKU a product that the snapshot has, and that is no cannabis: it has no tag anywhere. */
function isOtherGoods({ snapshot, lines }: ComparedLists, sku: string): boolean {
  const known = [...lines.map(({ lot }) => lot), ...snapshot.otherLots].filter(
    lot => lot.sku === sku,
  )
  return sku !== '' && known.length > 0 && known.every(({ cannabis }) => !cannabis)
}

/** Every package, those with something wrong first. */
export const stateTable = (audit: string, packages: readonly ComparedPackage[]): AuditTable => ({
  dataset: 'inventory_audit_state',
  title: 'Shelf, till, state',
  columns: [
    text('audit_id'),
    text('what'),
    text('package_tag'),
    text('product'),
    text('rooms'),
    text('unit'),
    number('shelf_qty'),
    number('till_qty'),
    number('state_qty'),
    number('shelf_minus_state'),
  ],
  rows: packages.map(({ tag, product, rooms, unit, shelf, till, state, kind }) => [
    audit,
    kind,
    tag,
    product,
    rooms,
    unit,
    amountCell(shelf),
    amountCell(till),
    amountCell(state),
    shelf === undefined || state === undefined ? '' : amountCell(shelf - state),
  ]),
})
