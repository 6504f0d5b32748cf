import { cpSync } from 'node:fs'
import Database from 'better-sqlite3'
import { watchDisk } from '../helpers/disk-changes.ts'

/**
 * Copies a folder just before the given change of the disk or commit of the database, which is all
 * that a process leaves that dies there. False if the work ended before.
 */
export async function copyAt(
  at: number,
  from: string,
  to: string,
  work: () => Promise<unknown>,
): Promise<boolean> {
  let calls = 0
  let isCopied = false
  const step = (): void => {
    if (calls++ !== at) return
    isCopied = true
    restore()
    cpSync(from, to, { recursive: true, filter: path => !path.endsWith('-shm') })
  }
  const unwatchDatabase = watchDatabase(step)
  const unwatchDisk = watchDisk(step)
  const restore = (): void => {
    unwatchDisk()
    unwatchDatabase()
  }
  try {
    await work()
  } finally {
    restore()
  }
  return isCopied
}

/** Calls `before` ahead of each statement that changes the database, until its result is called. */
function watchDatabase(before: () => void): () => void {
  const probe = new Database(':memory:')
  const statements = Object.getPrototypeOf(probe.prepare('BEGIN')) as Record<
    'run',
    (this: Database.Statement, ...parameters: unknown[]) => unknown
  >
  probe.close()
  const { run } = statements
  statements.run = function (...parameters) {
    if (this.database.name.endsWith('tillage.db')) before()
    return run.apply(this, parameters)
  }
  return () => void (statements.run = run)
}
