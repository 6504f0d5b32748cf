import type { ManifestLog } from '../connectors/destination/written-evidence.ts'
import { countSheetCsv, countSheetXlsx } from './count-sheet.ts'
import { auditFolder, keepFile, keepSnapshot, seal } from './folder.ts'
import type { WrittenFile } from './folder.ts'
import type { Snapshot } from './snapshot.ts'

export interface WrittenSheets {
  files: WrittenFile[]
  manifest: string
}

/** Keeps the snapshot, and writes the sheets to count with. */
export async function writeSheets(
  log: ManifestLog,
  exports: string,
  snapshot: Snapshot,
): Promise<WrittenSheets> {
  const folder = auditFolder(exports, snapshot.store, snapshot.audit)
  keepSnapshot(folder, snapshot)
  const name = `sheets/count_sheet_${snapshot.store}_${snapshot.audit}`
  const facts = { dataset: 'count_sheet', rows: snapshot.lines.length }
  const xlsx = await countSheetXlsx(snapshot)
  const files = [
    keepFile(folder, `${name}.csv`, countSheetCsv(snapshot), { ...facts, format: 'csv' }),
    keepFile(folder, `${name}.xlsx`, xlsx, { ...facts, format: 'xlsx' }),
  ]
  return { files, manifest: await seal(log, folder, files) }
}
