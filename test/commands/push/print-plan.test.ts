import { expect, test } from 'vitest'
import { printPushPlan } from '../../../commands/push/print-plan.ts'
import type { PlanDocument } from '../../../push/document.ts'

const operation = (id: string, state: string, effectiveAt: string | null): object => ({
  id,
  entity: 'vendors',
  op: 'update',
  externalId: `V-${id}`,
  name: `Vendor ${id}`,
  changes: [
    { field: 'arms_length_type', old: 'ARMS_LENGTH', new: 'NON_ARMS_LENGTH' },
    { field: 'license_expiration', old: '2026-01-31', new: '2027-01-31' },
  ],
  flags: ['arms_length_change', 'license_expired'],
  approval: 'required',
  state,
  effectiveAt,
  error: null,
  reason: null,
})

const blocked = {
  ...operation('op-3', 'blocked', null),
  op: 'blocked',
  changes: [],
  flags: [],
  approval: 'none',
  reason:
    'a new record needs name; a new record needs category_external_id; ' +
    'a new record needs vendor_external_id',
}

const PLAN = {
  plan: 'PL-20270101-00000001',
  hash: 'f'.repeat(64),
  kind: 'push',
  of: null,
  entity: 'vendors',
  state: 'planned',
  undoneBy: null,
  interrupted: null,
  files: [],
  approvals: [],
  changesAsked: [],
  stores: [
    {
      store: 'downtown',
      error: null,
      counts: { update: 2, blocked: 1 },
      requests: { expected: 6, seconds: 1 },
      operations: [
        operation('op-1', 'planned', null),
        operation('op-2', 'waiting', '2027-03-10T06:00:00-07:00'),
        blocked,
      ],
    },
  ],
} as unknown as PlanDocument

test('a plan at 80 columns has every flag whole, breaks lines between words, and says until when a row waits', () => {
  const printed: string[] = []
  const print = (text: string): void => void printed.push(text)
  printPushPlan(PLAN, { json: false, print, progress: () => {}, log: () => {} })
  const lines = printed.join('\n').split('\n')
  expect(lines.filter(line => line.length > 80)).toEqual([])
  expect(lines.filter(line => line.trim() === 'arms_length_change license_expired')).toHaveLength(2)
  expect(lines.join('\n')).toMatch(/license_expiration +2026-01-31 +2027-01-31/)
  expect(lines.join('\n').replaceAll(/\s+/g, ' ')).toContain('waiting until 2027-03-10 06:00')
})

test('a plan at 80 columns names each record as the file does, or as the API does', () => {
  const [downtown] = PLAN.stores
  const wide = { ...downtown!.operations[0]!, name: 'A vendor of a long name and title' }
  const bare = { ...wide, id: 'op-2', externalId: '', name: 'In no file', error: 'gone' }
  const stores = [{ ...downtown!, operations: [wide, bare] }]
  const printed: string[] = []
  const print = (text: string): void => void printed.push(text)
  printPushPlan({ ...PLAN, stores }, { json: false, print, progress: () => {}, log: () => {} })
  expect(printed.join('\n')).toMatch(
    /^ {2}V-op-1 +arms_length_type .*\n[^]*^ {2}In no file +arms_length_type [^]*^ {2}op-2 In no file: gone$/m,
  )
})

test('whoever approves a change is told from when on it counts', () => {
  const [downtown] = PLAN.stores
  const operations = [operation('op-1', 'planned', '2031-12-24T06:00:00-08:00')]
  const plan = { ...PLAN, stores: [{ ...downtown!, operations }] } as unknown as PlanDocument
  const printed: string[] = []
  const print = (text: string): void => void printed.push(text)
  printPushPlan(plan, { json: false, print, progress: () => {}, log: () => {} })
  expect(printed.join('\n').replaceAll(/\s+/g, ' ')).toContain('planned, from 2031-12-24 06:00')
})

test('what a person gave up is called discarded, and what the API did not take is called failed', () => {
  const [downtown] = PLAN.stores
  const failed = operation('op-1', 'failed', null)
  const discarded = { ...operation('op-2', 'failed', null), discarded: true }
  const stores = [{ ...downtown!, operations: [failed, discarded] }]
  const printed: string[] = []
  const print = (text: string): void => void printed.push(text)
  printPushPlan({ ...PLAN, stores } as unknown as PlanDocument, {
    json: false,
    print,
    progress: () => {},
    log: () => {},
  })
  const states = /^ {2}V-op-(\d).* (failed|discarded)$/gm
  expect([...printed.join('\n').matchAll(states)].map(([, id, state]) => [id, state])).toEqual([
    ['1', 'failed'],
    ['2', 'discarded'],
  ])
})

test('whom a vendor names is hidden until somebody asks for it', () => {
  const [downtown] = PLAN.stores
  const changes = [
    { field: 'email', old: null, new: 'ann.of.the.long.name@example.com' },
    { field: 'city', old: 'Reno', new: 'Sparks' },
  ]
  const operations = [{ ...downtown!.operations[0]!, changes }]
  const plan = { ...PLAN, stores: [{ ...downtown!, operations }] }
  const printed: string[] = []
  const terminal = { print: (text: string) => void printed.push(text), progress() {}, log() {} }
  printPushPlan(plan, { ...terminal, json: false })
  printPushPlan(plan, { ...terminal, json: false }, { people: true })
  printPushPlan(plan, { ...terminal, json: true })
  expect(printed.map(text => text.includes('ann.of.the.long.name@example.com'))).toEqual([
    false,
    true,
    true,
  ])
  expect(printed[0]).toMatch(/email +\(hidden\)/)
  expect(printed[0]).toMatch(/city +Reno +Sparks/)
  expect(printed[0]).toContain(`tillage push show ${PLAN.plan} --people`)
  expect(printed[1]).not.toContain('--people')
})

test.each([
  [
    'undo planned',
    'PL-2, which undoes it, is planned; nothing more of it is sent unless PL-2 is discarded',
  ],
  ['undone', 'PL-2 undoes it, and nothing more of it is sent'],
] as const)('a plan that is %s says what its undo means for it', (state, says) => {
  const printed: string[] = []
  const print = (text: string): void => void printed.push(text)
  const plan: PlanDocument = { ...PLAN, state, undoneBy: 'PL-2' }
  printPushPlan(plan, { json: false, print, progress: () => {}, log: () => {} })
  const [title, ...rest] = printed.join('\n').split('\n')
  expect(title).toBe(`Plan PL-20270101-00000001: push of vendors, ${state}`)
  expect(rest.join(' ').replaceAll(/\s+/g, ' ')).toContain(says)
})

test('a store that failed is named at the top, with the reason', () => {
  const printed: string[] = []
  const print = (text: string): void => void printed.push(text)
  const error = { code: 'PARTNER_KEYS', message: 'GET /api/v1/partner/products answered 401' }
  const [downtown] = PLAN.stores
  const stores = [downtown!, { ...downtown!, store: 'harbor', error, counts: {}, operations: [] }]
  const plan = { ...PLAN, state: 'incomplete', stores } as unknown as PlanDocument
  printPushPlan(plan, { json: false, print, progress: () => {}, log: () => {} })
  const [title, failure] = printed.join('\n').split('\n')
  expect(title).toContain('incomplete')
  expect(failure).toContain('harbor failed: PARTNER_KEYS: GET /api/v1/partner/products answered')
  expect(printed.join('\n')).toContain('harbor: failed; nothing to do')
  expect(printed.join('\n')).not.toContain('downtown: failed')
})

test('a plan of which nobody knows whether something arrived says what a person can do', () => {
  const [downtown] = PLAN.stores
  const unknown = { ...downtown!.operations[0]!, id: 'op-7', state: 'unknown' as const }
  const plan = {
    ...PLAN,
    state: 'incomplete' as const,
    stores: [{ ...downtown!, operations: [unknown] }],
  }
  const printed: string[] = []
  const print = (text: string): void => void printed.push(text)
  printPushPlan(plan, { json: false, print, progress: () => {}, log: () => {} })
  expect(printed.join('\n')).toContain(`tillage push apply ${PLAN.plan} looks for it again`)
  expect(printed.join('\n')).toContain(
    `tillage push resolve ${PLAN.plan} op-7 --sent ID --by NAME, or --not-sent`,
  )
})

test('a plan asks for the approval that allows something of it, or for none', () => {
  const error = { code: 'LIST_MOVED', message: 'the list of vendors changed during every reading' }
  const nextOf = (stores: PlanDocument['stores']): string[] => {
    const printed: string[] = []
    const print = (text: string): void => void printed.push(text)
    printPushPlan(
      { ...PLAN, state: 'planned', stores },
      { json: false, print, progress: () => {}, log: () => {} },
    )
    return printed.join('\n').match(/Next: .*/g) ?? []
  }
  const [downtown] = PLAN.stores
  const [operation] = downtown!.operations
  const open = { ...downtown!, operations: [{ ...operation!, state: 'planned' as const }] }
  const plain = { ...operation!, approval: 'none', state: 'planned' } as const
  const both = { ...downtown!, operations: [...open.operations, plain] }
  const approve = `Next: tillage push approve ${PLAN.plan} --by NAME`
  expect(nextOf([open])).toEqual([`${approve} --guarded all`])
  expect(nextOf([both])).toEqual([approve])
  expect(nextOf([{ ...downtown!, error, operations: [] }])).toEqual([])
})
