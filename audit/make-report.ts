import { relative } from 'node:path'
import { fromIso, toIso } from '../calendar/days.ts'
import { PartnerError, TillageError } from '../errors.ts'
import type { Fields } from '../exports/books/record.ts'
import { csvText, number as numberCell } from '../exports/journal/formats/table.ts'
import { newestEvidence } from '../outbound/evidence.ts'
import type { CountFiles } from '../reconcile/make-plan.ts'
import { movementsOf } from '../reconcile/movement.ts'
import type { Movement } from '../reconcile/movement.ts'
import { readTransactions } from '../reconcile/read-transactions.ts'
import type { ReconcileSettings } from '../reconcile/settings.ts'
import { auditsOf, keepCopy, keepFile, readSnapshot, seal, snapshotHash } from './folder.ts'
import type { AuditFolder, WrittenFile } from './folder.ts'
import { replacedBefore } from './own-receipts.ts'
import { exceptionTable } from './report/exceptions.ts'
import type { AuditException } from './report/exceptions.ts'
import { lineTable } from './report/line-table.ts'
import { auditLines } from './report/lines.ts'
import type { AuditLine } from './report/lines.ts'
import {
  actionTable,
  coverTable,
  documentationTable,
  evidenceTable,
} from './report/other-tables.ts'
import type { CoverFacts } from './report/other-tables.ts'
import { productTable } from './report/product-table.ts'
import { reportPage } from './report/report-page.ts'
import { rollForward } from './report/roll-forward.ts'
import { judgeSignificance, summaryTable } from './report/summary.ts'
import type { AverageSales } from './report/summary.ts'
import type { AuditTable } from './report/table.ts'
import { writeWorkbook } from './report/workbook.ts'
import type { Snapshot } from './snapshot.ts'
import type { StoreApi } from './store-api.ts'

export interface ReportOrder {
  exports: string
  counted: CountFiles
  settings: ReconcileSettings
  sales: AverageSales | undefined
  daysSince: number | undefined
  now(): number
}

export interface Report {
  audit: string
  counted: number
  uncounted: number
  found: number
  files: WrittenFile[]
  manifest: string
}

/**
 * What was counted against what was expected: a workbook, the same as CSV files, and a page to
 * print and sign. Reads what moved meanwhile, live; sends nothing.
 */
export async function makeReport(
  api: StoreApi,
  order: ReportOrder,
  signal: AbortSignal,
): Promise<Report> {
  const { counted } = order
  const { folder, counts, files } = counted
  for (const file of files) keepCopy(folder, 'counts', file)
  const seen = await readMeanwhile(api, order, signal)
  const tables = tablesOf(order, seen)
  const written = await writeTables(folder, tables, order)
  return {
    audit: folder.audit,
    counted: counts.counts.filter(({ lineId }) => lineId !== undefined).length,
    uncounted: counts.uncounted.length,
    found:
      counts.counts.filter(({ lineId }) => lineId === undefined).length + counts.untagged.length,
    files: written,
    manifest: seal(folder, written),
  }
}

interface Meanwhile {
  previous: Snapshot | undefined
  movements: Movement[] | undefined
  reconciliations: Fields[]
  problems: Pick<AuditException, 'severity' | 'code' | 'detail'>[]
}

/** Transactions since the snapshot before, and reconciliations: what cannot be read is said. */
async function readMeanwhile(
  api: StoreApi,
  { exports, counted, now }: ReportOrder,
  signal: AbortSignal,
): Promise<Meanwhile> {
  const { snapshot, folder } = counted
  const previous = previousOf(exports, folder, snapshot)
  const problems: Meanwhile['problems'] = []
  const tell = (code: string, detail: string): undefined =>
    void problems.push({ severity: 'error', code, detail })
  if (previous === undefined)
    problems.push({
      severity: 'info',
      code: 'no_previous_snapshot',
      detail: 'there is no earlier snapshot of this store, so nothing is rolled forward',
    })
  const fromMs = fromIso((previous ?? snapshot).endedAt)
  const range = { fromMs, nowMs: now(), timeZone: snapshot.timeZone }
  const movements = await readTransactions(api, range, signal)
    .then(({ transactions }) => movementsOf(transactions))
    .catch((error: unknown) => tell('movement_unproven', explain(error)))
  const reconciliations = await api
    .readPages('listReconciliations')
    .catch((error: unknown) => tell('history_unread', explain(error)) ?? [])
  return { previous, movements, reconciliations, problems }
}

function explain(error: unknown): string {
  if (error instanceof PartnerError || error instanceof TillageError) return error.message
  throw error
}

/** The newest of the store that was taken before, over the same rooms or more. */
function previousOf(
  exports: string,
  folder: AuditFolder,
  { store, startedAt, rooms }: Snapshot,
): Snapshot | undefined {
  return auditsOf(exports, store)
    .filter(({ audit }) => audit !== folder.audit)
    .map(readSnapshot)
    .filter(one => one.endedAt <= startedAt)
    .filter(one => rooms.every(({ id }) => one.rooms.some(room => room.id === id)))
    .toSorted((one, other) => (one.endedAt < other.endedAt ? -1 : 1))
    .at(-1)
}

type Tables = Record<
  | 'cover'
  | 'summary'
  | 'lines'
  | 'products'
  | 'exceptions'
  | 'rollForward'
  | 'documentation'
  | 'actions',
  AuditTable
>

function tablesOf(order: ReportOrder, seen: Meanwhile): Tables {
  const { counted, settings } = order
  const { folder, snapshot, counts } = counted
  const { movements, reconciliations, previous } = seen
  const lines = auditLines({ snapshot, counts, movements, settings })
  const cover = coverOf(order, lines)
  const significant = cover.significance
    .filter(({ isSignificant }) => isSignificant)
    .map(({ basis, percent }) => ({
      severity: 'error' as const,
      code: 'significant_discrepancy',
      detail: `${percent} % of average monthly sales, at ${basis}`,
    }))
  const others = [...seen.problems, ...significant]
  return {
    cover: coverTable(cover),
    summary: summaryTable(lines),
    lines: lineTable(lines, { snapshot, snapshotHash: snapshotHash(folder) }),
    products: productTable(snapshot.audit, lines),
    exceptions: exceptionTable({ snapshot, lines, counts, others }),
    rollForward: rollForward({
      previous,
      snapshot,
      movements: movements ?? [],
      reconciliations,
      replaced: replacedBefore(order.exports, snapshot.store),
    }),
    documentation: documentationTable(lines),
    actions: actionTable(cover),
  }
}

function coverOf(order: ReportOrder, lines: readonly AuditLine[]): CoverFacts {
  const { counted, settings, sales, daysSince, now } = order
  const { snapshot } = counted
  return {
    snapshot,
    settings,
    lines,
    significance: judgeSignificance(lines, sales, settings, snapshot.endedAt.slice(0, 10)),
    salesDetail:
      sales?.detail ??
      'not known: the database holds less than two weeks (tillage sync reads them)',
    approvers: settings.approvers.map(({ name, role }) => `${name} (${role})`),
    daysSince,
    at: toIso(now()),
  }
}

/** Each report has a folder of its own, so that none is ever rewritten. */
async function writeTables(
  folder: AuditFolder,
  tables: Tables,
  order: ReportOrder,
): Promise<WrittenFile[]> {
  const { lines, products, exceptions, rollForward: roll } = tables
  const stamp = toIso(order.now()).replaceAll(/[-:]/g, '').replace('.', '')
  const name = (dataset: string, format: string): string =>
    `reports/${stamp}/${dataset}_${folder.store}_${folder.audit}.${format}`
  const csv = [lines, products, roll, exceptions].map(table => {
    const { dataset, rows } = table
    const facts = { dataset, format: 'csv', rows: rows.length }
    return keepFile(folder, name(dataset, 'csv'), csvOf(table), facts)
  })
  const evidence = evidenceTable(evidenceOf(folder, csv))
  const { cover, summary, documentation, actions } = tables
  const sheets = [
    cover,
    summary,
    lines,
    products,
    exceptions,
    roll,
    documentation,
    actions,
    evidence,
  ]
  const title = `Inventory audit ${folder.audit}`
  const page = reportPage(title, order.settings.attestation, tables)
  const facts = { dataset: 'inventory_audit', rows: lines.rows.length }
  return [
    ...csv,
    keepFile(folder, name('inventory_audit', 'xlsx'), await writeWorkbook(sheets), {
      ...facts,
      format: 'xlsx',
    }),
    keepFile(folder, name('inventory_audit', 'html'), page, { ...facts, format: 'html' }),
  ]
}

/** Texts are made safe for Excel, numbers are written as they are. */
const csvOf = ({ columns, rows }: AuditTable): string =>
  `\uFEFF${csvText(
    columns.map(({ name }) => name),
    rows.map(row =>
      row.map((value, at) => (columns[at]!.isNumber === true ? numberCell(value) : value)),
    ),
  )}`

/** Everything that the folder held before this report, and the tables of it. */
function evidenceOf(
  folder: AuditFolder,
  csv: readonly WrittenFile[],
): { path: string; sha256: string; rows: number | undefined }[] {
  const before = newestEvidence(folder.path, folder.audit)?.evidence.files ?? []
  return [
    ...before.map(({ path, sha256, rows }) => ({ path, sha256, rows })),
    ...csv.map(({ path, sha256, rows }) => ({ path: relative(folder.path, path), sha256, rows })),
  ]
}
