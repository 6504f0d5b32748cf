import { basename, dirname, relative } from 'node:path'
import { toIso } from '../calendar/days.ts'
import type { RenameLog } from '../connectors/destination/renames.ts'
import type { ManifestLog } from '../connectors/destination/written-evidence.ts'
import { newestEvidence } from '../outbound/evidence.ts'
import { isMarkedDeleted } from '../text/record-fields.ts'
import { STEPS } from './clocks.ts'
import { readConfirmation, readStepDone, readWithdrawn } from './confirmation.ts'
import type { CountedSheet } from './counts.ts'
import { keepCopy, keepFile, seal, snapshotHash } from './folder.ts'
import type { AuditFolder, WrittenFile } from './folder.ts'
import { keepCounts, noteCounted } from './kept-counts.ts'
import { readSinceSnapshot } from './read-since-snapshot.ts'
import type { SinceSnapshot } from './read-since-snapshot.ts'
import { reconciledLots } from './reconciled-lots.ts'
import { actionTable } from './report/actions.ts'
import { coverTable } from './report/cover.ts'
import type { CoverFacts } from './report/cover.ts'
import { coverageOf } from './report/coverage.ts'
import { exceptionTable } from './report/exceptions.ts'
import { lineTable } from './report/line-table.ts'
import { auditLines } from './report/lines.ts'
import type { AuditLine } from './report/lines.ts'
import { documentationTable, evidenceTable } from './report/other-tables.ts'
import { productTable } from './report/product-table.ts'
import { reportPage } from './report/report-page.ts'
import { resultOf } from './report/result.ts'
import { rollForward } from './report/roll-forward.ts'
import { compareWithState, stateTable } from './report/state-comparison.ts'
import { judgeSignificance, ruleOf, summaryTable } from './report/summary.ts'
import type { AverageSales } from './report/summary.ts'
import { tableCsv } from './report/table.ts'
import type { AuditTable } from './report/table.ts'
import { verdictExceptions, verdictOf } from './report/verdict.ts'
import { writeWorkbook } from './report/workbook.ts'
import { rulesFor } from './settings.ts'
import type { AuditSettings } from './settings.ts'
import type { StateList } from './state-list.ts'
import type { StoreApi } from './store-api.ts'

export interface ReportOrder {
  exports: string
  log: ManifestLog & RenameLog
  counted: CountedSheet
  settings: AuditSettings
  sales: AverageSales | undefined
  daysSince: number | undefined
  /** What the state's system has; undefined: nobody has given its list. */
  state?: StateList
  now(): number
}

export interface Report {
  audit: string
  /** The result in a sentence, as the page has it. */
  says: string
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
  const { folder, snapshot, counts, files } = counted
  const kept = keepCounts(folder, files)
  if (order.state !== undefined) keepCopy(folder, 'state', order.state.file)
  // What was counted is evidence of the report, too.
  await seal(order.log, folder)
  const seen = await readSinceSnapshot(
    api,
    { log: order.log, exports: order.exports, folder, snapshot, now: order.now },
    signal,
  )
  const made = tablesOf(order, seen)
  const written = await writeTables(folder, made, order.now())
  noteCounted(dirname(written[0]!.path), kept)
  return {
    audit: folder.audit,
    says: resultOf(made.cover),
    counted: counts.counts.filter(({ lineId }) => lineId !== undefined).length,
    uncounted: counts.uncounted.length,
    found: counts.counts.filter(({ lineId }) => lineId === undefined).length + counts.finds.length,
    files: written,
    manifest: await seal(order.log, folder, written),
  }
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
> & { state: AuditTable | undefined }

function tablesOf(order: ReportOrder, seen: SinceSnapshot): { cover: CoverFacts; tables: Tables } {
  const { counted, settings } = order
  const { folder, snapshot, counts } = counted
  const { movements, rolled, reconciliations, replaced, previous } = seen
  const lines = auditLines({ snapshot, counts, movements, settings })
  const cover = coverOf(order, lines)
  const others = [...seen.problems, ...verdictExceptions(cover.verdict, cover.significance)]
  const tables = {
    cover: coverTable(cover),
    summary: summaryTable(lines),
    lines: lineTable(lines, { snapshot, snapshotHash: snapshotHash(folder) }),
    products: productTable(snapshot.audit, lines),
    exceptions: exceptionTable({
      snapshot,
      lines,
      counts,
      reconciled: reconciledLots(reconciliations.filter(record => !isMarkedDeleted(record))),
      others,
    }),
    rollForward: rollForward({
      previous,
      snapshot,
      movements: rolled,
      reconciliations,
      replaced,
    }),
    documentation: documentationTable(lines),
    actions: actionTable(cover),
    state: cover.state && stateTable(snapshot.audit, cover.state.packages),
  }
  return { cover, tables }
}

function coverOf(order: ReportOrder, lines: readonly AuditLine[]): CoverFacts {
  const { counted, settings, sales, daysSince, now } = order
  const { snapshot, folder, counts } = counted
  const rules = rulesFor(settings, snapshot.storeLicense)
  const day = snapshot.endedAt.slice(0, 10)
  const list = order.state
  const significance = judgeSignificance(lines, sales, rules.significantPercent, day)
  return {
    snapshot,
    settings,
    rules,
    lines,
    counts,
    coverage: coverageOf(snapshot, lines),
    state: list && {
      file: basename(list.file),
      listed: list.packages.length,
      packages: compareWithState({ snapshot, lines, finds: counts.finds, list }),
    },
    significance,
    verdict: verdictOf({
      lines,
      unknown: counts.finds.length,
      significance,
      isRuleKnown: ruleOf(rules.significantPercent, day) !== undefined,
      areSalesKnown: sales !== undefined,
    }),
    salesDetail: sales === undefined ? NO_SALES : `${settings.currency} ${sales.detail}`,
    approvers: settings.approvers.map(({ name, role }) => `${name} (${role})`),
    daysSince,
    confirmation: readConfirmation(folder),
    withdrawn: readWithdrawn(folder),
    stepsDone: STEPS.flatMap(step => readStepDone(folder, step) ?? []),
    at: toIso(now()),
  }
}

const NO_SALES =
  'not known: the database holds less than two weeks before the snapshot (tillage sync reads them)'

/** Each report has a folder of its own, so that none is ever rewritten. */
async function writeTables(
  folder: AuditFolder,
  { cover: facts, tables }: { cover: CoverFacts; tables: Tables },
  nowMs: number,
): Promise<WrittenFile[]> {
  const { lines, products, exceptions, rollForward: roll } = tables
  const stamp = toIso(nowMs).replaceAll(/[-:]/g, '').replace('.', '')
  const name = (dataset: string, format: string): string =>
    `reports/${stamp}/${dataset}_${folder.store}_${folder.audit}.${format}`
  const state = tables.state === undefined ? [] : [tables.state]
  const csv = [lines, products, roll, exceptions, ...state].map(table => {
    const { dataset, rows } = table
    const about = { dataset, format: 'csv', rows: rows.length }
    return keepFile(folder, name(dataset, 'csv'), tableCsv(table), about)
  })
  const evidence = evidenceTable(evidenceOf(folder, csv))
  const { cover, summary, documentation, actions } = tables
  const sheets = [
    cover,
    summary,
    lines,
    products,
    exceptions,
    ...state,
    roll,
    documentation,
    actions,
    evidence,
  ]
  const about = { dataset: 'inventory_audit', rows: lines.rows.length }
  return [
    ...csv,
    keepFile(folder, name('inventory_audit', 'xlsx'), await writeWorkbook(sheets), {
      ...about,
      format: 'xlsx',
    }),
    keepFile(folder, name('inventory_audit', 'html'), reportPage(facts, tables), {
      ...about,
      format: 'html',
    }),
  ]
}

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
