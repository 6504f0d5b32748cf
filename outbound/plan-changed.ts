import type { OutboundPlan } from '../connectors/destination/outbound.ts'
import { PlanError } from '../errors.ts'

/**
 * What was planned, approved and is remembered do not agree. The commands for catalogs answer it
 * with 2, those for counts with 1, as their contracts say.
 */
export const planChanged = (kind: OutboundPlan['kind'], what: string): PlanError =>
  new PlanError(kind === 'push' ? 'USAGE' : 'EVIDENCE_CHANGED', what, {
    remedy:
      'Nothing was sent. Only the document that was planned is approved and sent: ' +
      'put it back from a backup, or make a new plan.',
  })
