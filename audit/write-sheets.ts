import type { ManifestLog } from '../connectors/destination/written-evidence.ts'
import { countSheetCsv, countSheetXlsx } from './count-sheet.ts'
import { auditFolder, keepFile, keepSnapshot, seal } from './folder.ts'
import type { WrittenFile } from './folder.ts'
import { paperSheets } from './paper-sheet.ts'
import type { Snapshot } from './snapshot.ts'

export interface WrittenSheets {
  files: WrittenFile[]
  manifest: string
}

/**
 * Keeps the snapshot, and writes the sheets to count with: two to type into, one to print and write
 * on. Reasons are the adjustment reasons that counts may give.
 */
export async function writeSheets(
  log: ManifestLog,
  exports: string,
  snapshot: Snapshot,
  reasons: readonly string[],
): Promise<WrittenSheets> {
  const folder = auditFolder(exports, snapshot.store, snapshot.audit)
  keepSnapshot(folder, snapshot)
  const name = `sheets/count_sheet_${snapshot.store}_${snapshot.audit}`
  const rows = snapshot.lines.length
  const facts = { dataset: 'count_sheet', rows }
  const xlsx = await countSheetXlsx(snapshot, reasons)
  const files = [
    keepFile(folder, `${name}.csv`, countSheetCsv(snapshot), { ...facts, format: 'csv' }),
    keepFile(folder, `${name}.xlsx`, xlsx, { ...facts, format: 'xlsx' }),
    keepFile(folder, `${name}_to_print.html`, paperSheets(snapshot, reasons), {
      dataset: 'count_sheet_to_print',
      format: 'html',
      rows,
    }),
  ]
  return { files, manifest: await seal(log, folder, files) }
}
