import type { OutboundPlan } from '../../connectors/destination/outbound.ts'
import { judgeApproval, nameKey, validApprovals } from '../../outbound/approval.ts'
import type { ApprovalRules } from '../../outbound/approval.ts'
import { loadCounts, loadPush } from './load-plans.ts'
import type { PlanPlace } from './load-plans.ts'

/** Who sees a plan, and who else could. */
export interface Viewers {
  name: string
  /** Everybody who has the role for it, whoever sees it too. */
  people: readonly string[]
  /** Who made the plan; undefined: nobody knows. */
  preparedBy: string | undefined
}

/** Why whoever sees it may not approve a plan, and who may instead; undefined: he may. */
export async function whyMayNotApprove(
  place: PlanPlace,
  { plan, kind }: Pick<OutboundPlan, 'plan' | 'kind'>,
  viewers: Viewers,
): Promise<string | undefined> {
  const load = kind === 'push' ? loadPush : loadCounts
  const { rules, approvals } = await load(place, plan)
  return describeApprovers(rules, approvals, { ...viewers, nowMs: Date.now() })
}

type Given = Parameters<typeof judgeApproval>[1]

/** The same of rules that are known. Pure. */
export function describeApprovers(
  rules: ApprovalRules,
  given: Given,
  { name, people, preparedBy, nowMs }: Viewers & { nowMs: number },
): string | undefined {
  const whyNot = (by: string): string | undefined => {
    if (preparedBy !== undefined && nameKey(by) === nameKey(preparedBy))
      return `${by} prepared it, so somebody else approves it`
    const judged = judgeApproval(rules, given, { by, atMs: nowMs })
    return judged.allowed ? undefined : judged.why
  }
  const why = whyNot(name)
  if (why === undefined) return undefined
  const others = people.filter(one => whyNot(one) === undefined)
  const lacking = rules.required - validApprovals(rules, given, nowMs).length
  const who = others.length === 0 ? 'Nobody else may.' : `Who may: ${others.join(', ')}.`
  return `${why}. ${who}${others.length < lacking ? TOO_FEW : ''}`
}

const TOO_FEW =
  ' These are too few for it: name another approver in tillage.yaml, or have somebody else plan it anew.'
