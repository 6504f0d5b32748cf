import { findCatalogDrift } from '../push/drift.ts'
import { planFile } from '../push/plan-file.ts'
import type { PlannedFile, ScheduledFile } from '../push/plan-file.ts'
import type { Push } from '../push/push.ts'

/** Plans a file of a schedule; what policy allows is approved. */
export const planPush = (
  push: Push,
  file: ScheduledFile,
  signal: AbortSignal,
): Promise<PlannedFile> => planFile(push, file, signal)

/** How many records that were pushed are not any more as they were left; ids stay here. */
export async function lookForDrift(
  push: Push,
  { store }: { store: string },
  signal: AbortSignal,
): Promise<{ records: number; drifted: number }> {
  const { records, drifted } = await findCatalogDrift(push, store, signal)
  return { records, drifted: drifted.length }
}

export type { PlannedFile, ScheduledFile }
