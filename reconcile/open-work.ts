import { setTimeout as pause } from 'node:timers/promises'
import type { OutboundOperation } from '../connectors/destination/outbound.ts'
import { TillageError } from '../errors.ts'
import { permittedSending } from '../outbound/permit.ts'
import { SEND_RULES } from '../outbound/sending.ts'
import type { Sending } from '../outbound/sending.ts'
import type { KeptPlan } from './plan-files.ts'
import { createWrite } from './post.ts'
import type { Posting } from './post.ts'
import type { Reconciling } from './reconciling.ts'
import { rulesOf } from './rules.ts'

/** One run of a plan. */
export interface PlanRun {
  reconciling: Reconciling
  kept: KeptPlan
  run: string
  signal: AbortSignal
}

/** One operation of a plan, and how it goes out and is found. */
export interface OpenWork {
  plan: PlanRun
  posting: Posting
  sending: Sending
  current(): Promise<OutboundOperation>
}

export async function openWork(plan: PlanRun, op: string): Promise<OpenWork> {
  const { reconciling, kept, run, signal } = plan
  const { store, settings, now } = reconciling
  const { document } = kept
  const operation = await store.operation(document.plan, op)
  if (operation === undefined)
    throw new TillageError('NOT_ALLOWED', `${document.plan} has no operation ${op}`, {
      remedy: `Operations are: ${document.operations.map(one => one.op_id).join(', ')}.`,
    })
  const api = reconciling.api(document.store, signal)
  const events = await store.events(document.plan)
  const permitted = permittedSending(
    { store, now, sleep: ms => pause(ms, undefined, { signal }) },
    { plan: kept.plan, rules: rulesOf(kept, settings), run, events },
    { op, writesTo: document.store },
  )
  const { restoredMs } = permitted
  const posting: Posting = { api, store, document, operation, now, signal, restoredMs }
  const sending: Sending = {
    ...permitted,
    write: createWrite(posting),
    rules: { ...SEND_RULES, patienceMs: settings.patienceSeconds * 1000 },
  }
  const current = async (): Promise<OutboundOperation> =>
    (await store.operation(document.plan, op))!
  return { plan, posting, sending, current }
}
