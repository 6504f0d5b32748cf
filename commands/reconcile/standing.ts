import type { Ledger } from '../../connectors/destination/ledger.ts'
import type { OutboundStore } from '../../connectors/destination/outbound.ts'
import { reconcileStanding } from '../../reconcile/alarm.ts'
import type { ReconcileStanding } from '../../reconcile/alarm.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import type { Context } from '../command.ts'

interface Remembered {
  outbound: OutboundStore
  ledger: Pick<Ledger, 'firstReadAt'>
}

/**
 * How a store stands against the days between full reconciliations, as far as its database knows.
 */
export async function readReconcileStanding(
  { reconcile }: Pick<Context['config'], 'reconcile'>,
  { outbound, ledger }: Remembered,
  store: string,
): Promise<ReconcileStanding | undefined> {
  return reconcileStanding(outbound, store, reconcile, {
    nowMs: Date.now(),
    async firstReadMs() {
      const firstReadAt = await ledger.firstReadAt(store)
      return firstReadAt === undefined ? undefined : Date.parse(firstReadAt)
    },
  })
}

/**
 * For whoever watches `up`: a line for each thing that is due or overdue, by the settings that it
 * works by. Never fails.
 */
export async function logStanding(
  { push, dependencies }: RunningWorker,
  { config, terminal }: Pick<Context, 'config' | 'terminal'>,
  store: string,
): Promise<void> {
  const { ledger } = dependencies.destination
  const attention = await readReconcileStanding(config, { outbound: push.outbound, ledger }, store)
    .then(standing => standing?.attention ?? [])
    .catch((error: unknown) => [`full reconciliations could not be counted: ${String(error)}`])
  for (const detail of attention)
    terminal.log(
      terminal.json ? JSON.stringify({ event: 'attention', store, detail }) : `${store}: ${detail}`,
    )
}
