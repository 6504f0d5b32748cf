import { expect, test } from 'vitest'
import { pushActions } from '../../console/actions/of-plan.ts'
import type { PlanDocument } from '../../push/document.ts'

const GUARDED = { state: 'planned', approval: 'required', changes: [], receipt: null }
const PLAIN = { ...GUARDED, approval: 'none' }
const BLOCKED = { ...PLAIN, state: 'blocked' }

const approvalsOf = (...operations: object[]): string[] =>
  pushActions({
    plan: 'PL-1',
    state: 'planned',
    changesAsked: [],
    stores: [{ operations }],
  } as unknown as PlanDocument)
    .map(([name]) => name)
    .filter(name => name.startsWith('approve'))

test('a push is offered the approvals that allow something of it, and no others', () => {
  expect(approvalsOf(PLAIN, BLOCKED)).toEqual(['approve-push'])
  expect(approvalsOf(PLAIN, GUARDED)).toEqual(['approve-push', 'approve-guarded'])
  expect(approvalsOf(GUARDED, BLOCKED)).toEqual(['approve-guarded'])
  expect(approvalsOf(BLOCKED)).toEqual([])
})
