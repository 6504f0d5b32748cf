import { APPLIED, describePlan, STOPPED } from './document.ts'
import type { ShownOperation } from './document.ts'
import { loadPlan } from './find-plan.ts'
import type { Push } from './push.ts'

/** Plans that somebody began to apply and of which rows wait for their time. */
export async function plansThatWait(push: Pick<Push, 'outbound' | 'now'>): Promise<string[]> {
  const waiting: string[] = []
  for (const plan of await push.outbound.plans('push')) {
    const events = await push.outbound.events(plan.plan)
    const began = events.some(({ event }) => event === APPLIED)
    if (!began || events.some(({ event }) => event === STOPPED)) continue
    const { stores } = describePlan(await loadPlan(push, plan), push.now())
    if (stores.some(({ operations }) => operations.some(waits))) waiting.push(plan.plan)
  }
  return waiting
}

/** For its time, or its time came while nobody was there to send it. */
const waits = ({ state, effectiveAt }: ShownOperation): boolean =>
  effectiveAt !== null && (state === 'waiting' || state === 'approved')
