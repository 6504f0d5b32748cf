import type { Activities } from '../activities/index.ts'
import { noted } from './note-failure.ts'
import { beginRun, noteRun, takeAudit } from './proxies.ts'
import { scheduledAt } from './scheduled-time.ts'

export interface AuditResult {
  store: string
  day: string
  audit: string
  lines: number
  unexplained: number
}

/** The regular snapshot of a store, rolled forward from the one before it. */
export async function audit({ store }: { store: string }): Promise<AuditResult> {
  const run = await beginRun({ kind: 'audit', store, scheduledAt: scheduledAt() })
  return noted(run, async () => {
    const taken = await takeAudit({ store })
    const lacking = taken.mayReconcile ? [] : ['the key lacks PERFORM_RECONCILIATION']
    const told = [describeTaken(taken), ...problemsOf(taken), ...lacking]
    const detail = `${taken.audit}: ${lots(taken.lines)}, ${told.join('; ')}`
    await noteRun({ run, outcome: 'done', detail })
    const { audit: id, lines, unexplained } = taken
    return { store, day: run.day, audit: id, lines, unexplained }
  })
}

type AuditTaken = Awaited<ReturnType<Activities['takeAudit']>>

function describeTaken({ rolledFrom, unexplained, problems = [] }: AuditTaken): string {
  if (rolledFrom !== null)
    return `${lots(unexplained)} changed without an explanation since ${rolledFrom}`
  return problems.length > 0
    ? 'nothing is rolled forward'
    : 'the first, so nothing is rolled forward'
}

/** What nobody could read explains nothing: a lot that changed may have been sold. */
const PROBLEMS: Readonly<Record<string, string>> = {
  movement_unproven: 'it could not be proven what was sold or moved since the snapshot before',
  history_unread: 'the history of reconciliations could not be read, so it explains nothing',
  earlier_snapshot_changed: 'an earlier snapshot is not as it was written, and was passed over',
}

const problemsOf = ({ problems = [] }: AuditTaken): string[] =>
  [...new Set(problems)].map(code => PROBLEMS[code] ?? code)

const lots = (many: number): string => `${many} ${many === 1 ? 'lot' : 'lots'}`
