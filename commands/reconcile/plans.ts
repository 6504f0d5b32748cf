import { personKey } from '../../activities/reconcile.ts'
import type { Config } from '../../config.ts'
import { migrate, openOutboundStore } from '../../connectors/database.ts'
import type { OutboundStore } from '../../connectors/destination/outbound.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { nameKey } from '../../outbound/approval.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import { barredApprovers } from '../../reconcile/plan.ts'
import { showPlan } from '../../reconcile/show-plan.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'
import { inSentences } from '../../reconcile/story.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import { updateWorkflow } from '../../temporal/update-workflow.ts'
import { startWorker } from '../../worker.ts'
import { reconcileId } from '../../workflows/ids.ts'
import type { ReconcilePlanInput } from '../../workflows/reconcile-plan.ts'
import type { Context } from '../command.ts'
import { formatTable } from '../terminal/table.ts'

/** The bookkeeping of plans, for the time of one action. */
export async function withOutbound<Answer>(
  { database }: Config,
  action: (store: OutboundStore) => Promise<Answer>,
): Promise<Answer> {
  await migrate(database, streams)
  const store = openOutboundStore(database)
  try {
    return await action(store)
  } finally {
    await store.close()
  }
}

/**
 * Sends an update to the plan's workflow, which is started where it does not run. Ctrl-C stops what
 * sends, between two operations; an approval is recorded at once.
 */
export async function updatePlan<Answer>(
  { config, terminal, signal }: Context,
  kept: KeptPlan,
  update: 'approve' | 'apply' | 'resolve',
  argument: object,
): Promise<Answer> {
  const worker: RunningWorker = await startWorker(config, terminal.progress)
  const workflowId = reconcileId(kept.document.plan)
  const input = inputOf(config, kept)
  const isBrief = update === 'approve'
  try {
    return await updateWorkflow<Answer>(
      worker,
      { type: 'reconcilePlan', workflowId, input, update, argument, isBrief },
      signal,
    )
  } finally {
    await worker.close()
  }
}

const inputOf = (config: Config, kept: KeptPlan): ReconcilePlanInput => ({
  plan: kept.document.plan,
  hash: kept.hash,
  approvers: approverKeys(config, kept),
})

/** Who may approve a plan, by the configuration of now. */
export function approverKeys({ reconcile }: Config, { document }: KeptPlan): string[] {
  const barred = barredApprovers(document)
  return reconcile.approvers
    .filter(({ name }) => !barred.has(nameKey(name)))
    .map(({ name }) => personKey(name))
}

/** What is shown of a plan after anything was done to it. */
export const shownNow = ({ config }: Context, kept: KeptPlan): Promise<ShownPlan> =>
  withOutbound(config, store => showPlan(store, kept, config.reconcile, Date.now()))

/** Something that somebody has to look at. */
const TROUBLE: ReadonlySet<string> = new Set([
  'unknown',
  'stale',
  'rejected',
  'failed',
  'submitted',
])

export const hasTrouble = ({ operations, lines }: ShownPlan): boolean =>
  [...operations, ...lines].some(({ state }) => TROUBLE.has(state))

export function printReconcilePlan({ terminal }: Context, shown: ShownPlan): void {
  terminal.print(terminal.json ? JSON.stringify(shown) : describe(shown))
}

function describe(shown: ShownPlan): string {
  const { plan, state, store, audit, operations, lines, story, receipts } = shown
  const named = lines.filter(line => line.discrepancy !== null || line.state === 'stale')
  return [
    `${plan} of ${store}, audit ${audit}: ${state}. Times are UTC.`,
    '',
    ...inSentences(story),
    ...(operations.length === 0
      ? ['', 'Nothing differs, so there is nothing to send.']
      : ['', operationsTable(shown)]),
    ...(named.length === 0 ? [] : ['', ...named.map(describeLine)]),
    ...operations.filter(({ choices }) => choices.length > 0).flatMap(describeChoices),
    ...(receipts.length === 0 ? [] : ['', `receipts: ${receipts.at(-1)!.path} and before it`]),
  ].join('\n')
}

const operationsTable = ({ operations, lines }: ShownPlan): string =>
  formatTable(
    ['operation', 'room', 'lines', 'state', 'request', 'reconciliation'],
    operations.map(({ op_id, room, state, request_no, reconciliation_id }) => [
      op_id,
      room,
      lines.filter(line => line.op_id === op_id).length,
      state,
      String(request_no ?? ''),
      reconciliation_id ?? '',
    ]),
  )

const describeLine = (line: ShownPlan['lines'][number]): string =>
  `${line.product}, lot ${line.batch_sku} in ${line.room}: ${line.discrepancy ?? line.error ?? ''}`

const describeChoices = ({ op_id, error, choices }: ShownPlan['operations'][number]): string[] => [
  '',
  `${op_id}: nobody knows whether it was taken (${error ?? ''}). It is not sent again by itself.`,
  ...choices.map(({ choice, means, command }) => `  ${choice}: ${means}\n    ${command}`),
]
