import Database from 'better-sqlite3'
import { BUSY_TIMEOUT_MS } from '../connectors/destination/busy-timeout.ts'

/** So often in a row nobody commits in the few milliseconds that a look takes. */
const MOST_LOOKS = 100

/**
 * Lets several connections take their snapshots until all of them see one state of the database:
 * `look` makes each of them begin anew, and no commit came between. Answers whether that worked.
 */
export async function alignSnapshots(
  databasePath: string,
  look: () => Promise<void>,
): Promise<boolean> {
  const watch = new Database(databasePath, {
    readonly: true,
    fileMustExist: true,
    timeout: BUSY_TIMEOUT_MS,
  })
  // Another value than before: somebody else has committed.
  const version = (): unknown => watch.pragma('data_version', { simple: true })
  try {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const before = version()
      await look()
      if (version() === before) return true
    }
    return false
  } finally {
    watch.close()
  }
}
