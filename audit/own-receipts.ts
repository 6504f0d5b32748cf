import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { auditsOf } from './folder.ts'
import type { Replaced } from './report/roll-forward.ts'

/** What a receipt says of what was there before. */
interface ReceiptBefore {
  reconciliation_id: string | null
  before: { batch_id: string; quantity: string }[]
}

/** What reconciliations of ours replaced, by the receipts in the audits of these stores. */
export function replacedBefore(exports: string, stores: readonly string[]): Replaced {
  const replaced = new Map<string, ReadonlyMap<string, string>>()
  for (const { path } of stores.flatMap(store => auditsOf(exports, store)))
    for (const receipt of receiptsIn(path)) {
      const { reconciliation_id: id, before } = receipt
      if (id !== null) replaced.set(id, new Map(before.map(lot => [lot.batch_id, lot.quantity])))
    }
  return replaced
}

const receiptsIn = (audit: string): ReceiptBefore[] =>
  existsSync(join(audit, 'plans'))
    ? globSync('plans/*/receipts/receipt_*.json', { cwd: audit }).map(
        path => JSON.parse(readFileSync(join(audit, path), 'utf8')) as ReceiptBefore,
      )
    : []
