import { noteFailure } from './note-failure.ts'
import { beginRun, noteRun, takeAudit } from './proxies.ts'
import { scheduledAt } from './scheduled-time.ts'

export interface AuditInput {
  store: string
}

export interface AuditResult {
  store: string
  day: string
  audit: string
  lines: number
  unexplained: number
}

/** The regular snapshot of a store, rolled forward from the one before it. */
export async function audit({ store }: AuditInput): Promise<AuditResult> {
  const run = await beginRun({ kind: 'audit', store, scheduledAt: scheduledAt() })
  try {
    const taken = await takeAudit({ store })
    const since =
      taken.rolledFrom === null
        ? 'the first, so nothing is rolled forward'
        : `${lots(taken.unexplained)} changed without an explanation since ${taken.rolledFrom}`
    const lacking = taken.mayReconcile ? '' : '; the key lacks PERFORM_RECONCILIATION'
    const detail = `${taken.audit}: ${lots(taken.lines)}, ${since}${lacking}`
    await noteRun({ run, outcome: 'done', detail })
    const { audit: id, lines, unexplained } = taken
    return { store, day: run.day, audit: id, lines, unexplained }
  } catch (error) {
    throw await noteFailure(run, error)
  }
}

const lots = (many: number): string => `${many} ${many === 1 ? 'lot' : 'lots'}`
