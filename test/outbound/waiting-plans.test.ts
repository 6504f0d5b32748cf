import { describe, expect, it } from 'vitest'
import type {
  OperationState,
  OutboundPlan,
  OutboundRun,
} from '../../connectors/destination/outbound.ts'
import { PlanError } from '../../errors.ts'
import { lackingApproval } from '../../outbound/approval.ts'
import { judgeStanding } from '../../outbound/remembered.ts'
import { describeWaiting, notTaken, waitingPlanOf } from '../../outbound/waiting-plans.ts'
import type { JudgePlan, PlanStanding } from '../../outbound/waiting-plans.ts'
import { standingOf, timedRows } from '../../push/document.ts'
import type { Flag } from '../../push/operation.ts'

const NOW = Date.parse('2026-03-10T12:00:00.000Z')
const plan: OutboundPlan = {
  plan: 'PL-1',
  kind: 'push',
  hash: 'h',
  createdAt: '2026-03-10T07:00:00.000Z',
  facts: { stores: [{ store: 'downtown' }] },
}
const operations = (...states: OperationState[]) => ({
  operations: states.map(state => ({ state, changedAt: '2026-03-10T11:59:00.000Z' })),
  runs: [] as OutboundRun[],
})
const judged = (standing: Partial<PlanStanding> = {}): { nowMs: number; judge: JudgePlan } => ({
  nowMs: NOW,
  judge: async () => ({ missingApproval: undefined, interrupted: undefined, ...standing }),
})
const UNAPPROVED = judged({ missingApproval: 'an approval' })

describe('a plan', () => {
  it('waits for an approval until it has one, and for how long is said', async () => {
    const waiting = await waitingPlanOf(plan, operations('planned', 'unchanged'), UNAPPROVED)
    expect(describeWaiting(waiting!, NOW)).toBe(
      'PL-1 has waited for an approval for 5 hours now: tillage push show PL-1',
    )
    expect(await waitingPlanOf(plan, operations('planned'), judged())).toBeUndefined()
  })

  it('that stopped at a store says why and since when, unless all of it was sent', async () => {
    const at = '2026-03-10T11:59:00.000Z'
    const failed = judged({ stopped: { detail: 'downtown OTHER_TARGET elsewhere', at } })
    const waiting = await waitingPlanOf(plan, operations('planned', 'confirmed'), failed)
    expect(waiting).toMatchObject({ why: 'stopped', since: at })
    expect(describeWaiting(waiting!, NOW)).toMatch(
      /^PL-1 stopped .* ago, and nothing more of it is sent: downtown OTHER_TARGET/,
    )
    expect(await waitingPlanOf(plan, operations('confirmed'), failed)).toBeUndefined()
  })

  it('whose rows should have been sent is told, with since when', async () => {
    const overdue = { detail: '2 rows', at: '2026-03-10T11:30:00.000Z' }
    const waiting = await waitingPlanOf(plan, operations('planned'), judged({ overdue }))
    expect(describeWaiting(waiting!, NOW)).toBe(
      '2 rows of PL-1 should have been sent 30 minutes ago, which tillage up does: tillage push show PL-1',
    )
  })

  it('of which the API took nothing more waits for another apply, and not while one goes on', () => {
    const { operations: two } = operations('confirmed', 'failed')
    const at = '2026-03-10T11:59:00.000Z'
    const stopped = { detail: 'the API has not taken 1 of 2', at }
    expect(notTaken(two, [{ endedAt: at }])).toEqual(stopped)
    expect(notTaken(two, [{ endedAt: at }, { endedAt: null }])).toBeUndefined()
    expect(notTaken(operations('confirmed', 'rejected').operations, [])).toBeUndefined()
  })

  const operation = (op: string, state: OperationState, flags: Flag[]) => ({
    planned: { id: op, op: 'update', flags },
    stands: { op, state, facts: {} },
  })
  const push = {
    operations: [
      operation('op-1', 'confirmed', []),
      operation('op-2', 'planned', ['price_change']),
      operation('op-3', 'planned', ['late']),
    ],
    rules: { hash: 'h', required: 1, validMs: Infinity, guarded: new Set(['op-2']) },
    approvals: [] as object[],
    runs: [] as object[],
    events: [] as object[],
    receipts: [] as object[],
    inverse: null as object | null,
  }
  const runner = { user: 'ana', host: 'till-1', pid: 1, isRunning: () => false }
  const standing = (known: Partial<typeof push>) =>
    standingOf({ ...push, ...known } as never, { runner, nowMs: NOW })

  it('of a push waits for the guarded operations that nobody has named, and only for those', () => {
    const at = plan.createdAt
    const approval = (guarded: string[]) => ({ by: 'Kim', at, hash: 'h', facts: { guarded } })
    const lacks = (...approvals: object[]) => standing({ approvals }).missingApproval
    expect(lacks()).toBe('an approval')
    expect(lacks(approval([]))).toBe('an approval of 1 guarded operation')
    expect(lacks(approval([]), approval(['op-2']))).toBeUndefined()
  })

  it('whose apply was killed is over once it was undone', () => {
    const runs = [{ act: 'apply', user: 'kim', host: 'till-1', pid: 2, endedAt: null }]
    expect(standing({ runs }).interrupted).toMatchObject({ user: 'kim', sent: 1, of: 3 })
    const undone = standing({ runs, inverse: { plan: 'PL-2', isOnlyPlanned: false } })
    expect(undone).toEqual({ missingApproval: undefined, interrupted: undefined })
    const operations = [operation('op-1', 'failed', [])]
    expect(standing({ operations }).stopped).toMatchObject({ detail: expect.any(String) as string })
    const inverse = { plan: 'PL-2', isOnlyPlanned: true }
    expect(standing({ operations, inverse }).stopped).toBe(undefined)
  })

  it('that stopped, since too many writes did not show, waits while something of it is unsent', () => {
    const events = [
      { event: 'stopped', detail: '3 of the first 5 did not show', at: plan.createdAt },
    ]
    expect(standing({ events }).stopped).toEqual({
      detail: '3 of the first 5 did not show',
      at: plan.createdAt,
    })
    const operations = [operation('op-1', 'confirmed', [])]
    expect(standing({ events, operations }).stopped).toBeUndefined()
  })

  it('waits for its second approval, for a new one when one expires, and for people who may', () => {
    const people = (...names: string[]) => names.map(name => ({ name, role: 'manager' }))
    const rules = (required: number, approvers = people('Kim', 'Ana')) => ({
      hash: 'h',
      required,
      validMs: 3_600_000,
      approvers,
    })
    const by = (name: string, minutesAgo = 0) =>
      ({ by: name, hash: 'h', at: new Date(NOW - minutesAgo * 60_000).toISOString() }) as never
    const lacks = (...given: never[]) => lackingApproval(rules(2), given, ['op-1'], NOW)
    expect(lacks()).toBe('an approval')
    expect(lacks(by('Kim'))).toBe('a second approval')
    expect(lacks(by('Kim'), by('Ana'))).toBeUndefined()
    expect(lacks(by('Kim', 61), by('Ana'))).toContain('because an earlier one has expired')
    expect(lackingApproval(rules(1), [by('Kim')], ['op-1'], NOW)).toBeUndefined()
    expect(lackingApproval(rules(1, people('Ana')), [by('Kim')], ['op-1'], NOW)).toBe('an approval')
    expect(lackingApproval(rules(1), [], [], NOW)).toBeUndefined()
  })

  it('lacks an approval of what was not sent, and none of what is under way', () => {
    const rules = { hash: 'h', required: 1, validMs: 1 }
    const remembered = { rules, approvals: [], runs: [], events: [], receipts: [] }
    const lacks = (state: OperationState) => {
      const one = { op: 'op-1', state } as never
      return judgeStanding(remembered, [one], () => false, { runner, nowMs: NOW }).missingApproval
    }
    expect(['planned', 'failed'].map(state => lacks(state as OperationState))).toEqual([
      'an approval',
      'an approval',
    ])
    expect(lacks('submitted')).toBeUndefined()
  })

  it('with a parked operation waits for a person, approved or not', async () => {
    const waiting = await waitingPlanOf(plan, operations('confirmed', 'unknown'), judged())
    expect(waiting).toMatchObject({ why: 'parked', since: '2026-03-10T11:59:00.000Z' })
    expect(describeWaiting(waiting!, NOW)).toContain('parked with an unknown outcome for 1 minute')
  })

  it('whose apply was interrupted is named, with how far it came', async () => {
    const startedAt = '2026-03-10T11:00:00.000Z'
    const progress = { sent: 3, of: 12, withoutReceipt: 0 }
    const interrupted = { user: 'kim', host: 'till-1', startedAt, ...progress }
    const waiting = await waitingPlanOf(plan, operations('planned'), judged({ interrupted }))
    expect(describeWaiting(waiting!, NOW)).toBe(
      'PL-1, the apply of kim at till-1, begun 2026-03-10 11:00Z, was interrupted: ' +
        '3 of 12 were sent: tillage push show PL-1',
    )
  })

  it('that was sent whole, and whose process died before the receipts, is named until they are there', async () => {
    const died = { act: 'apply', outcome: null } as OutboundRun
    const sent = { ...operations('confirmed', 'confirmed'), runs: [died] }
    const startedAt = '2026-03-10T11:00:00.000Z'
    const progress = { sent: 2, of: 2, withoutReceipt: 1 }
    const interrupted = { user: 'kim', host: 'till-1', startedAt, ...progress }
    const waiting = await waitingPlanOf(plan, sent, judged({ interrupted }))
    expect(describeWaiting(waiting!, NOW)).toContain('2 of 2 were sent, 1 without a receipt yet')
    // Nothing of it is left to approve, however old the approvals are by now.
    expect(await waitingPlanOf(plan, sent, UNAPPROVED)).toBeUndefined()
  })

  it('whose document was changed is named, and a mistake of ours is not taken for that', async () => {
    const failing = (error: Error) => ({
      nowMs: NOW,
      judge: async (): Promise<never> => {
        throw error
      },
    })
    const changed = failing(new PlanError('USAGE', 'plan.jsonl was changed'))
    const waiting = await waitingPlanOf(plan, operations('planned'), changed)
    expect(describeWaiting(waiting!, NOW)).toBe('plan.jsonl was changed; nothing of it is sent')
    const mistaken = waitingPlanOf(plan, operations('planned'), failing(new Error('oh')))
    await expect(mistaken).rejects.toThrow('oh')
  })

  it('without anything to send, or that was left for weeks, waits for nobody', async () => {
    const done = operations('unchanged', 'confirmed')
    expect(await waitingPlanOf(plan, done, UNAPPROVED)).toBeUndefined()
    const old = { ...plan, createdAt: '2026-02-01T00:00:00.000Z' }
    expect(await waitingPlanOf(old, operations('planned'), UNAPPROVED)).toBeUndefined()
  })
})

it('a row of a time of its own waits for it only where all that it needs may be sent', () => {
  const row = (id: string, effectiveAt: string | null, ...dependsOn: string[]) => ({
    planned: { id, op: 'create', effectiveAt, dependsOn },
    stands: { state: 'planned' },
  })
  const operations = [
    row('brand', null),
    row('product', '2026-03-10T06:00:00-07:00', 'brand'),
    row('other', '2026-03-10T06:00:00-07:00'),
  ]
  const waiting = (...guarded: string[]): string[] => {
    const rules = { hash: 'h', required: 1, validMs: Infinity, guarded: new Set(['brand']) }
    const approval = { by: 'Kim', hash: 'h', at: '2026-03-09T12:00:00.000Z', facts: { guarded } }
    const remembered = { rules, approvals: [approval], events: [], operations }
    return timedRows(remembered as never, NOW).map(({ id }) => id)
  }
  expect(waiting('brand')).toEqual(['product', 'other'])
  expect(waiting()).toEqual(['other'])
})
