import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { BUSY_TIMEOUT_MS } from '../connectors/destination/busy-timeout.ts'
import { tryFileLock } from '../file-lock.ts'

/**
 * The right to publish one range in one folder (or of one database, which lies in it), and a place
 * to prepare its files on the same file system.
 */
export interface RangeLock {
  /** Gone when the lock is released, or when somebody next exports into this folder. */
  workFolder: string
  release: () => void
}

const POLL_MS = 50

/**
 * Waits until nobody else exports this range into this folder. The folder's own lock is held for
 * moments only: it makes sure that nobody opens a range's lock file while its owner removes it.
 */
export async function lockRange(
  out: string,
  range: string,
  waiting: () => void,
): Promise<RangeLock> {
  const name = `.tillage_${range}`
  for (;;) {
    const mine = locked(join(out, '.tillage.lock'), () => {
      sweep(out, name)
      return tryFileLock(join(out, `${name}.lock`))
    })
    if (mine !== undefined) {
      const workFolder = join(out, `${name}.part`)
      return {
        workFolder,
        release: () => {
          // First of all and without any lock, since a full disk may make everything else fail.
          rmSync(workFolder, { recursive: true, force: true })
          locked(join(out, '.tillage.lock'), () => discard(out, name, mine))
        },
      }
    }
    waiting()
    await setTimeout(POLL_MS)
  }
}

/**
 * Removes what dead runs of other ranges left behind; a range's own leftovers are its next owner's
 * to remove.
 */
function sweep(out: string, except: string): void {
  for (const file of readdirSync(out)) {
    if (!/^\.tillage_.*\.lock$/.test(file) || file === `${except}.lock`) continue
    const dead = tryFileLock(join(out, file))
    if (dead !== undefined) discard(out, file.slice(0, -'.lock'.length), dead)
  }
}

function discard(out: string, name: string, unlock: () => void): void {
  try {
    rmSync(join(out, `${name}.part`), { recursive: true, force: true })
    rmSync(join(out, `${name}.lock`), { force: true })
  } finally {
    unlock()
  }
}

/** Whoever has it may be removing what a large export left behind, on a busy machine. */
function locked<T>(path: string, action: () => T): T {
  const unlock = tryFileLock(path, BUSY_TIMEOUT_MS)
  if (unlock === undefined) throw new Error(`${path} stays locked`)
  try {
    return action()
  } finally {
    unlock()
  }
}
