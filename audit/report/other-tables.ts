import { missingDocuments } from './exceptions.ts'
import type { AuditLine } from './lines.ts'
import { number, text } from './table.ts'
import type { AuditTable } from './table.ts'

/** What an inventory documentation has of each lot: what the lot does not say is named. */
export function documentationTable(lines: readonly AuditLine[]): AuditTable {
  return {
    dataset: 'inventory_documentation',
    title: 'Inventory documentation',
    columns: [
      text('batch_id'),
      text('batch_sku'),
      text('package_tag'),
      text('description'),
      text('unit'),
      number('received_qty'),
      text('received_at'),
      text('expires_at'),
      text('distributor'),
      text('distributor_license'),
      number('unit_cost'),
      number('total_cost'),
      number('excise_tax'),
      text('missing'),
    ],
    rows: [...new Map(lines.map(({ lot }) => [lot.batchId, lot])).values()].map(lot => [
      lot.batchId,
      lot.batchSku,
      lot.packageTag,
      lot.product,
      lot.unit,
      lot.receivedQty ?? '',
      lot.receivedAt ?? '',
      lot.expiresAt ?? '',
      lot.vendorName,
      lot.vendorLicense,
      lot.unitCost ?? '',
      lot.cost ?? '',
      lot.exciseTax ?? '',
      missingDocuments(lot).join(', '),
    ]),
  }
}

export const evidenceTable = (
  files: readonly { path: string; sha256: string; rows: number | undefined }[],
): AuditTable => ({
  dataset: 'evidence',
  title: 'Evidence',
  columns: [text('file'), text('sha256'), number('rows')],
  rows: files.map(({ path, sha256, rows }) => [
    path,
    sha256,
    rows === undefined ? '' : String(rows),
  ]),
})
