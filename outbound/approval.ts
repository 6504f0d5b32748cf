import { z } from 'zod'
import { guardedBy } from '../connectors/destination/outbound.ts'
import type { Approval } from '../connectors/destination/outbound.ts'

/**
 * Names are compared as people see them: without case, blanks of any kind, characters that nobody
 * sees, full-width forms, or how an accent is composed.
 */
export const nameKey = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(/[\s\p{Cc}\u2800]+/gu, ' ')
    .trim()

/** Who may approve, in `tillage.yaml`: names and roles, each person once. */
export const approverList = z
  .array(z.strictObject({ name: z.string().trim().min(1), role: z.string().trim().min(1) }))
  .refine(list => new Set(list.map(({ name }) => nameKey(name))).size === list.length, {
    error: 'names somebody twice',
  })
export type Approver = z.infer<typeof approverList>[number]

/** The name that the policy of a schedule approves under; no person has it. */
export const POLICY = 'policy of tillage.yaml'

export interface ApprovalRules {
  /** sha256 of the plan document. */
  hash: string
  /** How many different people it takes. */
  required: number
  /** Older approvals are expired. */
  validMs: number
  /** Who may approve; undefined = anybody who gives a name. */
  approvers?: readonly Approver[] | undefined
  /** Who may not, and why: the only counter of a line. Keys as of `nameKey`. */
  barred?: ReadonlyMap<string, string>
  /** Operations that only an approval which names them allows; such approvals add up. */
  guarded?: ReadonlySet<string>
  /** What the policy approved counts only while the policy of now allows the plan. */
  isAllowedByPolicy?: boolean
}

export interface AskedApproval {
  by: string
  /** What the person looked at; absent where the document itself was given. */
  hash?: string | undefined
  atMs: number
}

export type JudgedApproval =
  | { allowed: true; approver: Approver }
  | { allowed: false; reason: 'hash' | 'person' | 'again'; why: string }

/** Whether a person may approve this plan, now (INV-8). Pure. */
export function judgeApproval(
  rules: ApprovalRules,
  given: readonly Approval[],
  { by, hash, atMs }: AskedApproval,
): JudgedApproval {
  const refuse = (reason: 'hash' | 'person' | 'again', why: string): JudgedApproval => ({
    allowed: false,
    reason,
    why,
  })
  if (hash !== undefined && hash.toLowerCase() !== rules.hash)
    return refuse(
      'hash',
      `the hash ${hash} is not the plan's, which is ${rules.hash}: look at the plan again`,
    )
  const approver = findApprover(rules, by)
  if (typeof approver === 'string') return refuse('person', approver)
  const key = nameKey(by)
  const barred = rules.barred?.get(key)
  if (barred !== undefined) return refuse('person', barred)
  const hasApproved = validApprovals(rules, given, atMs).some(one => nameKey(one.by) === key)
  if (rules.guarded === undefined && hasApproved)
    return refuse('again', `${approver.name} has approved this plan already`)
  return { allowed: true, approver }
}

/** The person by that name, or why nobody is. */
function findApprover({ approvers }: ApprovalRules, by: string): Approver | string {
  const key = nameKey(by)
  if (key === '') return 'an approval needs the name of a person'
  if (key === nameKey(POLICY)) return `"${by.trim()}" is not a person`
  if (approvers === undefined) return { name: by.trim(), role: '' }
  const names = listOf(approvers.map(({ name }) => name))
  return (
    approvers.find(({ name }) => nameKey(name) === key) ??
    `${by.trim()} may not approve; ${names} may (approvers in tillage.yaml)`
  )
}

/** The approvals that count at a time: of this document, of people who may, and not expired. */
export function validApprovals(
  rules: ApprovalRules,
  given: readonly Approval[],
  atMs: number,
): Approval[] {
  const { hash, approvers, isAllowedByPolicy = false } = rules
  const known = approvers?.map(({ name }) => nameKey(name))
  const mayApprove = (by: string): boolean =>
    by === POLICY ? isAllowedByPolicy : known === undefined || known.includes(nameKey(by))
  return given.filter(
    one => one.hash === hash && !isExpired(rules, one, atMs) && mayApprove(one.by),
  )
}

/**
 * Who allows the plan at a time, each once; with `op`, that operation: of a guarded one, who named
 * it.
 */
export function approversOf(
  rules: ApprovalRules,
  given: readonly Approval[],
  atMs: number,
  op?: string,
): string[] {
  const isGuarded = op !== undefined && rules.guarded?.has(op) === true
  const allowing = validApprovals(rules, given, atMs).filter(
    approval => !isGuarded || guardedBy(approval).includes(op),
  )
  return [...new Set(allowing.map(({ by }) => by))]
}

/** Whether enough different people stand behind the plan; with `op`, also behind that operation. */
export function isApproved(
  rules: ApprovalRules,
  given: readonly Approval[],
  atMs: number,
  op?: string,
): boolean {
  const people = new Set(approversOf(rules, given, atMs).map(nameKey))
  return people.size >= rules.required && approversOf(rules, given, atMs, op).length > 0
}

/** What is wrong with the approvals as they are: one of another document, or of no time. */
export function findChangedApproval(hash: string, given: readonly Approval[]): string | undefined {
  const foreign = given.find(approval => approval.hash !== hash)
  if (foreign !== undefined)
    return `the approval of ${foreign.by} is of the hash ${foreign.hash}, and the plan has ${hash}`
  const timeless = given.find(({ at }) => Number.isNaN(Date.parse(at)))
  return timeless === undefined
    ? undefined
    : `the approval of ${timeless.by} has ${JSON.stringify(timeless.at)} for its time`
}

/** What approvals operations that were not sent lack, in words; undefined: none. */
export function lackingApproval(
  rules: ApprovalRules,
  given: readonly Approval[],
  unsent: readonly string[],
  atMs: number,
): string | undefined {
  const lacking = unsent.filter(op => !isApproved(rules, given, atMs, op)).length
  if (lacking === 0) return undefined
  if (isApproved(rules, given, atMs))
    return `an approval of ${lacking} guarded ${lacking === 1 ? 'operation' : 'operations'}`
  if (given.some(one => isExpired(rules, one, atMs)))
    return 'a new approval, because an earlier one has expired,'
  return validApprovals(rules, given, atMs).length === 0 ? 'an approval' : 'a second approval'
}

const isExpired = (
  { validMs }: ApprovalRules,
  { at }: Pick<Approval, 'at'>,
  atMs: number,
): boolean => !(Date.parse(at) + validMs > atMs)

/** Why nothing may be sent: how many approvals count, and what became of the others. */
export function describeMissingApprovals(
  rules: ApprovalRules,
  given: readonly Approval[],
  atMs: number,
): string {
  const valid = validApprovals(rules, given, atMs).length
  const expired = given.filter(one => isExpired(rules, one, atMs)).length
  const others = given.length - valid - expired
  const needed =
    rules.required === 1 ? 'an approval' : `the approval of ${rules.required} different people`
  const lost = [
    ...(expired === 0 ? [] : [`${expired} expired`]),
    ...(others === 0
      ? []
      : [`${others} given by people whom tillage.yaml does not name (any more)`]),
  ]
  return [
    `needs ${needed}, and has ${valid || 'none'}${lost.length === 0 ? '' : ' that counts'}`,
    ...lost,
  ].join('; ')
}

const listOf = (names: readonly string[]): string =>
  names.length === 0 ? 'nobody is named there, so nobody' : names.join(' and ')
