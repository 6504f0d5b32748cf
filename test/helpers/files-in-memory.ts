import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** Several times what a run of all tests has at once. */
const ROOM_BYTES = 8 * 2 ** 30

/**
 * Tests make thousands of databases and wait for a disk to have them: in memory, the same take a
 * sixth less time. Where a machine has the room, temporary files of a run lie there, in a folder
 * that goes with it. `TMPDIR` says another place.
 */
export function keepFilesInMemory(): void {
  if (process.env['TMPDIR'] !== undefined || roomBytes() < ROOM_BYTES) return
  const folder = mkdtempSync(join(MEMORY, 'tillage-'))
  // A server of PostgreSQL that has a user of its own finds its files there.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
}

function roomBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, freemem())
  } catch {
    return 0
  }
}
