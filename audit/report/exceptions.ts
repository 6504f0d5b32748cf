import { fromIso } from '../../calendar/days.ts'
import { amountText } from '../../money/amount.ts'
import type { Counts } from '../counts.ts'
import { lotKey } from '../quantities.ts'
import { describeChange, nameReconciliation } from '../reconciled-lots.ts'
import type { ReconciledLot } from '../reconciled-lots.ts'
import type { Snapshot } from '../snapshot.ts'
import { amountCell } from './lines.ts'
import type { AuditLine } from './lines.ts'
import { text } from './table.ts'
import type { AuditTable } from './table.ts'

export interface Remark {
  severity: 'error' | 'warning' | 'info'
  code: string
  detail: string
}

/** A remark, and what it is about. */
export interface AuditException extends Remark {
  lineId: string
  inventoryId: string
  batchId: string
}

export interface ExceptionFacts {
  snapshot: Snapshot
  lines: readonly AuditLine[]
  counts: Counts
  /** Lots that reconciliations have set, whenever. */
  reconciled: readonly ReconciledLot[]
  /** What concerns the audit as a whole. */
  others: readonly Remark[]
}

export function exceptionTable(facts: ExceptionFacts): AuditTable {
  return {
    dataset: 'inventory_audit_exceptions',
    title: 'Exceptions',
    columns: ['severity', 'code', 'line_id', 'inventory_id', 'batch_id', 'detail'].map(text),
    rows: findExceptions(facts).map(one => [
      one.severity,
      one.code,
      one.lineId,
      one.inventoryId,
      one.batchId,
      one.detail,
    ]),
  }
}

/** Everything that a person has to look at, the gravest first. */
export function findExceptions({
  snapshot,
  lines,
  counts,
  reconciled,
  others,
}: ExceptionFacts): AuditException[] {
  const whole = others.map(one => ({ ...one, lineId: '', inventoryId: '', batchId: '' }))
  const moved = snapshot.moved.map(one => ({
    severity: 'info' as const,
    code: 'moved_during_snapshot',
    lineId: '',
    inventoryId: one.inventory_id,
    batchId: one.batch_id,
    detail: `from ${one.from} to ${one.to} while the snapshot was taken`,
  }))
  const found = counts.finds.map(one => ({
    severity: 'error' as const,
    code: one.tag === '' ? 'untagged_found' : 'unknown_package',
    lineId: '',
    inventoryId: one.inventoryId,
    batchId: '',
    detail:
      `${amountText(one.counted, 0)} of ${one.product}${one.sku === '' ? '' : ` (${one.sku})`} ` +
      `${one.tag === '' ? 'without a tag' : `with the package tag ${one.tag}, which the till does not know`}, ` +
      `found by ${one.countedBy}`,
  }))
  const rank = { error: 0, warning: 1, info: 2 }
  const since = reconciled.filter(({ atMs = 0 }) => atMs > fromIso(snapshot.endedAt))
  const ofLines = lines.flatMap(line => [...ofLine(line, snapshot), ...setBeforeCount(line, since)])
  return [...whole, ...found, ...ofLines, ...moved].toSorted(
    (one, other) => rank[one.severity] - rank[other.severity],
  )
}

/**
 * A reconciliation between snapshot and count, like a documented disposal, moves nothing: whether
 * it explains a difference, a person says.
 */
function setBeforeCount(
  { lineId, inventoryId, lot, count }: AuditLine,
  sinceSnapshot: readonly ReconciledLot[],
): AuditException[] {
  if (count === undefined) return []
  const countedMs = fromIso(count.countedAt)
  return sinceSnapshot
    .filter(({ key }) => key === lotKey(inventoryId, lot.batchId))
    .filter(({ atMs = 0 }) => atMs <= countedMs)
    .map(one => ({
      severity: 'warning',
      code: 'reconciled_before_count',
      lineId,
      inventoryId,
      batchId: lot.batchId,
      detail:
        `${nameReconciliation(one)} has set it${describeChange(one)} after the snapshot and ` +
        'before the count; the difference is to the snapshot',
    }))
}

type Judge = (line: AuditLine, snapshot: Snapshot) => Remark | undefined

const JUDGES: readonly Judge[] = [
  ({ count, expected }) =>
    count === undefined
      ? { severity: 'warning', code: 'uncounted', detail: `${amountCell(expected)} expected` }
      : undefined,
  ({ isInTolerance, variance, adjusted, count }) =>
    isInTolerance === false
      ? {
          severity: 'error',
          code: 'out_of_tolerance',
          detail:
            `difference ${amountCell(variance)} against ${amountCell(adjusted)} expected` +
            (count?.recounted === undefined ? '; recount by another person' : ', recounted'),
        }
      : undefined,
  ({ variance, count }) =>
    variance !== undefined && variance < 0n && count?.reasonCode === ''
      ? {
          severity: 'warning',
          code: 'reason_missing',
          detail: 'stock is lost, and no adjustment reason says why',
        }
      : undefined,
  ({ lineId, count, lot }, { lines }) =>
    lineId === '' && count !== undefined
      ? {
          severity: 'warning',
          code: 'found_elsewhere',
          detail: `a known lot where none should be${placesOf(lot.batchId, lines)}`,
        }
      : undefined,
  ({ expected }) =>
    expected < 0n
      ? {
          severity: 'error',
          code: 'negative_expected',
          detail: `the records say ${amountCell(expected)}`,
        }
      : undefined,
  ({ lot, variance }) =>
    lot.unitCost === null && variance !== undefined && variance !== 0n
      ? {
          severity: 'warning',
          code: 'cost_missing',
          detail: 'the lot does not say what it has cost',
        }
      : undefined,
  ({ lot }, { endedAt }) =>
    lot.expiresAt !== null && fromIso(lot.expiresAt) < fromIso(endedAt)
      ? { severity: 'warning', code: 'expired', detail: `since ${lot.expiresAt}` }
      : undefined,
  ({ lot }) =>
    lot.category === ''
      ? {
          severity: 'warning',
          code: 'category_unknown',
          detail: `the API does not say its category: that it is counted by ${lot.unit} is assumed`,
        }
      : undefined,
  ({ lot }) => {
    const missing = missingDocuments(lot)
    return missing.length > 0 && lot.cannabis
      ? { severity: 'info', code: 'documentation_missing', detail: missing.join(', ') }
      : undefined
  },
]

/** Where the records have it: what is missing there may be what was found here. */
function placesOf(batchId: string, lines: Snapshot['lines']): string {
  const places = lines.filter(line => line.batchId === batchId)
  if (places.length === 0) return ''
  return `; records have ${places.map(({ room, expected }) => `${expected} in ${room}`).join(', ')}`
}

/** What the inventory documentation asks for, and the lot does not say. */
export const missingDocuments = ({
  receivedAt,
  expiresAt,
  vendorName,
  vendorLicense,
  unitCost,
}: AuditLine['lot']): string[] =>
  Object.entries({
    'received date and time': receivedAt,
    expiry: expiresAt,
    distributor: vendorName,
    'distributor licence': vendorLicense,
    'price paid': unitCost,
  })
    .filter(([, value]) => value === null || value === '')
    .map(([name]) => name)

const ofLine = (line: AuditLine, snapshot: Snapshot): AuditException[] =>
  JUDGES.flatMap(judge => {
    const found = judge(line, snapshot)
    if (found === undefined) return []
    const { lineId, inventoryId, lot } = line
    return [{ ...found, lineId, inventoryId, batchId: lot.batchId }]
  })
