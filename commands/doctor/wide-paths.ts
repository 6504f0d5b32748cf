import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'

/** What holds records and somebody else on this machine may read, with its mode. */
export interface WidePath {
  path: string
  /** As `chmod` takes it: `0644`. */
  mode: string
}

/**
 * Looks at the database with what SQLite keeps beside it, the embedded server's data and the
 * exports. A folder that is closed hides what is in it, so that is not looked at.
 */
export function findWidePaths({ localFiles, exports, exportsMode = 0 }: Config): WidePath[] {
  // Windows has no modes; there, folders of a user are closed to others by themselves.
  if (process.platform === 'win32') return []
  const data = dirname(localFiles)
  const inData = [localFiles, `${localFiles}-wal`, `${localFiles}-shm`, join(data, 'temporal')]
  const paths = [
    ...(isWide(data) ? inData : []),
    ...(exportsMode === 0 && isWide(exports) ? [exports] : []),
  ]
  return paths
    .filter(path => isWide(path))
    .map(path => ({ path, mode: `0${(statSync(path).mode & 0o777).toString(8)}` }))
}

function isWide(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && (stats.mode & 0o077) !== 0
}
