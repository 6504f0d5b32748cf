import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { codeOf, diskError } from '../../disk.ts'
import { UsageError } from '../../errors.ts'
import type { KeptSecret, MadeSecret } from '../destination/kept-secrets.ts'

/** Each in a file of its own beside the database, which may be read by its owner alone. */
const secretPath = (localFiles: string, name: string): string => `${localFiles}.${name}`

const SHORTEST = 16

/** The secret of the file; made now where there is none. From then on the file counts. */
export function readOrMakeSecretBeside(localFiles: string, secret: MadeSecret): string {
  const kept = readSecretBeside(localFiles, secret)
  if (kept !== undefined) return kept
  const path = secretPath(localFiles, secret.name)
  const draft = `${path}.${process.pid}`
  try {
    writeFileSync(draft, `${secret.make()}\n`, { mode: 0o600, flush: true })
    // A hard link never replaces a file, so of two runs that start at once the first one's secret
    // counts for both.
    linkSync(draft, path)
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EEXIST') throw diskError(path, code, { cause: error }) ?? error
  } finally {
    rmSync(draft, { force: true })
  }
  return read(path, secret.remedy)
}

/** Undefined: none was made yet. */
export function readSecretBeside(
  localFiles: string,
  { name, remedy }: KeptSecret,
): string | undefined {
  const path = secretPath(localFiles, name)
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
