import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { AuditFolder } from '../audit/folder.ts'
import type { OutboundOperation, OutboundStore } from '../connectors/destination/outbound.ts'
import { TillageError, UsageError } from '../errors.ts'
import { sha256Of, writeOnce } from '../outbound/write-once.ts'
import { planPage } from './plan-page.ts'
import type { PlanDocument } from './plan.ts'

/** A plan as it is kept: its document, which is what its hash is of, and the page beside it. */
export interface KeptPlan {
  document: PlanDocument
  hash: string
  path: string
  page: string
}

/** What is asked of many plans without opening their documents. */
export interface PlanFacts {
  store: string
  /** Every line of every room was counted. */
  isWhole: boolean
  requiredApprovals: PlanDocument['requiredApprovals']
}

const folderOf = ({ path }: AuditFolder, plan: string): string => join(path, 'plans', plan)

const documentName = (plan: string): string => `reconciliation_plan_${plan}.json`

/** Writes document and page, once, and remembers the plan and its operations as planned. */
export async function keepPlan(
  store: OutboundStore,
  audit: AuditFolder,
  document: PlanDocument,
): Promise<KeptPlan> {
  const { plan } = document
  const bytes = `${JSON.stringify(document, null, 2)}\n`
  const hash = sha256Of(bytes)
  const path = join(folderOf(audit, plan), documentName(plan))
  const page = path.replace(/json$/, 'html')
  writeOnce(path, bytes)
  writeOnce(page, planPage(document, hash))
  const { store: of, isWhole, requiredApprovals } = document
  const facts: PlanFacts = { store: of, isWhole, requiredApprovals }
  await store.savePlan(
    { plan, kind: 'reconcile', hash, path, createdAt: document.createdAt, facts: { ...facts } },
    document.operations.map(({ op_id: op, token }): OutboundOperation => {
      const changedAt = document.createdAt
      return { plan, op, token, state: 'planned', attempt: 0, changedAt, facts: {} }
    }),
  )
  return { document, hash, path, page }
}

/** A plan by its id, or by the path of its document, whose bytes must be the planned ones. */
export async function openPlan(store: OutboundStore, planOrPath: string): Promise<KeptPlan> {
  const isPath = planOrPath.endsWith('.json')
  const id = isPath ? basename(planOrPath).slice('reconciliation_plan_'.length, -5) : planOrPath
  const known = await store.plan(id)
  if (known?.kind !== 'reconcile')
    throw new UsageError(
      `there is no reconciliation plan ${planOrPath}`,
      'Name its id, or the path of its reconciliation_plan_....json.',
    )
  const path = isPath ? resolve(planOrPath) : known.path
  if (!existsSync(path)) throw changed(path, 'is gone')
  const bytes = readFileSync(path)
  if (sha256Of(bytes) !== known.hash) throw changed(path, 'is not as it was planned')
  const document = JSON.parse(bytes.toString('utf8')) as PlanDocument
  return { document, hash: known.hash, path: known.path, page: known.path.replace(/json$/, 'html') }
}

const changed = (path: string, what: string): TillageError =>
  new TillageError('EVIDENCE_CHANGED', `${path} ${what}`, {
    remedy: 'What is approved and sent is the planned document alone: restore it, or plan again.',
  })

/** Receipts of a plan lie beside it. */
export const receiptsFolder = (planPath: string): string => join(planPath, '..', 'receipts')
