import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { codeOf } from './disk.ts'
import { UsageError } from './errors.ts'

/** A secret in a file of its own, readable by its owner alone. */
export interface SecretFile {
  path: string
  /** What to do where the file is there and holds no secret. */
  remedy: string
}

/** It is made once. */
export interface MadeSecretFile extends SecretFile {
  make: () => string
}

const SHORTEST = 16

/** The secret of the file; made now where there is none. From then on the file counts. */
export function readOrMakeSecret({ path, make, remedy }: MadeSecretFile): string {
  const kept = readSecret({ path, remedy })
  if (kept !== undefined) return kept
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${make()}\n`, { mode: 0o600 })
  try {
    // A hard link never replaces a file, so of two runs that start at once the first one's secret
    // counts for both.
    linkSync(draft, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return read(path, remedy)
}

/** Undefined where there is no such file. */
export function readSecret({ path, remedy }: SecretFile): string | undefined {
  try {
    return read(path, remedy)
  } catch (error) {
    if (error instanceof UsageError) throw error
    if (codeOf(error) === 'ENOENT') return undefined
    throw new UsageError(
      `${path} cannot be read (${codeOf(error)})`,
      'it belongs to whoever made the database; give it back its permissions',
    )
  }
}

function read(path: string, remedy: string): string {
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < SHORTEST) throw new UsageError(`${path} holds no secret`, remedy)
  return secret
}
