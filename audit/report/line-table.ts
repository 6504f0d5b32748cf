import { finalCount } from '../counts.ts'
import type { Count } from '../counts.ts'
import type { Snapshot } from '../snapshot.ts'
import { amountCell, percentOf } from './lines.ts'
import type { AuditLine } from './lines.ts'
import { number, text } from './table.ts'
import type { AuditTable } from './table.ts'

interface TableFacts {
  snapshot: Snapshot
  snapshotHash: string
}

const place = (line: AuditLine): Record<string, string> => ({
  inventory_id: line.inventoryId,
  room: line.room,
  room_type: line.roomType,
})

const lotCells = ({ lot }: AuditLine): Record<string, string> => ({
  product_id: lot.productId,
  sku: lot.sku,
  product: lot.product,
  category: lot.category,
  cannabis: String(lot.cannabis),
  batch_id: lot.batchId,
  batch_sku: lot.batchSku,
  package_tag: lot.packageTag,
  lot_id: lot.lotId,
  batch_status: lot.batchStatus,
  unit: lot.unit,
})

const quantityCells = (line: AuditLine, { snapshot }: TableFacts): Record<string, string> => ({
  expected_qty: amountCell(line.expected),
  snapshot_at: snapshot.endedAt,
  committed_qty: line.committed,
  counted_qty: amountCell(line.count?.counted),
  recount_qty: amountCell(line.count?.recounted),
  final_qty: line.count === undefined ? '' : amountCell(finalCount(line.count)),
  movement_since_snapshot: amountCell(line.movement),
  adjusted_expected: amountCell(line.adjusted),
  variance_qty: amountCell(line.variance),
  variance_pct: percentOf(line.variance, line.adjusted),
  unit_cost: line.lot.unitCost ?? '',
  variance_cost: amountCell(line.varianceCost, 2),
  variance_retail: amountCell(line.varianceRetail, 2),
  tolerance: amountCell(line.tolerance),
  in_tolerance: line.isInTolerance === undefined ? '' : String(line.isInTolerance),
})

type Counted = Pick<Count, 'reasonCode' | 'note' | 'countedBy' | 'countedAt' | 'recountedBy'>

const NOT_COUNTED: Counted = {
  reasonCode: '',
  note: '',
  countedBy: '',
  countedAt: '',
  recountedBy: '',
}

const countedCells = (count: Counted): Record<string, string> => ({
  reason_code: count.reasonCode,
  note: count.note,
  counted_by: count.countedBy,
  counted_at: count.countedAt,
  recounted_by: count.recountedBy,
})

const countCells = ({ count, lot }: AuditLine): Record<string, string> => ({
  ...countedCells(count ?? NOT_COUNTED),
  expires_at: lot.expiresAt ?? '',
  received_at: lot.receivedAt ?? '',
  vendor_name: lot.vendorName,
  vendor_license: lot.vendorLicense,
})

const NUMBERS: ReadonlySet<string> = new Set([
  'expected_qty',
  'committed_qty',
  'counted_qty',
  'recount_qty',
  'final_qty',
  'movement_since_snapshot',
  'adjusted_expected',
  'variance_qty',
  'variance_pct',
  'unit_cost',
  'variance_cost',
  'variance_retail',
  'tolerance',
])

/** Columns in this order: what people build on. */
export const LINE_COLUMNS = [
  'audit_id inventory_id room room_type product_id sku product category cannabis',
  'batch_id batch_sku package_tag lot_id batch_status unit',
  'expected_qty snapshot_at committed_qty counted_qty recount_qty final_qty',
  'movement_since_snapshot adjusted_expected variance_qty variance_pct',
  'unit_cost variance_cost variance_retail tolerance in_tolerance',
  'reason_code note counted_by counted_at recounted_by',
  'expires_at received_at vendor_name vendor_license source_snapshot_hash',
]
  .join(' ')
  .split(' ')

export function lineTable(lines: readonly AuditLine[], facts: TableFacts): AuditTable {
  return {
    dataset: 'inventory_audit',
    title: 'Lines',
    columns: LINE_COLUMNS.map(name => (NUMBERS.has(name) ? number(name) : text(name))),
    rows: lines.map(line => {
      const cells: Record<string, string> = {
        audit_id: facts.snapshot.audit,
        ...place(line),
        ...lotCells(line),
        ...quantityCells(line, facts),
        ...countCells(line),
        source_snapshot_hash: facts.snapshotHash,
      }
      return LINE_COLUMNS.map(name => cells[name]!)
    }),
  }
}
