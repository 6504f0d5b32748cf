import { noteFailure } from './note-failure.ts'
import { beginRun, noteRun, purgeOld } from './proxies.ts'
import { scheduledAt } from './scheduled-time.ts'

/** Once a night, where `retention:` of tillage.yaml says how long things are kept. */
export interface UpkeepInput {
  store: string
}

/** Removes what is older than its retention, and says how much it was. */
export async function upkeep({ store }: UpkeepInput): Promise<{ removed: number }> {
  const run = await beginRun({ kind: 'upkeep', store, scheduledAt: scheduledAt() })
  try {
    const purged = (await purgeOld({ store })).filter(({ rows }) => rows > 0)
    const what = purged.map(({ table, rows }) => `${rows} of ${table}`).join(', ')
    const detail = what === '' ? 'nothing was old enough to go' : `removed ${what}`
    await noteRun({ run, outcome: 'done', detail })
    return { removed: purged.reduce((sum, { rows }) => sum + rows, 0) }
  } catch (error) {
    throw await noteFailure(run, error)
  }
}
