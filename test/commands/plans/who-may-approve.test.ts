import { expect, test } from 'vitest'
import { describeApprovers } from '../../../commands/plans/who-may-approve.ts'
import type { Approval } from '../../../connectors/destination/outbound.ts'
import type { ApprovalRules } from '../../../outbound/approval.ts'

const HASH = 'a'.repeat(64)
const NOW = Date.parse('2026-03-05T12:00:00Z')
const RULES: ApprovalRules = {
  hash: HASH,
  required: 1,
  validMs: 3_600_000,
  approvers: ['Cora', 'Carl', 'Cleo'].map(name => ({ name, role: 'lead' })),
}
const PEOPLE = ['Cora', 'Carl', 'Cleo', 'Vic']

const by = (name: string): Approval => ({
  plan: 'PLN-1',
  by: name,
  role: 'lead',
  at: new Date(NOW - 60_000).toISOString(),
  hash: HASH,
  origin: 'a@b',
  facts: {},
})

const ask = (name: string, preparedBy?: string, rules = RULES, given: Approval[] = []) =>
  describeApprovers(rules, given, { name, people: PEOPLE, preparedBy, nowMs: NOW })

test('who prepared a plan reads who may approve it, under whatever form of the name', () => {
  expect(ask('Cora', 'Cora')).toBe(
    'Cora prepared it, so somebody else approves it. Who may: Carl, Cleo.',
  )
  expect(ask('CORA ', 'cora')).toContain('prepared it')
  expect(ask('Carl', 'Cora')).toBeUndefined()
  expect(ask('Cora')).toBeUndefined()
})

test('who is not named, or has approved already, reads who may', () => {
  expect(ask('Vic', 'Cora')).toMatch(/^Vic may not approve.*Who may: Carl, Cleo\.$/)
  const two = { ...RULES, required: 2 }
  expect(ask('Carl', 'Cora', two, [by('Carl')])).toBe(
    'Carl has approved this plan already. Who may: Cleo.',
  )
})

test('where too few are left, that is said before anybody waits for them', () => {
  const two = { ...RULES, required: 2, approvers: RULES.approvers!.slice(0, 2) }
  expect(ask('Cora', 'Cora', two)).toMatch(/Who may: Carl\. These are too few for it/)
  expect(ask('Cora', 'Cora', { ...RULES, approvers: [] })).toMatch(/Nobody else may\. These/)
  expect(ask('Cora', 'Cora', { ...RULES, required: 2 })).not.toContain('too few')
})
