import type { Approval } from '../connectors/destination/outbound.ts'

/** Somebody who may approve, from `tillage.yaml`. */
export interface Approver {
  name: string
  role: string
}

/** Names are compared as people mean them: without case, blanks, or how an accent is composed. */
export const nameKey = (name: string): string =>
  name.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim()

export interface ApprovalRules {
  /** sha256 of the plan document. */
  hash: string
  /** How many different people it takes. */
  required: number
  /** Older approvals are expired when the sending begins. */
  validMs: number
  /** Who may approve; undefined = anybody who gives a name. */
  approvers?: readonly Approver[]
  /** Who may not, and why: the only counter of a line. Keys as of `nameKey`. */
  barred?: ReadonlyMap<string, string>
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
      `the hash ${hash} is not that of the plan, which is ${rules.hash}: look at the plan again`,
    )
  const key = nameKey(by)
  if (key === '') return refuse('person', 'an approval needs the name of a person')
  const approver =
    rules.approvers === undefined
      ? { name: by.trim(), role: '' }
      : rules.approvers.find(({ name }) => nameKey(name) === key)
  if (approver === undefined)
    return refuse(
      'person',
      `${by.trim()} may not approve; ` +
        `${listOf(rules.approvers!.map(({ name }) => name))} may (approvers in tillage.yaml)`,
    )
  const barred = rules.barred?.get(key)
  if (barred !== undefined) return refuse('person', barred)
  if (validApprovals(rules, given, atMs).some(approval => nameKey(approval.by) === key))
    return refuse('again', `${approver.name} has approved this plan already`)
  return { allowed: true, approver }
}

/** The approvals that count at a time: of this document, of people who may, and not expired. */
export function validApprovals(
  { hash, validMs, approvers }: ApprovalRules,
  given: readonly Approval[],
  atMs: number,
): Approval[] {
  const known = approvers?.map(({ name }) => nameKey(name))
  return given.filter(
    approval =>
      approval.hash === hash &&
      Date.parse(approval.at) + validMs > atMs &&
      (known === undefined || known.includes(nameKey(approval.by))),
  )
}

/** Whether enough different people stand behind it. */
export function isApproved(
  rules: ApprovalRules,
  given: readonly Approval[],
  atMs: number,
): boolean {
  const people = new Set(validApprovals(rules, given, atMs).map(({ by }) => nameKey(by)))
  return people.size >= rules.required
}

const listOf = (names: readonly string[]): string =>
  names.length === 0 ? 'nobody is named there, so nobody' : names.join(' and ')
