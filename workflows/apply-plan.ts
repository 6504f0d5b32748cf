import type { RoundResult } from '../activities/apply-plan.ts'
import { writesOf } from './proxies.ts'

/**
 * One run of a plan, carried out by the process that began it and by nobody else. What is sent is
 * decided by the plan's document and the database alone.
 */
export const applyPlan = ({ plan, run }: { plan: string; run: string }): Promise<RoundResult> =>
  writesOf(run).applyPlan({ plan, run })
