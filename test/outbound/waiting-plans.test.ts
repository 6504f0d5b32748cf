import { describe, expect, it } from 'vitest'
import type { OperationState, OutboundPlan } from '../../connectors/destination/outbound.ts'
import { describeWaiting, waitingPlanOf } from '../../outbound/waiting-plans.ts'
import { lackingApproval as lackingPushApproval } from '../../push/document.ts'
import type { Flag } from '../../push/operation.ts'
import { lackingApproval } from '../../reconcile/lacking-approval.ts'
import { reconcileSettings } from '../../reconcile/settings.ts'

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
    const waiting = waitingPlanOf(plan, operations('planned', 'unchanged'), 'an approval', NOW)!
    expect(describeWaiting(waiting, NOW)).toBe(
      'PL-1 has waited for an approval for 5 hours now: tillage push show PL-1',
    )
    expect(waitingPlanOf(plan, operations('planned'), undefined, NOW)).toBeUndefined()
  })

  it('of a push waits for the guarded operations that nobody has named, and only for those', () => {
    const operation = (op: string, state: OperationState, flags: Flag[]) =>
      ({ op, state, facts: { planned: { id: op, op: 'update', flags } } }) as never
    const some = [
      operation('op-1', 'confirmed', []),
      operation('op-2', 'planned', ['price_change']),
      operation('op-3', 'planned', ['late']),
    ]
    const approval = (guarded: string[]) => ({ facts: { guarded } }) as never
    expect(lackingPushApproval(some, [])).toBe('an approval')
    expect(lackingPushApproval(some, [approval([])])).toBe('an approval of 1 guarded operation')
    expect(lackingPushApproval(some, [approval([]), approval(['op-2'])])).toBeUndefined()
  })

  it('of a reconciliation waits for its second approval, and for a new one when one expires', () => {
    const settings = reconcileSettings.parse({
      approvers: ['Kim', 'Ana'].map(name => ({ name, role: 'manager' })),
      approvalValidSeconds: 3600,
    })
    const two = { hash: 'h', facts: { requiredApprovals: 2 } }
    const by = (name: string, minutesAgo = 0) =>
      ({ by: name, hash: 'h', at: new Date(NOW - minutesAgo * 60_000).toISOString() }) as never
    const lacks = (...given: never[]) => lackingApproval(two, given, settings, NOW)
    expect(lacks()).toBe('an approval')
    expect(lacks(by('Kim'))).toBe('a second approval')
    expect(lacks(by('Kim'), by('Ana'))).toBeUndefined()
    expect(lacks(by('Kim', 61), by('Ana'))).toContain('a new approval')
    const one = { ...two, facts: {} }
    expect(lackingApproval(one, [by('Kim')], settings, NOW)).toBeUndefined()
  })

  it('with a parked operation waits for a person, approved or not', () => {
    const waiting = waitingPlanOf(plan, operations('confirmed', 'unknown'), undefined, NOW)!
    expect(waiting).toMatchObject({ why: 'parked', since: '2026-03-10T11:59:00.000Z' })
    expect(describeWaiting(waiting, NOW)).toContain('parked with an unknown outcome for 1 minute')
  })

  it('without anything to send, or that was left for weeks, waits for nobody', () => {
    expect(
      waitingPlanOf(plan, operations('unchanged', 'confirmed'), 'an approval', NOW),
    ).toBeUndefined()
    const old = { ...plan, createdAt: '2026-02-01T00:00:00.000Z' }
    expect(waitingPlanOf(old, operations('planned'), 'an approval', NOW)).toBeUndefined()
  })
})
