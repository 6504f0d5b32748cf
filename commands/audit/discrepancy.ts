import { MEANS, STEPS, describeClock } from '../../audit/clocks.ts'
import type { Step } from '../../audit/clocks.ts'
import { confirmDiscrepancy, finishStep } from '../../audit/confirm-discrepancy.ts'
import { UsageError } from '../../errors.ts'
import type { Context } from '../command.ts'
import { openAudit } from './audit-store.ts'

interface WordOptions {
  store?: string
  by: string
  reason: string
}

/** `tillage audit confirm AUDIT`: a significant discrepancy is confirmed, and the clocks start. */
export async function auditConfirm(
  context: Context,
  { by, reason, store }: WordOptions,
  audit: string,
): Promise<number> {
  const { config, terminal } = context
  const nowMs = Date.now()
  const word = { by, reason, nowMs }
  const { confirmation, draft, manifest } = confirmDiscrepancy(
    openAudit(config, audit, store),
    word,
    config.reconcile,
  )
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
  const { done, manifest } = finishStep(folder, step as Step, word, config.reconcile)
  terminal.print(
    terminal.json
      ? JSON.stringify({ ...done, manifest })
      : `${done.by} says that this was done: ${MEANS[done.step]} (${done.reference}).`,
  )
  return 0
}
