import { noted } from './note-failure.ts'
import { beginRun, noteRun, purgeOld } from './proxies.ts'
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
