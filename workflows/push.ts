import { ParentClosePolicy, startChild } from '@temporalio/workflow'
import type { ScheduledFile } from '../activities/plan-push.ts'
import { pushId } from './ids.ts'
import { applyPush, beginRun, lookForDrift, noteRun, planPush } from './proxies.ts'
import { scheduledAt } from './scheduled-time.ts'

export interface PushFilesInput {
  store: string
  files: Omit<ScheduledFile, 'store'>[]
}

export interface PushFilesResult {
  store: string
  day: string
  plans: string[]
}

/**
 * The catalog files of one store: those that changed are planned, small safe plans are sent by
 * policy, others wait for a person. Then what was pushed is compared with what is there.
 */
export async function push({ store, files }: PushFilesInput): Promise<PushFilesResult> {
  const run = await beginRun({ kind: 'push', store, scheduledAt: scheduledAt() })
  const told: string[] = []
  const plans: string[] = []
  for (const file of files) {
    const planned = await planPush({ store, ...file })
    if (planned.plan !== null) plans.push(planned.plan)
    told.push(`${file.catalog} ${planned.outcome} (${planned.detail})`)
    if (planned.outcome === 'approved') await send(planned.plan!)
  }
  const { records, drifted } = await lookForDrift({ store })
  if (drifted > 0) told.push(`${drifted} of ${records} pushed records were changed by others`)
  const isBad = told.some(line => /^\S+ (bad file|no file)/.test(line))
  await noteRun({ run, outcome: isBad ? 'failed' : 'done', detail: told.join('; ') })
  return { store, day: run.day, plans }
}

/** What is due goes now; rows that wait for their time have a run of their own. */
async function send(plan: string): Promise<void> {
  const { nextDueAt } = await applyPush({ plan })
  if (nextDueAt === null) return
  await startChild('pushCatalog', {
    workflowId: pushId(plan),
    args: [{ plan }],
    parentClosePolicy: ParentClosePolicy.ABANDON,
  })
}
