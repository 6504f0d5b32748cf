import { openConnection } from '../connection/open-connection.ts'

/** Whoever reads is waited for so long; a long export reads for longer. */
const PATIENCE_MS = 10_000

/**
 * Writes the database anew, so that no page holds what was deleted from it before, and empties the
 * log. False where another process kept it from that.
 */
export function overwriteFreed(path: string): boolean {
  const connection = openConnection(path)
  try {
    connection.pragma(`busy_timeout = ${PATIENCE_MS}`)
    connection.exec('VACUUM')
    const [checkpoint] = connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    return checkpoint?.busy === 0
  } catch {
    // Busy, or a disk without room for a second copy: what the tables hold is right all the same.
    return false
  } finally {
    connection.close()
  }
}
