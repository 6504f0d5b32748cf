import { fromIso } from '../calendar/days.ts'
import { TillageError } from '../errors.ts'
import { nameKey } from '../outbound/approval.ts'
import { sha256Of } from '../outbound/write-once.ts'
import { openPlan } from '../reconcile/plan-files.ts'
import { approvePlan, carryOutOperation, findWork } from '../reconcile/reconciler.ts'
import type { Reconciling } from '../reconcile/reconciler.ts'

/**
 * A person travels through histories as a key, never as a name (INV-10); whoever is configured can
 * be told from it.
 */
export const personKey = (name: string): string => sha256Of(nameKey(name)).slice(0, 16)

export interface ApprovalOrder {
  plan: string
  hash: string
  /** `personKey` of the name. */
  person: string
  /** ISO. */
  at: string
}

export async function recordApproval(
  reconciling: Reconciling,
  { plan, hash, person, at }: ApprovalOrder,
): Promise<void> {
  const by = reconciling.settings.approvers.find(({ name }) => personKey(name) === person)
  if (by === undefined)
    throw new TillageError(
      'NOT_ALLOWED',
      'the approver is not in the configuration of the worker',
      {
        remedy: 'Use one tillage.yaml for the worker and for the commands.',
      },
    )
  const kept = await openPlan(reconciling.store, plan)
  await approvePlan(reconciling, kept, { by: by.name, hash, atMs: fromIso(at) })
}

export const findReconcileWork = (
  reconciling: Reconciling,
  { plan, startedAt }: { plan: string; startedAt: string },
): Promise<string[]> => findWork(reconciling, plan, fromIso(startedAt))

export const carryOutReconciliation = (
  reconciling: Reconciling,
  { plan, op }: { plan: string; op: string },
  signal: AbortSignal,
): Promise<string> => carryOutOperation(reconciling, plan, op, signal)
