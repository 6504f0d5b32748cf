import { existsSync } from 'node:fs'
import { findAudit } from '../../audit/folder.ts'
import { reportedCounts } from '../../audit/kept-counts.ts'
import { currencyOf } from '../../money/currency.ts'
import { targetOf } from '../../outbound/target.ts'
import { plannedJson } from '../../reconcile/describe-plan.ts'
import { makePlan, openCounts } from '../../reconcile/make-plan.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import { countRooms, describeWorth } from '../../reconcile/plan.ts'
import { lacksReason } from '../../reconcile/refuse-counts.ts'
import { refuseOtherStores } from '../arguments/choices.ts'
import { countRules } from '../arguments/ignored-columns.ts'
import { openAuditStore } from '../audit/audit-store.ts'
import { describeCountsError } from '../audit/counts-error.ts'
import type { Context } from '../command.ts'
import { withOutbound } from '../plans/with-outbound.ts'
import { countOf } from '../terminal/number.ts'
import { formatTable } from '../terminal/table.ts'

interface PlanOptions {
  full?: boolean
  store?: string
  ignoreColumns?: string
}

/**
 * `tillage reconcile plan FILE...`, or AUDIT for the counts that its newest report compared: what
 * would be sent, with its hash and a page to read. 2 with every mistake of the files at once, 1
 * where what moved since the count cannot be proven.
 */
export async function reconcilePlan(
  context: Context,
  options: PlanOptions,
  files: string[],
): Promise<number> {
  return describeCountsError(context, async () => {
    const { terminal } = context
    const kept = await plan(context, files, options)
    terminal.print(terminal.json ? JSON.stringify(plannedJson(kept)) : describe(kept))
    return 0
  })
}

async function plan(
  { config, terminal, signal }: Context,
  files: readonly string[],
  { full: isFull = false, store: named, ignoreColumns }: PlanOptions,
): Promise<KeptPlan> {
  const rules = countRules(config, ignoreColumns)
  const counted = await openCounts(
    config.exports,
    countsNamed(config.exports, files),
    Date.now(),
    rules,
  )
  const { audit, store } = counted.snapshot
  refuseOtherStores(audit, [store], named)
  const { api, identity, store: configured } = await openAuditStore(config, store, signal)
  try {
    const settings = { ...config.reconcile, currency: currencyOf(config, store) }
    const target = targetOf(configured, identity)
    const order = { counted, target, isFull, settings, now: Date.now, progress: terminal.progress }
    return await withOutbound(config, outbound => makePlan(api, outbound, order, signal))
  } finally {
    await api.close()
  }
}

/** Files; or an audit, which stands for what its newest report compared. */
function countsNamed(exports: string, named: readonly string[]): readonly string[] {
  const [first = ''] = named
  const folder = named.length === 1 && !existsSync(first) ? findAudit(exports, first) : undefined
  return folder === undefined ? named : reportedCounts(folder)
}

function describe({ plan, document, path, page }: KeptPlan): string {
  const { plan: id, lines, operations, uncounted, requiredApprovals } = document
  const changed = lines.filter(({ delta }) => delta !== '0')
  const without = changed.filter(lacksReason).length
  return [
    `${id}: changes ${changed.length} of ${countOf(lines.length, 'counted line')}, ` +
      `in ${countRooms(operations.length)}, worth ${describeWorth(document)}; ` +
      `not counted: ${countOf(uncounted.length, 'line')}.`,
    ...(changed.length === 0 ? [] : ['', linesTable(changed)]),
    ...(without === 0
      ? []
      : ['', `Stock is lost without an adjustment reason in ${countOf(without, 'line')}.`]),
    '',
    `plan: ${path}`,
    `page: ${page}`,
    `hash: ${plan.hash}`,
    requiredApprovals === 2
      ? `It takes two different people: tillage reconcile approve ${id} --by NAME`
      : `Approve it with: tillage reconcile approve ${id} --by NAME`,
  ].join('\n')
}

const linesTable = (lines: KeptPlan['document']['lines']): string =>
  formatTable(
    ['room', 'lot', 'before', 'counted', 'moved', 'to post', 'value', 'reason'],
    lines.map(line => [
      line.room,
      line.batch_sku,
      line.qty_before,
      line.counted,
      line.movement_since_count,
      line.qty_to_post,
      line.value_delta ?? '?',
      line.reason_code,
    ]),
  )
