import { comparePlans } from '../../push/compare-plans.ts'
import type { PlanDifference } from '../../push/compare-plans.ts'
import { loadPlan } from '../../push/load-plan.ts'
import { shownValue } from '../../push/people.ts'
import type { Context } from '../command.ts'
import { formatTable } from '../terminal/table.ts'
import { withPush } from './open-push.ts'

/** `tillage push diff PLAN PLAN`: what the second would do otherwise than the first. */
export const pushDiff = (
  { config, terminal }: Context,
  { store }: { store?: string },
  ...[first, second]: [first: string, second: string]
): Promise<number> =>
  withPush(config, async push => {
    const [one, other] = [await loadPlan(push, first), await loadPlan(push, second)]
    const operationsOf = ({ operations }: typeof one) => operations.map(({ planned }) => planned)
    const differences = comparePlans(operationsOf(one), operationsOf(other)).filter(
      difference => store === undefined || difference.store === store,
    )
    const plans = { first: one.plan.plan, second: other.plan.plan }
    terminal.print(
      terminal.json ? JSON.stringify({ ...plans, differences }) : describe(plans, differences),
    )
    return 0
  })

function describe(
  { first, second }: { first: string; second: string },
  differences: readonly PlanDifference[],
): string {
  if (differences.length === 0) return `${second} does the same as ${first}`
  return formatTable(
    ['store', 'external id', 'name', 'field', first, second],
    differences.map(one => [
      one.store,
      one.externalId || one.name,
      one.name,
      one.field,
      shownValue(one.field, one.first) ?? '',
      shownValue(one.field, one.second) ?? '',
    ]),
    { minor: ['name'] },
  )
}
