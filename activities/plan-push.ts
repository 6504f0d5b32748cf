import { findCatalogDrift } from '../push/drift.ts'
import { planFile } from '../push/plan-file.ts'
import type { PlannedFile, ScheduledFile } from '../push/plan-file.ts'
import type { Push } from '../push/push.ts'

/** Which of the files that tillage.yaml names for the store; from 0. */
export interface PushFileInput {
  store: string
  file: number
}

/** What became of it, and what it is called in a report. */
export interface PushedFile extends PlannedFile {
  what: string
}

const LEFT_OUT: PlannedFile = {
  outcome: 'no file',
  plan: null,
  detail: 'tillage.yaml does not name it any more',
}

/** Plans a file of a schedule; what policy allows is approved. */
export async function planPush(
  push: Push,
  { store, order }: { store: string; order: Omit<ScheduledFile, 'store'> | undefined },
  signal: AbortSignal,
): Promise<PushedFile> {
  if (order === undefined) return { what: 'a file', ...LEFT_OUT }
  return { what: order.catalog, ...(await planFile(push, { store, ...order }, signal)) }
}

/** How many records that were pushed are not any more as they were left; ids stay here. */
export async function lookForDrift(
  push: Push,
  { store }: { store: string },
  signal: AbortSignal,
): Promise<{ records: number; drifted: number }> {
  const { records, drifted } = await findCatalogDrift(push, store, signal)
  return { records, drifted: drifted.length }
}
