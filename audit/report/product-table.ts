import { magnitude, sum, toAmount } from '../../money/amount.ts'
import { finalCount } from '../counts.ts'
import { lotKey } from '../quantities.ts'
import { amountCell, totalOf, worthOf } from './lines.ts'
import type { AuditLine } from './lines.ts'
import { number, text } from './table.ts'
import type { AuditTable } from './table.ts'

/**
 * The same by product and room: too much of one lot and too little of another is nothing here, and
 * something in the lines, so both are shown.
 */
export function productTable(audit: string, lines: readonly AuditLine[]): AuditTable {
  const groups = Map.groupBy(lines, ({ inventoryId, lot }) => lotKey(inventoryId, lot.productId))
  return {
    dataset: 'inventory_audit_products',
    title: 'Products',
    columns: [
      text('audit_id'),
      text('inventory_id'),
      text('room'),
      text('product_id'),
      text('sku'),
      text('product'),
      text('unit'),
      number('expected_qty'),
      number('counted_qty'),
      number('adjusted_expected'),
      number('variance_qty'),
      number('abs_variance_qty'),
      number('variance_cost'),
      number('committed_qty'),
      number('uncounted_lots'),
    ],
    rows: [...groups.values()].map(lots => productRow(audit, lots)),
  }
}

function productRow(audit: string, lots: readonly AuditLine[]): string[] {
  const [{ inventoryId, room, lot, committed }] = lots as [AuditLine]
  const uncounted = lots.filter(({ count }) => count === undefined).length
  const whole = (text: string): string => (uncounted === 0 ? text : '')
  const counted = sum(lots.map(({ count }) => (count === undefined ? 0n : finalCount(count))))
  const adjusted = lots.map(line => (line.count === undefined ? line.expected : line.adjusted))
  const differences = lots.map(({ variance }) => variance)
  const absolute = totalOf(differences.map(one => one && magnitude(one)))
  const held = lots.map(one => one.committed).find(text => text !== '') ?? committed
  return [
    audit,
    inventoryId,
    room,
    lot.productId,
    lot.sku,
    lot.product,
    lot.unit,
    amountCell(sum(lots.map(({ expected }) => expected))),
    whole(amountCell(counted)),
    amountCell(totalOf(adjusted)),
    amountCell(totalOf(differences)),
    amountCell(absolute),
    amountCell(totalOf(lots.map(line => worthOf(line, 'cost'))), 2),
    held === '' ? '' : amountCell(toAmount(held)),
    String(uncounted),
  ]
}
