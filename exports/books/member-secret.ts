import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { UsageError } from '../../errors.ts'

/** Beside the database, which holds the members themselves: whoever can read the one can read the other. */
export const memberSecretPath = (databasePath: string): string => `${databasePath}.member-secret`

/**
 * The secret that turns member ids into member keys: without it nobody can tell whose key it is. Made once, readable by its
 * owner alone; keys of files that were given out change if it is lost, so it belongs into the database's backup.
 */
export function memberSecret(databasePath: string): string {
  const path = memberSecretPath(databasePath)
  try {
    return read(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw new UsageError(`${path} cannot be read (${codeOf(error)})`, 'it belongs to whoever made the database; give it back its permissions')
  }
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
  try {
    // A link never replaces: of two runs that start at once, the first one's secret counts for both.
    linkSync(draft, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return read(path)
}

function read(path: string): string {
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < 16) throw new UsageError(`${path} holds no secret`, 'restore it from a backup; without it, member keys differ from those in earlier files')
  return secret
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
}
