import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SHEET_COLUMNS } from '../../audit/count-sheet.ts'
import { makeReport } from '../../audit/make-report.ts'
import type { Report } from '../../audit/make-report.ts'
import type { Snapshot } from '../../audit/snapshot.ts'
import { takeSnapshot } from '../../audit/take-snapshot.ts'
import { writeSheets } from '../../audit/write-sheets.ts'
import type { Config } from '../../config.ts'
import { currencyOf } from '../../money/currency.ts'
import { openCounts } from '../../reconcile/make-plan.ts'
import { readCsv } from '../../text/read-csv.ts'
import { csvText } from '../../text/write-csv.ts'
import { openAuditStore } from '../audit/audit-store.ts'
import type { Context } from '../command.ts'
import { withOutbound } from '../plans/with-outbound.ts'

/** The room with the fewest lots: a demo is not a night in the stock room. */
const ROOM = 'Quarantine'

/**
 * A small audit of one room: snapshot, a count in which one line is one short, and the report.
 * Nothing is sent back.
 */
export async function demoAudit(
  config: Config,
  { terminal, signal }: Pick<Context, 'terminal' | 'signal'>,
): Promise<Report> {
  const { api, identity } = await openAuditStore(config, config.stores[0]!.id, signal)
  try {
    const snapshot = await takeSnapshot(api, {
      ...identity,
      rooms: [ROOM],
      isBlind: true,
      progress: terminal.progress,
      now: Date.now,
    })
    const { exports } = config
    const settings = { ...config.reconcile, currency: currencyOf(config, api.store) }
    return await withOutbound(config, async log => {
      const { files } = await writeSheets(log, exports, snapshot, settings.reasons)
      const sheet = files.find(({ format }) => format === 'csv')!.path
      const counted = await openCounts(exports, [writeCounts(sheet, snapshot)], Date.now())
      const facts = { sales: undefined, daysSince: undefined, now: Date.now }
      return makeReport(api, { exports, log, counted, settings, ...facts }, signal)
    })
  } finally {
    await api.close()
  }
}

/** As somebody would fill in the sheet who finds one piece less than there should be. */
function writeCounts(sheet: string, { lines }: Snapshot): string {
  const counted_at = new Date().toISOString()
  const short = lines.find(({ unit, expected }) => unit === 'EACH' && Number(expected) > 1)
  const rows = readCsv(readFileSync(sheet, 'utf8')).map((row, at) => {
    const { lineId, expected } = lines[at]!
    const isShort = lineId === short?.lineId
    const counted_qty = isShort ? String(Number(expected) - 1) : expected
    const written = { counted_qty, counted_by: 'A demo', counted_at }
    const reason = isShort ? { reason_code: 'audit', note: 'one is missing' } : {}
    const filled: Record<string, string> = { ...row, ...written, ...reason }
    return SHEET_COLUMNS.map(name => filled[name] ?? '')
  })
  const path = join(dirname(sheet), 'counts.csv')
  writeFileSync(path, csvText(SHEET_COLUMNS, rows))
  return path
}
