import { noteFailure } from './note-failure.ts'
import { beginRun, makeBackup, noteRun } from './proxies.ts'
import { scheduledAt } from './scheduled-time.ts'

/** Where `backup:` of tillage.yaml says how often; of the whole database, on one store's clock. */
export interface BackupInput {
  store: string
}

/** Copies all that must survive, and removes the oldest copies. */
export async function backup({ store }: BackupInput): Promise<void> {
  const run = await beginRun({ kind: 'backup', store, scheduledAt: scheduledAt() })
  try {
    const { megabytes, removed } = await makeBackup({ store })
    const old = removed === 0 ? '' : `; ${removed} old removed`
    await noteRun({ run, outcome: 'done', detail: `${megabytes} MB, verified${old}` })
  } catch (error) {
    throw await noteFailure(run, error)
  }
}
