import { noted } from './note-failure.ts'
import { beginRun, makeBackup, noteRun } from './proxies.ts'
import { scheduledAt } from './scheduled-time.ts'

/**
 * Copies all that must survive, and removes the oldest copies: where `backup:` of tillage.yaml says
 * how often; of the whole database, on one store's clock.
 */
export async function backup({ store }: { store: string }): Promise<void> {
  const run = await beginRun({ kind: 'backup', store, scheduledAt: scheduledAt() })
  await noted(run, async () => {
    const { megabytes, removed } = await makeBackup({ store })
    const old = removed === 0 ? '' : `; ${removed} old removed`
    await noteRun({ run, outcome: 'done', detail: `${megabytes} MB, verified${old}` })
  })
}
