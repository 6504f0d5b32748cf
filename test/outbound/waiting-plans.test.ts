import { describe, expect, it } from 'vitest'
import type { OperationState, OutboundPlan } from '../../connectors/destination/outbound.ts'
import { describeWaiting, waitingPlanOf } from '../../outbound/waiting-plans.ts'

const NOW = Date.parse('2026-03-10T12:00:00.000Z')
const plan: OutboundPlan = {
  plan: 'PL-1',
  kind: 'push',
  hash: 'h',
  path: '/p',
  createdAt: '2026-03-10T07:00:00.000Z',
  facts: { stores: [{ store: 'downtown' }] },
}
const operations = (...states: OperationState[]) =>
  states.map(state => ({ state, changedAt: '2026-03-10T11:59:00.000Z' }))

describe('a plan', () => {
  it('waits for an approval until it has one, and for how long is said', () => {
    const waiting = waitingPlanOf(plan, operations('planned', 'unchanged'), false, NOW)!
    expect(describeWaiting(waiting, NOW)).toBe(
      'PL-1 has waited for an approval for 5 hours now: tillage push show PL-1',
    )
    expect(waitingPlanOf(plan, operations('planned'), true, NOW)).toBeUndefined()
  })

  it('with a parked operation waits for a person, approved or not', () => {
    const waiting = waitingPlanOf(plan, operations('confirmed', 'unknown'), true, NOW)!
    expect(waiting).toMatchObject({ why: 'parked', since: '2026-03-10T11:59:00.000Z' })
    expect(describeWaiting(waiting, NOW)).toContain('parked with an unknown outcome for 1 minute')
  })

  it('without anything to send, or that was left for weeks, waits for nobody', () => {
    expect(waitingPlanOf(plan, operations('unchanged', 'confirmed'), false, NOW)).toBeUndefined()
    const old = { ...plan, createdAt: '2026-02-01T00:00:00.000Z' }
    expect(waitingPlanOf(old, operations('planned'), false, NOW)).toBeUndefined()
  })
})
