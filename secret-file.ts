import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { codeOf } from './disk.ts'
import { UsageError } from './errors.ts'

/** A secret that is made once and kept in a file of its own, readable by its owner alone. */
export interface SecretFile {
  path: string
  make: () => string
  /** What to do where the file is there and holds no secret. */
  remedy: string
}

const SHORTEST = 16

/** The secret of the file; made now where there is none. From then on the file counts. */
export function readOrMakeSecret({ path, make, remedy }: SecretFile): string {
  try {
    return read(path, remedy)
  } catch (error) {
    if (error instanceof UsageError) throw error
    if (codeOf(error) !== 'ENOENT')
      throw new UsageError(
        `${path} cannot be read (${codeOf(error)})`,
        'it belongs to whoever made the database; give it back its permissions',
      )
  }
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

function read(path: string, remedy: string): string {
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < SHORTEST) throw new UsageError(`${path} holds no secret`, remedy)
  return secret
}
