import { setTimeout as pause } from 'node:timers/promises'
import { auditFolder, seal } from '../audit/folder.ts'
import type { StoreApi } from '../audit/store-api.ts'
import { fromIso, toIso } from '../calendar/days.ts'
import type {
  Approval,
  OperationState,
  OutboundOperation,
  OutboundStore,
} from '../connectors/destination/outbound.ts'
import { TillageError, UsageError } from '../errors.ts'
import { isApproved, judgeApproval, nameKey, validApprovals } from '../outbound/approval.ts'
import type { ApprovalRules, AskedApproval } from '../outbound/approval.ts'
import { restoreReceipts, writeReceipt } from '../outbound/receipt.ts'
import { carryOut, sendAgain } from '../outbound/send.ts'
import { SEND_RULES } from '../outbound/sending.ts'
import type { Sending } from '../outbound/sending.ts'
import { removeLeftovers } from '../outbound/write-once.ts'
import { asNumber, factsOf } from './operation-facts.ts'
import type { OperationFacts } from './operation-facts.ts'
import { openPlan, receiptsFolder } from './plan-files.ts'
import type { KeptPlan } from './plan-files.ts'
import { barredApprovers } from './plan.ts'
import { createWrite, onWire } from './post.ts'
import type { Posting } from './post.ts'
import type { ReconcileSettings } from './settings.ts'
import { verifyPosting } from './verify-posting.ts'

/** What carrying plans out takes; the composition root gives it. */
export interface Reconciling {
  store: OutboundStore
  settings: ReconcileSettings
  exports: string
  now(): number
  /** The API of a store, under the governor that everything else of it uses. */
  api(store: string, signal: AbortSignal): StoreApi
}

export const rulesOf = (
  { document, hash }: KeptPlan,
  { approvers, approvalValidSeconds }: ReconcileSettings,
): ApprovalRules => ({
  hash,
  required: document.requiredApprovals,
  validMs: approvalValidSeconds * 1000,
  approvers,
  barred: barredApprovers(document),
})

/** Records an approval, or throws why it is not allowed (INV-8). */
export async function approvePlan(
  { store, settings }: Reconciling,
  kept: KeptPlan,
  asked: AskedApproval,
): Promise<void> {
  const rules = rulesOf(kept, settings)
  const { plan } = kept.document
  for (;;) {
    const given = await store.approvals(plan)
    const judged = judgeApproval(rules, given, asked)
    // The same request once more: the process that recorded it died before it could say so.
    if (!judged.allowed && judged.reason === 'again' && isRecorded(given, asked)) return
    if (!judged.allowed)
      throw new TillageError('NOT_ALLOWED', judged.why, {
        remedy: 'Nothing was recorded. tillage reconcile show tells who has approved so far.',
      })
    const at = toIso(asked.atMs)
    const { name: by, role } = judged.approver
    const approval = { plan, by, role, at, hash: rules.hash, facts: {} }
    if (!(await store.approve(approval, given.length))) continue
    await store.note({ plan, op: null, at, event: 'approved', by, detail: role })
    return
  }
}

const isRecorded = (given: readonly Approval[], { by, atMs }: AskedApproval): boolean =>
  given.some(one => nameKey(one.by) === nameKey(by) && fromIso(one.at) === atMs)

const UNDONE: ReadonlySet<OperationState> = new Set(['planned', 'failed', 'submitted', 'unknown'])
const TO_SEND: ReadonlySet<OperationState> = new Set(['planned', 'failed'])

/** Throws where something would be sent that nobody, or not enough people, allow now. */
export async function findWork(
  reconciling: Reconciling,
  plan: string,
  startedMs: number,
): Promise<string[]> {
  const { store, settings } = reconciling
  const kept = await openPlan(store, plan)
  const operations = await store.operations(plan)
  await finishReceipts(reconciling, kept, operations)
  const undone = operations.filter(operation => isUndone(operation))
  if (!undone.some(({ state }) => TO_SEND.has(state))) return undone.map(({ op }) => op)
  const rules = rulesOf(kept, settings)
  const given = await store.approvals(plan)
  if (isApproved(rules, given, startedMs)) return undone.map(({ op }) => op)
  const valid = validApprovals(rules, given, startedMs).length
  const expired = given.length > valid
  throw new TillageError(
    'NOT_APPROVED',
    `${plan} needs ` +
      `${rules.required === 1 ? 'an approval' : 'the approval of two different people'}, ` +
      `and has ${valid}${expired ? ` that counts; ${given.length - valid} expired` : ''}`,
    {
      remedy:
        'Nothing was sent. Look at the plan, then: ' +
        `tillage reconcile approve ${plan} --by NAME`,
    },
  )
}

/** Also one that is confirmed, where a crash came before it was verified. */
const isUndone = (operation: OutboundOperation): boolean =>
  UNDONE.has(operation.state) ||
  (operation.state === 'confirmed' && factsOf(operation).verifiedAt === undefined)

/** Brings one operation as far as it goes, verifies it and writes its receipt. */
export async function carryOutOperation(
  reconciling: Reconciling,
  plan: string,
  op: string,
  signal: AbortSignal,
): Promise<OperationState> {
  const work = await openWork(reconciling, plan, op, signal)
  const { operation } = work.posting
  const decided = factsOf(operation).resolution
  const isAsked = operation.state === 'unknown' && decided !== undefined
  if (isAsked && decided.as !== 'retry') await decide(work, decided)
  else if (isAsked) {
    await forget(work)
    await sendAgain(work.sending, await work.current(), decided)
  } else await carryOut(work.sending, operation)
  return finish(work)
}

interface OpenWork {
  reconciling: Reconciling
  kept: KeptPlan
  posting: Posting
  sending: Sending
  current(): Promise<OutboundOperation>
}

async function openWork(
  reconciling: Reconciling,
  plan: string,
  op: string,
  signal: AbortSignal,
): Promise<OpenWork> {
  const { store, settings, now } = reconciling
  const kept = await openPlan(store, plan)
  const operation = await store.operation(plan, op)
  if (operation === undefined)
    throw new TillageError('NOT_ALLOWED', `${plan} has no operation ${op}`, {
      remedy: `Operations are: ${kept.document.operations.map(one => one.op_id).join(', ')}.`,
    })
  const api = reconciling.api(kept.document.store, signal)
  const posting: Posting = { api, store, document: kept.document, operation, now, signal }
  const sending: Sending = {
    store,
    now,
    sleep: ms => pause(ms, undefined, { signal }),
    write: createWrite(posting),
    rules: { ...SEND_RULES, patienceMs: settings.patienceSeconds * 1000 },
  }
  const current = async (): Promise<OutboundOperation> => (await store.operation(plan, op))!
  return { reconciling, kept, posting, sending, current }
}

type Decision = NonNullable<OperationFacts['resolution']>

/** A person has looked: it is there, or it is given up. Found in the history counts more. */
async function decide(work: OpenWork, { as, by, reason }: Decision): Promise<void> {
  const { store, operation, now } = work.posting
  const found = await work.sending.write.search()
  const { plan, op } = operation
  const to = as === 'confirm' || found.kind === 'found' ? 'confirmed' : 'abandoned'
  const facts = found.kind === 'found' ? found.facts : {}
  const event = found.kind === 'found' ? 'found' : to
  await store.move({
    plan,
    op,
    from: ['unknown'],
    to,
    facts: { ...facts, resolution: undefined },
    at: toIso(now()),
    event,
    by,
    detail: reason,
  })
}

/** Carried out once: a crash after this asks the person again. */
async function forget({ posting: { store, operation, now } }: OpenWork): Promise<void> {
  const { plan, op } = operation
  const at = toIso(now())
  const facts = { resolution: undefined }
  const [from, to] = [['unknown'] as const, 'unknown' as const]
  await store.move({ plan, op, from, to, facts, at, event: 'retry begins', detail: '' })
}

const WITH_RECEIPT: ReadonlySet<OperationState> = new Set(['confirmed', 'rejected', 'abandoned'])

/** Everything that was sent has a receipt once nothing more comes of it. */
const needsReceipt = (operation: OutboundOperation): boolean =>
  WITH_RECEIPT.has(operation.state) && factsOf(operation).sent !== undefined && !isUndone(operation)

/** Receipts whose process died before they were written, in the database, as a file, or sealed. */
async function finishReceipts(
  reconciling: Reconciling,
  kept: KeptPlan,
  operations: readonly OutboundOperation[],
): Promise<void> {
  const { exports } = reconciling
  const { store, audit, plan } = kept.document
  const folder = auditFolder(exports, store, audit)
  removeLeftovers(folder.path, Date.now())
  restoreReceipts(await reconciling.store.receipts(plan))
  const due = operations.filter(needsReceipt)
  for (const operation of due) await keepReceipt(reconciling, kept, operation)
  if (due.length > 0) await seal(reconciling.store, folder)
}

async function finish(work: OpenWork): Promise<OperationState> {
  const { reconciling, kept, posting } = work
  const { store } = reconciling
  let operation = await work.current()
  const wasSent = factsOf(operation).sent !== undefined
  if (operation.state === 'confirmed' && factsOf(operation).verifiedAt === undefined && wasSent) {
    const facts = await verifyPosting(posting, operation)
    const { plan, op } = operation
    const at = toIso(reconciling.now())
    const detail = (facts.discrepancies ?? [])
      .map(one => `${one.batch_id}: ${one.discrepancy}`)
      .join('; ')
    const [from, to] = [['confirmed'] as const, 'confirmed' as const]
    await store.move({ plan, op, from, to, facts: { ...facts }, at, event: 'verified', detail })
    operation = await work.current()
  }
  if (needsReceipt(operation)) await keepReceipt(reconciling, kept, operation)
  await seal(store, auditFolder(reconciling.exports, kept.document.store, kept.document.audit))
  return operation.state
}

async function keepReceipt(
  { store, settings }: Reconciling,
  kept: KeptPlan,
  operation: OutboundOperation,
): Promise<void> {
  const facts = factsOf(operation)
  const given = await store.approvals(operation.plan)
  const rules = rulesOf(kept, settings)
  const approvers = validApprovals(rules, given, fromIso(facts.sentAt!)).map(({ by }) => by)
  await writeReceipt(store, receiptsFolder(kept.path), {
    plan_id: operation.plan,
    op_id: operation.op,
    token: operation.token,
    before: facts.before ?? [],
    sent: onWire(facts.sent!),
    after: facts.after ?? [],
    at: facts.sentAt,
    approved_by: approvers,
    request_no: asNumber(facts.requestNo),
    reconciliation_id: facts.reconciliationId ?? null,
  })
}

/** Who decides about a parked operation, and why, is written down before anything is done. */
export async function askResolution(
  { store, now }: Pick<Reconciling, 'store' | 'now'>,
  { plan, op }: { plan: string; op: string },
  { as, by, reason }: Omit<Decision, 'at'>,
): Promise<void> {
  if (by.trim() === '')
    throw new UsageError('a decision needs the name of a person', 'Give it with --by.')
  if (reason.trim() === '')
    throw new UsageError('a decision needs a reason', 'Give it with --reason.')
  const at = toIso(now())
  const resolution: Decision = { as, by: by.trim(), reason, at }
  const facts = { resolution }
  const [from, to] = [['unknown'] as const, 'unknown' as const]
  const event = `resolved as ${as}`
  const step = { plan, op, from, to, facts, at, event, by: by.trim(), detail: reason }
  if (await store.move(step)) return
  const stands = (await store.operation(plan, op))?.state
  if (stands === undefined)
    throw new UsageError(`${plan} has no operation ${op}`, 'tillage reconcile show lists them.')
  throw new TillageError('NOT_ALLOWED', `${op} of ${plan} is ${stands}, not unknown`, {
    remedy:
      'Only what is parked as unknown is decided by a person. ' +
      'tillage reconcile show tells how each stands.',
  })
}
