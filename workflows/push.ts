import { ParentClosePolicy, isCancellation, startChild } from '@temporalio/workflow'
import type { PushFileInput } from '../activities/plan-push.ts'
import { childFactsOf } from './execute-or-join.ts'
import { explainFailure } from './failures.ts'
import { dueId } from './ids.ts'
import { noted } from './note-failure.ts'
import {
  LONGEST_PLAN,
  beginRun,
  countPushFiles,
  lookForDrift,
  noteRun,
  planPush,
  writesOf,
} from './proxies.ts'
import { scheduledAt } from './scheduled-time.ts'
import { priorityOf } from './start-facts.ts'

export interface PushFilesResult {
  store: string
  day: string
  plans: string[]
}

/** What became of the files so far. */
interface Outcome {
  lines: string[]
  plans: string[]
  hasFailed: boolean
}

/**
 * The catalog files of one store: those that changed are planned, small safe plans are sent by
 * policy, others wait for a person. Then what was pushed is compared with what is there. What fails
 * is noted (INV-11) and keeps nothing else from being done.
 */
export async function push({ store }: { store: string }): Promise<PushFilesResult> {
  const run = await beginRun({ kind: 'push', store, scheduledAt: scheduledAt() })
  const outcome: Outcome = { lines: [], plans: [], hasFailed: false }
  return noted(run, async () => {
    const { files } = await countPushFiles({ store })
    for (let file = 0; file < files; file++)
      await attempt(outcome, `file ${file + 1} failed`, () => pushFile({ store, file }, outcome))
    await attempt(outcome, 'changes by others were not looked for', () => noteDrift(store, outcome))
    const detail = outcome.lines.join('; ')
    await noteRun({ run, outcome: outcome.hasFailed ? 'failed' : 'done', detail })
    return { store, day: run.day, plans: outcome.plans }
  })
}

/** What fails is noted, and whatever comes after it is tried. */
async function attempt(outcome: Outcome, what: string, action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (isCancellation(error)) throw error
    const { code, message } = explainFailure(error)
    outcome.hasFailed = true
    outcome.lines.push(`${what} (${code}: ${message})`)
  }
}

/** What somebody has to look at before it can be pushed at all. */
const BAD: ReadonlySet<string> = new Set(['no file', 'bad file', 'not planned'])

async function pushFile(file: PushFileInput, outcome: Outcome): Promise<void> {
  const planned = await planPush(file)
  if (planned.plan !== null) outcome.plans.push(planned.plan)
  outcome.lines.push(`${planned.what} ${planned.outcome} (${planned.detail})`)
  outcome.hasFailed ||= BAD.has(planned.outcome)
  if (planned.outcome === 'approved') await send(planned.plan!)
}

async function noteDrift(store: string, outcome: Outcome): Promise<void> {
  const { records, drifted } = await lookForDrift({ store })
  if (drifted > 0)
    outcome.lines.push(`${drifted} of ${records} pushed records were changed by others`)
}

/** What is due goes now; rows that wait for their time have a run of their own. */
async function send(plan: string): Promise<void> {
  const { nextDueAt } = await writesOf().applyPlan({ plan })
  if (nextDueAt === null) return
  const workflowId = dueId(plan)
  await startChild('sendWhenDue', {
    workflowId,
    ...childFactsOf(workflowId),
    // A person has decided it, and it outlives this run.
    priority: priorityOf(workflowId),
    args: [{ plan }],
    parentClosePolicy: ParentClosePolicy.ABANDON,
    workflowExecutionTimeout: LONGEST_PLAN,
  })
}
