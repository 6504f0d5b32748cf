import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import Database from 'better-sqlite3'

const CHANGES = [
  'mkdirSync',
  'rmSync',
  'openSync',
  'fsyncSync',
  'renameSync',
  'writeFileSync',
  'closeSync',
] as const

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
  const { cpSync } = fs
  const step = (): void => {
    if (calls++ !== at) return
    isCopied = true
    restore()
    cpSync(from, to, { recursive: true, filter: path => !path.endsWith('-shm') })
  }
  const probe = new Database(':memory:')
  const statements = Object.getPrototypeOf(probe.prepare('BEGIN')) as Record<
    'run',
    (this: Database.Statement, ...parameters: unknown[]) => unknown
  >
  probe.close()
  const { run } = statements
  const originals = CHANGES.map(name => [name, fs[name]] as const)
  const restore = (): void => {
    statements.run = run
    for (const [name, original] of originals) Object.assign(fs, { [name]: original })
    syncBuiltinESMExports()
  }
  for (const [name, original] of originals)
    Object.assign(fs, {
      [name]: (...parameters: unknown[]): unknown => {
        step()
        return (original as (...all: unknown[]) => unknown)(...parameters)
      },
    })
  statements.run = function (...parameters) {
    if (this.database.name.endsWith('tillage.db')) step()
    return run.apply(this, parameters)
  }
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    restore()
  }
  return isCopied
}
