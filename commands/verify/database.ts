import { keepsAuditLog, readEvidenceLog } from '../../connectors/database.ts'
import type { PeriodEvent } from '../../connectors/destination/given-out.ts'
import { openPostingHistory } from '../../exports/posting-history.ts'
import { describePeriodEvent } from '../books/period-events.ts'
import type { Context } from '../command.ts'
import { countOf } from '../terminal/number.ts'

/** A database of ours: its audit log, and whether its tables hold what the log has of them. */
export async function verifyDatabase(terminal: Context['terminal'], path: string): Promise<number> {
  const { heads, breaks } = await readEvidenceLog(path)
  const periods = (await keepsAuditLog(path)) ? await periodsIn(path) : []
  if (terminal.json) terminal.print(JSON.stringify({ auditLog: heads.length, breaks, periods }))
  else if (breaks.length > 0) terminal.print(breaks.join('\n'))
  else
    terminal.print([describeAuditLog(heads.length), ...periods.map(describePeriodEvent)].join('\n'))
  return breaks.length === 0 ? 0 : 1
}

function describeAuditLog(entries: number): string {
  if (entries === 0) return 'the audit log has no entry yet'
  if (entries === 1) return 'the one entry of the audit log is as it was written'
  return `the ${countOf(entries, 'entry', 'entries')} of the audit log are as they were written`
}

/** Who closed and reopened the books of which month. */
async function periodsIn(path: string): Promise<PeriodEvent[]> {
  await using history = await openPostingHistory(path, { readonly: true })
  return await history.periods()
}
