import { isUncounted, recordsOf, stateOf } from '../../audit/audit-state.ts'
import { openClocks } from '../../audit/confirmation.ts'
import { auditsOf, readSnapshot } from '../../audit/folder.ts'
import type { AuditFolder } from '../../audit/folder.ts'
import { namedDays } from '../../books/changed-days.ts'
import { fromIso } from '../../calendar/days.ts'
import type { Config } from '../../config.ts'
import { openReadOnly } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { UsageError } from '../../errors.ts'
import { UNSETTLED } from '../../outbound/operation-states.ts'
import { SENDING } from '../../outbound/run.ts'
import { FORGOTTEN_AFTER_MS, storesOf } from '../../outbound/waiting-plans.ts'
import { heldDay } from '../../standing/held-day.ts'

/**
 * Plans, audits and files that were given out keep the id of their day, so what is not over would
 * be left behind under it: nobody would be told of it any more (INV-11).
 */
export async function refuseOpenWork(config: Config, store: string): Promise<void> {
  const open = [
    ...(await openPlansOf(config, store)),
    ...auditsOf(config.exports, store).filter(isBeingCounted).map(describeCounting),
    ...openClocks(config.exports, store).map(({ audit }) => `the clock of ${audit} runs`),
    ...namedDays(config.exports, store).flatMap(day =>
      heldDay(config.exports, store, day).map(() => `the journal of ${day} is held back`),
    ),
  ]
  if (open.length === 0) return
  throw new UsageError(
    `${store} has open work, of which nobody would be told under another id: ${open.join('; ')}`,
    'Nothing was changed. Bring it to its end, or discard it: tillage status tells how. Then ' +
      'rename the store.',
  )
}

/** Its report reads the store again, which has another id then. */
const isBeingCounted = (folder: AuditFolder): boolean =>
  stateOf(recordsOf(folder)) === 'counting' &&
  Date.now() - fromIso(readSnapshot(folder).endedAt) < FORGOTTEN_AFTER_MS

function describeCounting(folder: AuditFolder): string {
  const { audit } = folder
  const orDiscarded = isUncounted(recordsOf(folder)) ? ` or tillage audit discard ${audit}` : ''
  return `${audit} is being counted, until tillage audit report ${audit}${orDiscarded}`
}

async function openPlansOf(config: Config, store: string): Promise<string[]> {
  await using database = await openReadOnly(config, streams)
  const { outbound } = database
  const open = await outbound.openPlans(UNSETTLED, SENDING)
  const plans = [...(await outbound.plans('push')), ...(await outbound.plans('reconcile'))]
  return plans
    .filter(plan => open.has(plan.plan) && storesOf(plan).includes(store))
    .map(({ plan, kind }) => `the ${kind === 'push' ? 'push' : 'reconciliation'} ${plan} is open`)
}
