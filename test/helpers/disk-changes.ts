import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const CHANGES = [
  'mkdirSync',
  'rmSync',
  'openSync',
  'fsyncSync',
  'renameSync',
  'writeFileSync',
  'closeSync',
] as const

/** Calls `before` ahead of each change of the disk in this process; returns how to end that. */
export function watchDisk(before: (change: string) => void): () => void {
  const originals = CHANGES.map(name => [name, fs[name]] as const)
  for (const [name, original] of originals)
    Object.assign(fs, {
      [name]: (...parameters: unknown[]): unknown => {
        before(name)
        return (original as (...all: unknown[]) => unknown)(...parameters)
      },
    })
  syncBuiltinESMExports()
  return () => {
    for (const [name, original] of originals) Object.assign(fs, { [name]: original })
    syncBuiltinESMExports()
  }
}
