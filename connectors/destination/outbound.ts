import type { RenameLog } from './renames.ts'
import type { ManifestLog } from './written-evidence.ts'

/**
 * What is remembered of writes to the API: plans, who approved them, each operation and how it
 * stands, what happened when, and receipts. A destination implements it; what it answers is on the
 * disk, also if the power fails right after (INV-7). Times are ISO texts in UTC.
 */

/** How an operation stands. Whatever its plan is about, these are all there are. */
export const OPERATION_STATES = [
  /** Not sent yet. */
  'planned',
  /** The write-ahead record: from here on it may have been sent, also if nobody came back. */
  'submitted',
  /** The API has it: its own answer, a search, or a named person says so. */
  'confirmed',
  /** Nobody knows. Parked for a person; never sent again by itself. */
  'unknown',
  /** The API said no; final. */
  'rejected',
  /** Certainly not taken, the API could not be reached or was busy: the next apply sends it. */
  'failed',
  /** What it was planned on has changed since; was not sent; final for this plan. */
  'stale',
  /** There is nothing to send. */
  'unchanged',
  /** A named person gave it up. */
  'abandoned',
] as const
export type OperationState = (typeof OPERATION_STATES)[number]

/**
 * Steps of an operation, and how it stands after them. The last one in its story says how it
 * stands; other events only tell what was seen.
 */
export const STEPS = {
  sent: ['submitted'],
  'sent again': ['submitted'],
  sending: ['submitted'],
  looked: ['submitted'],
  confirmed: ['confirmed'],
  found: ['confirmed'],
  verified: ['confirmed'],
  'not taken': ['failed'],
  rejected: ['rejected'],
  stale: ['stale'],
  unchanged: ['unchanged'],
  parked: ['unknown'],
  resolved: ['failed', 'confirmed'],
  'resolved as confirm': ['unknown'],
  'resolved as retry': ['unknown'],
  'resolved as abandon': ['unknown'],
  'retry begins': ['unknown'],
  abandoned: ['abandoned'],
  'not sent': ['abandoned'],
} as const satisfies Record<string, readonly OperationState[]>
export type Step = keyof typeof STEPS

/** An operation that stands otherwise than the last step of its story says. */
export interface StrayOperation {
  plan: string
  op: string
  state: string
  /** Null: its story has none. */
  step: Step | null
  hasReceipt: boolean
}

/** `op-1 of PL-1 is marked as confirmed, and by its story it was never sent; it has no receipt`. */
export const describeStray = ({ plan, op, state, step, hasReceipt }: StrayOperation): string =>
  `${op} of ${plan} is marked as ${state}, and by its story ` +
  (step === null ? 'it was never sent' : `it was ${step} last`) +
  (hasReceipt ? '' : '; it has no receipt')

/** The event of a plan whose database came back from a backup, or on a standby, before its end. */
export const RESTORED = 'restored'

/** Facts of a plan or an operation: what its kind needs, as JSON. Never a secret. */
export type Facts = Readonly<Record<string, unknown>>

export interface OutboundPlan {
  plan: string
  kind: 'reconcile' | 'push'
  /** sha256 of the plan document's bytes, from which alone is made what is sent. */
  hash: string
  createdAt: string
  /** What lists of plans show, and where the document lies; nothing that decides what is sent. */
  facts: Facts
}

export interface OutboundOperation {
  plan: string
  op: string
  /** Travels with the operation and can be searched for; the same when it is sent again. */
  token: string
  state: OperationState
  /** How often it was recorded as being sent. */
  attempt: number
  changedAt: string
  /** What was seen, sent and answered. */
  facts: Facts
}

export interface Approval {
  plan: string
  by: string
  role: string
  at: string
  /** Of the document that was approved. */
  hash: string
  /** Who sat where, whatever name was given: `user@machine`. */
  origin: string
  facts: ApprovalFacts
}

/** Of pushes: `guarded`, the operations that it names. */
export type ApprovalFacts = Facts & { guarded?: readonly string[] }

/** The guarded operations that an approval names. */
export function guardedBy({ facts: { guarded } }: Pick<Approval, 'facts'>): readonly string[] {
  // Whoever writes the row by hand may write anything.
  return Array.isArray(guarded) ? (guarded as readonly string[]) : []
}

/**
 * One process that carries a plan out, or settles it. It is over when it has ended, when its
 * process is gone, and when another run has begun.
 */
export interface OutboundRun {
  plan: string
  run: string
  act: 'apply' | 'resolve' | 'undo' | 'due' | 'discard' | 'ask changes'
  /** Of the operating system. */
  user: string
  host: string
  pid: number
  /** As the system tells it, where it does: a pid alone is reused. */
  processStartedAt: string | null
  startedAt: string
  /** Renewed while the process lives. */
  aliveUntil: string
  endedAt: string | null
  /** Null while it is under way, and where its process died. */
  outcome: RunOutcome | null
}
export type RunOutcome = 'done' | 'stopped' | 'failed'

/** A line of the journal: what happened to a plan, or to one of its operations. */
export interface OutboundEvent {
  plan: string
  op: string | null
  at: string
  event: string
  by: string | null
  detail: string
}

/** One step of an operation. It happens only if the operation still stands as it is said here. */
export interface Transition {
  plan: string
  op: string
  from: readonly OperationState[]
  /** Where another attempt has begun since, nothing happens. */
  attempt?: number
  to: OperationState
  /**
   * This step is a sending of that run: the attempt is counted. Nothing happens where the run has
   * ended, or another one of the plan has begun since.
   */
  sendsIn?: string
  /** The store that it is sent to, which the run has locked. */
  writesTo?: string
  /** Merged into the operation's facts. */
  facts?: Facts
  at: string
  event: Step
  by?: string
  detail: string
}

/** A receipt as it was written; `body` are the file's bytes. */
export interface StoredReceipt {
  plan: string
  seq: number
  op: string
  sha256: string
  previousSha256: string | null
  body: string
}

/** A file of a plan, as it was written. */
export interface PlanDocument {
  /** Below the folder of all plans. */
  folder: string
  name: string
  bytes: Buffer
}

/** Files of plans, kept before their plan is: who knows a plan finds all of them. */
export interface PlanDocuments {
  /** Once: one that is there already stays as it is. */
  keep(document: PlanDocument): Promise<void>
  names(folder: string): Promise<string[]>
  read(folder: string, name: string): Promise<Buffer | undefined>
}

/** The same without what is no table everywhere. */
export type OutboundTables = Omit<OutboundStore, 'lockStore'>

export interface OutboundStore extends ManifestLog, RenameLog {
  /** Undefined: one machine alone works with the database, and has the files on its disk. */
  readonly documents: PlanDocuments | undefined
  /**
   * A plan and its operations, with what its making means for another plan, whole or not at all.
   * The same plan again changes nothing.
   */
  savePlan(
    plan: OutboundPlan,
    operations: readonly OutboundOperation[],
    event?: OutboundEvent,
  ): Promise<void>
  plan(id: string): Promise<OutboundPlan | undefined>
  /** Newest first. */
  plans(kind: OutboundPlan['kind']): Promise<OutboundPlan[]>
  /**
   * Ids of the plans of which anything may be open: an operation in one of these states, a last run
   * of these acts that did not end as done, or a stray operation. Of all others nobody needs to
   * look at each operation.
   */
  openPlans(
    states: Iterable<OperationState>,
    acts: Iterable<OutboundRun['act']>,
  ): Promise<ReadonlySet<string>>
  operations(plan: string): Promise<OutboundOperation[]>
  operation(plan: string, op: string): Promise<OutboundOperation | undefined>
  /** Operations that no step of ours has brought to where they stand. */
  strayOperations(plan: string): Promise<StrayOperation[]>
  approvals(plan: string): Promise<Approval[]>
  /** Those that the audit log has no entry of, or only an older one: no command wrote them so. */
  unloggedApprovals(plan: string): Promise<Approval[]>
  /** Adds an approval to those that were there; answers false where `before` is not all of them. */
  approve(approval: Approval, before: number): Promise<boolean>
  /** Of a plan, oldest first. */
  runs(plan: string): Promise<OutboundRun[]>
  /** Answers false where a run has begun since `after`, which was the newest one (null: none). */
  beginRun(run: OutboundRun, after: string | null): Promise<boolean>
  /** Answers false where the run has ended, or another one has begun. */
  renewRun(run: string, aliveUntil: string): Promise<boolean>
  /** Changes nothing where it has ended before. */
  endRun(run: string, endedAt: string, outcome: RunOutcome): Promise<void>
  /**
   * Compare and set: answers false, and changes nothing, where the operation has moved on. A
   * sending of a run that has lost a store that it locked fails with WRITES_TAKEN_OVER.
   */
  move(step: Transition): Promise<boolean>
  /**
   * The right to write to a store, for one run at a time on all machines. Waits until nobody has
   * it; `waiting` is called meanwhile, and may throw. Who is gone loses it; where several machines
   * work with the database, so does who sleeps for long, once another one wants it.
   */
  lockStore(
    asked: { store: string; run: string },
    waiting: () => void,
  ): Promise<{ release(): Promise<void> }>
  note(event: OutboundEvent): Promise<void>
  events(plan: string): Promise<OutboundEvent[]>
  receipts(plan: string): Promise<StoredReceipt[]>
  /** The receipt of an operation, and where the plan's chain ends. */
  receipt(plan: string, op: string): Promise<StoredReceipt | undefined>
  lastReceipt(plan: string): Promise<StoredReceipt | undefined>
  /** Adds one after the plan's last; answers false where that is another one by now. */
  addReceipt(
    receipt: StoredReceipt,
    last: Pick<StoredReceipt, 'sha256'> | undefined,
  ): Promise<boolean>
  close(): Promise<void>
}
