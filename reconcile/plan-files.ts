import { join } from 'node:path'
import { auditFolder } from '../audit/folder.ts'
import type { AuditFolder } from '../audit/folder.ts'
import type { OutboundPlan, OutboundStore } from '../connectors/destination/outbound.ts'
import { presentId } from '../connectors/destination/renames.ts'
import { openPlan, rememberPlanned } from '../outbound/open-plan.ts'
import type { OpenedPlan, PlanKind, PlannedId } from '../outbound/open-plan.ts'
import { planChanged } from '../outbound/plan-changed.ts'
import { writeOnce } from '../outbound/write-once.ts'
import { sha256Of } from '../sha256.ts'
import { planPage } from './plan-page.ts'
import type { PlanDocument } from './plan.ts'

/** A plan as it is kept: its document, which is what its hash is of, and the page beside it. */
export interface KeptPlan extends Omit<OpenedPlan<PlanDocument>, 'operations'> {
  page: string
}

/** What is asked of many plans without opening their documents. */
export interface PlanFacts {
  store: string
  audit: string
  /** Every line of every room was counted. */
  isWhole: boolean
  requiredApprovals: PlanDocument['requiredApprovals']
}

const pathIn = ({ path }: AuditFolder, plan: string): string =>
  join(path, 'plans', plan, `reconciliation_plan_${plan}.json`)

const pageOf = (path: string): string => path.replace(/json$/, 'html')

const idsOf = ({ operations }: PlanDocument): PlannedId[] =>
  operations.map(({ op_id: op, token }) => ({ op, token }))

const reconcileKind = (exports: string): PlanKind<PlanDocument> => ({
  name: 'reconcile',
  suffix: '.json',
  pathOf: ({ plan, facts }: OutboundPlan) => {
    const { store, audit } = facts as Partial<PlanFacts>
    if (typeof store !== 'string' || typeof audit !== 'string')
      throw planChanged('reconcile', `the database does not say which audit ${plan} is of`)
    return pathIn(auditFolder(exports, store, audit), plan)
  },
  parse: text => JSON.parse(text) as PlanDocument,
  operationsOf: idsOf,
})

/** All of a store, newest first, those that were made under an earlier id of it, too. */
export async function plansOfStore(
  outbound: Pick<OutboundStore, 'plans' | 'renames'>,
  store: string,
): Promise<OutboundPlan[]> {
  const renames = await outbound.renames()
  return (await outbound.plans('reconcile')).filter(({ createdAt: at, facts }) => {
    const { store: id = '' } = facts as Partial<PlanFacts>
    return presentId(renames, { id, at }) === store
  })
}

/** Writes document and page, once, and remembers the plan and its operations as planned. */
export async function keepPlan(
  store: OutboundStore,
  folder: AuditFolder,
  document: PlanDocument,
): Promise<KeptPlan> {
  const { plan: id, createdAt } = document
  const bytes = `${JSON.stringify(document, null, 2)}\n`
  const hash = sha256Of(bytes)
  const path = pathIn(folder, id)
  const page = pageOf(path)
  writeOnce(path, bytes)
  writeOnce(page, planPage(document, hash))
  const { store: of, audit, isWhole, requiredApprovals } = document
  const facts: PlanFacts = { store: of, audit, isWhole, requiredApprovals }
  const plan: OutboundPlan = { plan: id, kind: 'reconcile', hash, createdAt, facts: { ...facts } }
  await rememberPlanned(store, plan, idsOf(document))
  return { plan, document, path, page }
}

/** A plan by its id, or by the path of its document, as it was planned (INV-8). */
export async function openReconciliation(
  { store, exports }: { store: OutboundStore; exports: string },
  named: string,
): Promise<KeptPlan> {
  const { plan, document, path } = await openPlan(store, reconcileKind(exports), named)
  return { plan, document, path, page: pageOf(path) }
}
