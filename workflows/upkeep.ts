import { noted } from './note-failure.ts'
import { beginRun, makeBackup, noteRun, purgeOld } from './proxies.ts'
import { scheduledAt } from './scheduled-time.ts'

/**
 * Removes what is older than its retention, and says how much it was: once a night, where
 * `retention:` of tillage.yaml says how long things are kept.
 */
export async function upkeep({ store }: { store: string }): Promise<{ removed: number }> {
  const run = await beginRun({ kind: 'upkeep', store, scheduledAt: scheduledAt() })
  return noted(run, async () => {
    const purged = (await purgeOld({ store })).filter(({ rows }) => rows > 0)
    const what = purged.map(({ table, rows }) => `${rows} of ${table}`).join(', ')
    const detail = what === '' ? 'nothing was old enough to go' : `removed ${what}`
    await noteRun({ run, outcome: 'done', detail })
    return { removed: purged.reduce((sum, { rows }) => sum + rows, 0) }
  })
}

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
