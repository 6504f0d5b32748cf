import type { RenameLog } from '../connectors/destination/renames.ts'
import type { ManifestLog } from '../connectors/destination/written-evidence.ts'
import { auditFolder, keepFile, seal } from './folder.ts'
import { identifyShop } from './identify-shop.ts'
import { readSincePrevious } from './read-since-snapshot.ts'
import { rollForward } from './report/roll-forward.ts'
import { tableCsv } from './report/table.ts'
import type { StoreApi } from './store-api.ts'
import { takeSnapshot } from './take-snapshot.ts'
import { writeSheets } from './write-sheets.ts'

/** What a scheduled audit came to: ids and counts alone. */
export interface AuditTaken {
  audit: string
  lines: number
  /** The snapshot that it was rolled forward from; null: nothing was rolled forward. */
  rolledFrom: string | null
  /**
   * What could not be read, so that nothing is rolled forward or less is explained than could be;
   * absent from what was taken before it was told.
   */
  problems?: string[]
  /** Lots whose change nothing explains. */
  unexplained: number
  mayReconcile: boolean
}

export interface AuditOrder {
  log: ManifestLog & RenameLog
  exports: string
  timeZone: string | undefined
  /** Adjustment reasons that counts may give. */
  reasons: readonly string[]
  now(): number
}

/** A snapshot with its sheets, and what became of the one before it. Only reads. */
export async function takeAudit(
  api: StoreApi,
  { log, exports, timeZone, reasons, now }: AuditOrder,
  signal: AbortSignal,
): Promise<AuditTaken> {
  const identity = await identifyShop(api, timeZone, signal)
  const quietly = { rooms: [], isBlind: true, progress: () => {}, now }
  const snapshot = await takeSnapshot(api, { ...identity, ...quietly })
  await writeSheets(log, exports, snapshot, reasons)
  const folder = auditFolder(exports, snapshot.store, snapshot.audit)
  const seen = await readSincePrevious(api, { log, exports, folder, snapshot, now }, signal)
  const { previous, rolled: movements, reconciliations, replaced } = seen
  const table = rollForward({ previous, snapshot, movements, reconciliations, replaced })
  const facts = { dataset: table.dataset, format: 'csv', rows: table.rows.length }
  const name = `roll-forward/${table.dataset}_${snapshot.store}_${snapshot.audit}.csv`
  await seal(log, folder, [keepFile(folder, name, tableCsv(table), facts)])
  const at = table.columns.findIndex(column => column.name === 'unexplained')
  return {
    audit: snapshot.audit,
    lines: snapshot.lines.length,
    rolledFrom: movements === undefined ? null : (previous?.audit ?? null),
    problems: seen.problems.flatMap(({ severity, code }) => (severity === 'error' ? [code] : [])),
    unexplained: table.rows.filter(row => row[at] !== '0').length,
    mayReconcile: snapshot.permission.performReconciliation,
  }
}
