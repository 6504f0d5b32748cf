import type { Config } from '../../config.ts'
import { describeInterrupted } from '../../outbound/run.ts'
import { isUnexplained } from '../../reconcile/operation-facts.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import { saidOf, showPlan } from '../../reconcile/show-plan.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'
import { inSentences } from '../../reconcile/story.ts'
import type { Context } from '../command.ts'
import { countsReaderOf } from '../plans/load-plans.ts'
import type { CountsReader } from '../plans/load-plans.ts'
import { withOutbound } from '../plans/with-outbound.ts'
import { formatTable } from '../terminal/table.ts'

/** Reconciliations without Temporal, for the time of one action. */
export const withReconciling = <Answer>(
  config: Config,
  action: (reader: CountsReader) => Promise<Answer>,
): Promise<Answer> => withOutbound(config, outbound => action(countsReaderOf({ config, outbound })))

/** What is shown of a plan after anything was done to it. */
export const shownNow = ({ config }: Context, kept: KeptPlan): Promise<ShownPlan> =>
  withReconciling(config, reader => showPlan(reader, kept))

/** Something that somebody has to look at. */
const TROUBLE: ReadonlySet<string> = new Set([
  'unknown',
  'stale',
  'rejected',
  'failed',
  'submitted',
])

export const hasTrouble = ({ operations, lines }: ShownPlan): boolean =>
  [...operations, ...lines].some(({ state }) => TROUBLE.has(state)) || lines.some(isUnexplained)

export function printReconcilePlan({ terminal }: Context, shown: ShownPlan): void {
  terminal.print(terminal.json ? JSON.stringify(shown) : describe(shown))
}

function describe(shown: ShownPlan): string {
  const { plan, state, store, audit, operations, lines, story, receipts, interrupted } = shown
  const named = lines.filter(line => line.discrepancy !== null || line.state === 'stale')
  return [
    `${plan} of ${store}, audit ${audit}: ${state}. Times are UTC.`,
    '',
    ...inSentences(story),
    ...(operations.length === 0
      ? ['', 'Nothing differs, so there is nothing to send.']
      : ['', operationsTable(shown)]),
    ...(named.length === 0 ? [] : ['', ...named.map(describeLine)]),
    ...(interrupted === null
      ? []
      : ['', `${describeInterrupted(interrupted)}. To go on: tillage reconcile apply ${plan}`]),
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
  `${line.product}, lot ${line.batch_sku} in ${line.room}: ${saidOf(line)}`

const describeChoices = ({ op_id, error, choices }: ShownPlan['operations'][number]): string[] => [
  '',
  `${op_id}: it is unknown whether it was taken (${error ?? ''}). It is not sent again by itself.`,
  ...choices.map(({ choice, means, command }) => `  ${choice}: ${means}\n    ${command}`),
]
