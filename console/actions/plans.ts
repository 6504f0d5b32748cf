import { MEANS } from '../../reconcile/show-plan.ts'
import { flagsOf, signed, REASON } from './action.ts'
import type { Action } from './action.ts'

const PLAN = { name: 'plan', kind: 'hidden', needed: true, isId: true } as const
const HASH = { name: 'hash', kind: 'hidden', needed: true } as const
const OPERATION = { name: 'op', kind: 'shown', label: 'Operation' } as const
const RECORD = { name: 'record', kind: 'shown', label: 'Record' } as const

interface Approval {
  name: string
  title: string
  effect?: string
  options?: readonly string[]
}

const ALLOWS = 'Allows what this page shows, by its hash. Nothing is sent yet.'

/** Allows what the page showed; without `options`, what is guarded stays unapproved. */
const approval = (
  role: Action['role'],
  family: 'push' | 'reconcile',
  { options = [], ...named }: Approval,
): Action => ({
  effect: ALLOWS,
  ...named,
  role,
  isApproval: true,
  asksPassword: true,
  namesPerson: true,
  fields: [PLAN, HASH],
  command: given => [
    family,
    'approve',
    given.value('plan'),
    ...flagsOf(given, 'hash'),
    ...options,
    '--by',
    given.by,
  ],
})

/** What is said of a plan of either kind: that it be made otherwise or not, or be given up. */
const words = (
  role: Action['role'],
  family: 'push' | 'reconcile',
  names: { ask: string; withdraw: string; discard: string },
): Action[] => [
  {
    name: names.ask,
    title: 'Ask for changes',
    effect:
      'Nobody approves it, and nothing of it is sent, until it is planned anew or you take this back.',
    role,
    namesPerson: true,
    fields: [PLAN, { name: 'reason', kind: 'text', label: 'What should be otherwise' }],
    command: given => [family, 'ask-changes', given.value('plan'), ...signed(given)],
  },
  {
    name: names.withdraw,
    title: 'Take the request back',
    effect: 'For whoever asked for changes. Approvals of before count again.',
    role,
    isWithdrawal: true,
    namesPerson: true,
    fields: [PLAN],
    command: given => [family, 'withdraw-request', given.value('plan'), '--by', given.by],
  },
  {
    name: names.discard,
    title: 'Give it up',
    effect: 'What was not sent is never sent. Your reason stays with the plan.',
    role,
    namesPerson: true,
    fields: [PLAN, REASON],
    command: given => [family, 'discard', given.value('plan'), ...signed(given)],
  },
]

/** Decisions about a plan that sends a catalog. */
const PUSHES: readonly Action[] = [
  {
    name: 'show-push-people',
    title: 'Show what is hidden',
    effect:
      'Shows you alone what tells who people are. That you looked, and why, is in the audit log.',
    role: 'operator',
    tellsOfPeople: true,
    fields: [PLAN, REASON],
    command: given => ['push', 'show', given.value('plan'), '--people'],
  },
  approval('operator', 'push', { name: 'approve-push', title: 'Approve it' }),
  approval('operator', 'push', {
    name: 'approve-guarded',
    title: 'Approve it with all that is guarded',
    effect: 'Allows everything that this page shows, guarded changes too. Nothing is sent yet.',
    options: ['--guarded', 'all'],
  }),
  ...words('operator', 'push', {
    ask: 'ask-push',
    withdraw: 'withdraw-push-request',
    discard: 'discard-push',
  }),
  {
    name: 'apply-push',
    title: 'Send what was approved',
    effect: 'Each record is read again, sent once, and read back. What changed since is left out.',
    role: 'operator',
    asksPassword: true,
    fields: [PLAN],
    command: given => ['push', 'apply', given.value('plan')],
  },
  {
    name: 'undo-push',
    title: 'Plan its undoing',
    effect:
      'Makes a plan that brings back what was before. It is approved and sent like any other.',
    role: 'operator',
    makesPlan: true,
    fields: [PLAN],
    command: given => ['push', 'undo', given.value('plan')],
  },
  {
    name: 'push-arrived',
    title: 'It arrived',
    effect: 'The operation counts as sent; the record with this id is what it made or changed.',
    role: 'operator',
    asksPassword: true,
    namesPerson: true,
    fields: [PLAN, OPERATION, RECORD, { name: 'id', kind: 'text', label: 'Id of the record' }],
    command: given => [
      'push',
      'resolve',
      given.value('plan'),
      given.value('op'),
      '--sent',
      given.value('id'),
      '--by',
      given.by,
    ],
  },
  {
    name: 'push-did-not-arrive',
    title: 'It did not arrive',
    effect: 'The next apply searches once more, and sends it if it is not there.',
    role: 'operator',
    asksPassword: true,
    namesPerson: true,
    fields: [PLAN, OPERATION, RECORD],
    command: given => [
      'push',
      'resolve',
      given.value('plan'),
      given.value('op'),
      '--not-sent',
      '--by',
      given.by,
    ],
  },
]

/** A form that nobody has looked at closely searches once more. */
const SAFE_FIRST = ['retry', 'confirm', 'abandon'] as const

const DECISIONS = `${SAFE_FIRST.map(choice => `${choice}: ${MEANS[choice]}`).join('; ')}.`

/** Decisions about a plan that sends counts. */
const RECONCILIATIONS: readonly Action[] = [
  approval('compliance', 'reconcile', { name: 'approve-counts', title: 'Approve it' }),
  ...words('compliance', 'reconcile', {
    ask: 'ask-counts',
    withdraw: 'withdraw-counts-request',
    discard: 'discard-counts',
  }),
  {
    name: 'apply-counts',
    title: 'Send the counts',
    effect: 'Each room is sent once and looked for in the history. Lots that moved are left out.',
    role: 'compliance',
    asksPassword: true,
    fields: [PLAN],
    command: given => ['reconcile', 'apply', given.value('plan')],
  },
  {
    name: 'resolve-counts',
    title: 'Decide about it',
    effect: `Records your decision about an operation of which nobody knows whether it arrived. ${DECISIONS}`,
    role: 'compliance',
    asksPassword: true,
    namesPerson: true,
    fields: [
      PLAN,
      OPERATION,
      { name: 'as', kind: 'choice', label: 'Decision', choices: SAFE_FIRST },
      { name: 'reason', kind: 'text', label: 'What you found on the platform' },
    ],
    command: given => [
      'reconcile',
      'resolve',
      given.value('plan'),
      given.value('op'),
      ...flagsOf(given, 'as'),
      ...signed(given),
    ],
  },
]

/** What is decided about plans: approve, ask for changes, send, give up, undo, resolve. */
export const PLANS: readonly Action[] = [...PUSHES, ...RECONCILIATIONS]
