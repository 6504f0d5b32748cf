import type { OutboundPlan, OutboundStore } from '../connectors/destination/outbound.ts'
import type { Rename } from '../connectors/destination/renames.ts'

/** For one answer, in which each question about plans is the same whichever store it is for. */
export function askedOnce(outbound: OutboundStore): OutboundStore {
  const lists = new Map<OutboundPlan['kind'], Promise<OutboundPlan[]>>()
  let renames: Promise<Rename[]> | undefined
  let open: Promise<ReadonlySet<string>> | undefined
  return {
    ...outbound,
    plans(kind) {
      const known = lists.get(kind) ?? outbound.plans(kind)
      lists.set(kind, known)
      return known
    },
    renames: () => (renames ??= outbound.renames()),
    openPlans: (states, acts) => (open ??= outbound.openPlans(states, acts)),
  }
}
