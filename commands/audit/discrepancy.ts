import { MEANS, STEPS, describeClock } from '../../audit/clocks.ts'
import type { Step } from '../../audit/clocks.ts'
import {
  confirmDiscrepancy,
  finishStep,
  verdictOfReport,
  withdrawConfirmation,
} from '../../audit/confirm-discrepancy.ts'
import { seal } from '../../audit/folder.ts'
import type { AuditFolder } from '../../audit/folder.ts'
import { UsageError } from '../../errors.ts'
import { currencyOf } from '../../money/currency.ts'
import type { Context } from '../command.ts'
import { withOutbound } from '../plans/with-outbound.ts'
import { askYes, promptOf } from '../terminal/ask.ts'
import { openAudit } from './audit-store.ts'

/** Who says it, and why. */
export interface WordOptions {
  store?: string
  by: string
  reason: string
}

interface ConfirmOptions extends WordOptions {
  againstReport?: boolean
}

/** `tillage audit confirm AUDIT`: a significant discrepancy is confirmed, and the clocks start. */
export async function auditConfirm(
  context: Context,
  { by, reason, store, againstReport }: ConfirmOptions,
  audit: string,
): Promise<number> {
  const { config, terminal } = context
  const folder = openAudit(config, audit, store)
  const isAgainstReport = againstReport === true || (await asksToContradict(context, folder))
  const nowMs = Date.now()
  const word = { by, reason, nowMs, isAgainstReport }
  const settings = { ...config.reconcile, currency: currencyOf(config, folder.store) }
  const { confirmation, draft } = confirmDiscrepancy(folder, word, settings)
  const manifest = await withOutbound(config, log => seal(log, folder))
  if (terminal.json) terminal.print(JSON.stringify({ ...confirmation, draft, manifest }))
  else
    terminal.print(
      [
        `${confirmation.by} confirmed a significant discrepancy of ${confirmation.audit}.`,
        ...confirmation.clocks.map(clock => `  ${describeClock(clock, nowMs)}, ${clock.source}`),
        `draft: ${draft}`,
        'Nothing was sent to anybody. Once a step is done:',
        `  tillage audit done ${confirmation.audit} notice --by NAME --reason REFERENCE`,
      ].join('\n'),
    )
  return 0
}

/** Where the report says that it is not significant, whoever sits at a terminal is asked. */
async function asksToContradict(context: Context, folder: AuditFolder): Promise<boolean> {
  const { isContradiction, otherwise } = verdictOfReport(folder)
  const prompt = promptOf(context)
  if (!isContradiction || prompt === undefined) return false
  context.terminal.log(`The newest report of ${folder.audit} says: ${otherwise}.`)
  return askYes(prompt, 'Confirm a significant discrepancy all the same?')
}

/** `tillage audit withdraw AUDIT`: a confirmation was a mistake, and its clocks stop. */
export async function auditWithdraw(
  { config, terminal }: Context,
  { by, reason, store }: WordOptions,
  audit: string,
): Promise<number> {
  const folder = openAudit(config, audit, store)
  const word = { by, reason, nowMs: Date.now() }
  const withdrawal = withdrawConfirmation(folder, word, config.reconcile)
  const manifest = await withOutbound(config, log => seal(log, folder))
  terminal.print(
    terminal.json
      ? JSON.stringify({ ...withdrawal, manifest })
      : `${withdrawal.by} withdrew the confirmation of ${audit}: ${reason}. Its clocks have ` +
          'stopped; both stay on record. Whoever was told of it has to hear this, too.',
  )
  return 0
}

/** `tillage audit done AUDIT STEP`: the authorities were told, or the report was handed in. */
export async function auditDone(
  context: Context,
  { by, reason, store }: WordOptions,
  ...[audit, step]: [audit: string, step: string]
): Promise<number> {
  const { config, terminal } = context
  if (!(STEPS as readonly string[]).includes(step))
    throw new UsageError(`the step is ${step}`, `It must be one of: ${STEPS.join(', ')}.`)
  const word = { by, reason, nowMs: Date.now() }
  const folder = openAudit(config, audit, store)
  const done = finishStep(folder, step as Step, word, config.reconcile)
  const manifest = await withOutbound(config, log => seal(log, folder))
  terminal.print(
    terminal.json
      ? JSON.stringify({ ...done, manifest })
      : `${done.by} says that this was done: ${MEANS[done.step]} (${done.reference}).`,
  )
  return 0
}
