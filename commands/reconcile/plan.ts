import { plannedJson } from '../../reconcile/describe-plan.ts'
import { makePlan, openCounts } from '../../reconcile/make-plan.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import { countRooms, describeWorth } from '../../reconcile/plan.ts'
import { openAuditStore } from '../audit/audit-store.ts'
import { describeCountsError } from '../audit/counts-error.ts'
import type { Context } from '../command.ts'
import { formatTable } from '../terminal/table.ts'
import { withOutbound } from './plans.ts'

/**
 * `tillage reconcile plan`: what would be sent, with its hash and a page to read. 2 with every
 * mistake of the files at once, 1 where what moved since the count cannot be proven.
 */
export async function reconcilePlan(
  context: Context,
  options: { full?: boolean },
  files: string[],
): Promise<number> {
  return describeCountsError(context, async () => {
    const { terminal } = context
    const kept = await plan(context, files, options.full === true)
    terminal.print(terminal.json ? JSON.stringify(plannedJson(kept)) : describe(kept))
    return 0
  })
}

async function plan(
  { config, terminal, signal }: Context,
  files: readonly string[],
  isFull: boolean,
): Promise<KeptPlan> {
  const counted = await openCounts(config.exports, files, Date.now())
  const { api } = await openAuditStore(config, counted.snapshot.store, signal)
  try {
    const settings = config.reconcile
    const order = { counted, isFull, settings, now: Date.now, progress: terminal.progress }
    return await withOutbound(config, store => makePlan(api, store, order, signal))
  } finally {
    await api.close()
  }
}

function describe({ document, hash, path, page }: KeptPlan): string {
  const { plan: id, lines, operations, uncounted, requiredApprovals } = document
  const changed = lines.filter(({ delta }) => delta !== '0')
  return [
    `${id}: ${changed.length} of ${lines.length} counted lines change, ` +
      `in ${countRooms(operations.length)}, worth ${describeWorth(document)}; ` +
      `${uncounted.length} lines were not counted.`,
    ...(changed.length === 0 ? [] : ['', linesTable(changed)]),
    '',
    `plan: ${path}`,
    `page: ${page}`,
    `hash: ${hash}`,
    requiredApprovals === 2
      ? `It takes two different people: tillage reconcile approve ${id} --by NAME`
      : `Approve it with: tillage reconcile approve ${id} --by NAME`,
  ].join('\n')
}

const linesTable = (lines: KeptPlan['document']['lines']): string =>
  formatTable(
    ['room', 'lot', 'before', 'counted', 'moved', 'to post', 'value', 'reason'],
    lines.map(line => [
      line.room.slice(0, 14),
      line.batch_sku,
      line.qty_before,
      line.counted,
      line.movement_since_count,
      line.qty_to_post,
      line.value_delta ?? '?',
      line.reason_code.slice(0, 14),
    ]),
  )
