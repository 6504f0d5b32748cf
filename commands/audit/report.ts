import type { AuditFolder } from '../../audit/folder.ts'
import { makeReport } from '../../audit/make-report.ts'
import type { Report } from '../../audit/make-report.ts'
import { averageSales, MONTH_MS } from '../../audit/report/average-sales.ts'
import { ruleOf } from '../../audit/report/summary.ts'
import type { AverageSales } from '../../audit/report/summary.ts'
import { rulesFor } from '../../audit/settings.ts'
import type { Snapshot } from '../../audit/snapshot.ts'
import { readStateList } from '../../audit/state-list.ts'
import { bookedStream } from '../../books/order-journal.ts'
import { fromIso } from '../../calendar/days.ts'
import type { Config } from '../../config.ts'
import { openReadOnly, readSaleTotals } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { UsageError } from '../../errors.ts'
import { currencyOf } from '../../money/currency.ts'
import { daysSince, lastFullReconciliation } from '../../reconcile/last-full.ts'
import { openCounts } from '../../reconcile/make-plan.ts'
import { countRules } from '../arguments/ignored-columns.ts'
import type { Context } from '../command.ts'
import { withOutbound } from '../plans/with-outbound.ts'
import { formatTable } from '../terminal/table.ts'
import { openAudit, openAuditStore } from './audit-store.ts'
import { describeCountsError } from './counts-error.ts'

interface ReportOptions {
  counts: string[]
  state?: string
  store?: string
  ignoreColumns?: string
}

/** `tillage audit report AUDIT --counts FILE...`: workbook, CSV files and a page. Sends nothing. */
export async function auditReport(
  context: Context,
  options: ReportOptions,
  audit: string,
): Promise<number> {
  return describeCountsError(context, async () => {
    const { terminal } = context
    const folder = openAudit(context.config, audit, options.store)
    const report = await make(context, folder, options)
    terminal.print(terminal.json ? JSON.stringify(report) : describe(report))
    return 0
  })
}

async function make(
  { config, signal }: Context,
  folder: AuditFolder,
  { counts, state, ignoreColumns }: ReportOptions,
): Promise<Report> {
  const list = state === undefined ? {} : { state: await readStateList(state) }
  const rules = countRules(config, ignoreColumns)
  const counted = await openCounts(config.exports, counts, Date.now(), rules)
  if (counted.folder.audit !== folder.audit)
    throw new UsageError(
      `the counts are of ${counted.folder.audit}, not of ${folder.audit}`,
      'Name the audit that their sheets belong to, or other files.',
    )
  const { api } = await openAuditStore(config, folder.store, signal)
  try {
    return await withOutbound(config, async log => {
      const lastMs = await lastFullReconciliation(log, folder.store)
      const order = {
        exports: config.exports,
        log,
        counted,
        settings: { ...config.reconcile, currency: currencyOf(config, folder.store) },
        sales: await salesOf(config, counted.snapshot),
        daysSince: lastMs === undefined ? undefined : daysSince(lastMs, Date.now()),
        ...list,
        now: Date.now,
      }
      return makeReport(api, order, signal)
    })
  } finally {
    await api.close()
  }
}

/** Of the months before the snapshot, whenever the report is made. */
async function salesOf(
  config: Config,
  { store, storeLicense, endedAt }: Snapshot,
): Promise<AverageSales | undefined> {
  const endMs = fromIso(endedAt)
  const rules = rulesFor(config.reconcile, storeLicense).significantPercent
  const months = ruleOf(rules, endedAt.slice(0, 10))?.months ?? 6
  const time = { startMs: endMs - months * MONTH_MS, endMs }
  const sold = await readSaleTotals(config.database, store, time.startMs)
  if (sold.length === 0) return undefined
  await using database = await openReadOnly(config, streams)
  return averageSales(sold, time, await database.ledger.windows(store, bookedStream().name, time))
}

const describe = ({ audit, says, files, manifest }: Report): string =>
  [
    `${audit}: ${says}`,
    '',
    formatTable(
      ['dataset', 'format', 'rows'],
      files.map(({ dataset, format, rows }) => [dataset, format, rows]),
    ),
    '',
    ...files.filter(({ format }) => format !== 'csv').map(({ path }) => path),
    `manifest: ${manifest}`,
  ].join('\n')
