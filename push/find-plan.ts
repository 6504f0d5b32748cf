import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { OutboundPlan } from '../connectors/destination/outbound.ts'
import { UsageError } from '../errors.ts'
import { sha256Of } from '../outbound/write-once.ts'
import type { RememberedPlan } from './document.ts'
import type { Operation } from './operation.ts'
import type { PlanFacts } from './plan/plan.ts'
import { planJsonl } from './plan/plan.ts'
import type { Push } from './push.ts'

/**
 * A plan by its id, or by the path of its plan.jsonl. The bytes must be those that were planned:
 * what is approved and applied is what is written there (INV-8).
 */
export async function findPlan(
  { outbound }: Pick<Push, 'outbound'>,
  named: string,
): Promise<OutboundPlan> {
  const plan = named.endsWith('.jsonl')
    ? await planOfFile(outbound, named)
    : await planOfId(outbound, named)
  if (existsSync(plan.path) && sha256Of(readFileSync(plan.path)) !== plan.hash)
    throw new UsageError(
      `${plan.path} was changed after the plan was made`,
      'Nothing of it is approved or sent. Put the file back, or make a new plan.',
    )
  return plan
}

async function planOfId(outbound: Push['outbound'], id: string): Promise<OutboundPlan> {
  const plan = await outbound.plan(id)
  if (plan?.kind === 'push') return plan
  throw new UsageError(`there is no plan ${id}`, 'tillage push plan says the id of each plan.')
}

/** A copy of a plan's file is as good as the file; another content is no plan. */
async function planOfFile(outbound: Push['outbound'], path: string): Promise<OutboundPlan> {
  if (!existsSync(path))
    throw new UsageError(`there is no file ${path}`, 'Name the plan by its id, or its plan.jsonl.')
  const hash = sha256Of(readFileSync(path))
  const beside = await outbound.plan(basename(dirname(resolve(path))))
  const plan = beside ?? (await outbound.plans('push')).find(known => known.hash === hash)
  if (plan?.kind === 'push' && plan.hash === hash) return plan
  throw new UsageError(
    `${path} is not a plan as it was made`,
    'Its bytes are not those of the plan: nothing of it is approved or sent. Make a new plan.',
  )
}

/** Everything that is remembered of a plan. */
export async function loadPlan(
  { outbound }: Pick<Push, 'outbound'>,
  plan: OutboundPlan,
): Promise<RememberedPlan> {
  const operations = (await outbound.operations(plan.plan)).map(stands => ({
    planned: stands.facts['planned'] as Operation,
    stands,
  }))
  return {
    plan,
    facts: plan.facts as unknown as PlanFacts,
    operations,
    approvals: await outbound.approvals(plan.plan),
    events: await outbound.events(plan.plan),
    receipts: await outbound.receipts(plan.plan),
  }
}

/** What the database would send is what was hashed; anything else is refused before it is sent. */
export function refuseOtherContent({ plan, operations }: RememberedPlan): void {
  const text = planJsonl(
    plan.plan,
    operations.map(({ planned }) => planned),
  )
  if (sha256Of(text) === plan.hash) return
  throw new UsageError(
    `the operations of ${plan.plan} in the database are not those of its plan.jsonl`,
    'Nothing was sent. Make a new plan.',
  )
}
