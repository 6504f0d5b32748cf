import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { OutboundPlan, OutboundStore } from '../connectors/destination/outbound.ts'
import { sha256Of } from '../sha256.ts'
import { planChanged } from './plan-changed.ts'
import { writeOnce } from './write-once.ts'

/**
 * Writes the files of a plan that was made on another machine, in the folder where its document is
 * looked for. The document must be the planned one (INV-8), and comes last: where it is the others
 * are, too.
 */
export async function restoreDocuments(
  { documents }: Pick<OutboundStore, 'documents'>,
  plan: OutboundPlan,
  documentPath: string,
): Promise<void> {
  const folder = dirname(documentPath)
  const document = await documents?.read(plan.plan, basename(documentPath))
  if (documents === undefined || document === undefined) return
  refuseOther(plan, document)
  for (const name of await documents.names(plan.plan)) {
    const path = join(folder, name)
    const isLast = path === documentPath
    const bytes = isLast || existsSync(path) ? undefined : await documents.read(plan.plan, name)
    if (bytes !== undefined) writeOnce(path, bytes)
  }
  writeOnce(documentPath, document)
}

function refuseOther({ kind, plan, hash }: OutboundPlan, document: Buffer): void {
  const found = sha256Of(document)
  if (found === hash) return
  throw planChanged(
    kind,
    `the database has been changed: its document of ${plan} has the sha256 ${found}, and had ${hash}`,
  )
}
