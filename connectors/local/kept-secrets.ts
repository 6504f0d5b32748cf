import { readOrMakeSecret, readSecret } from '../../secret-file.ts'
import type { KeptSecret, MadeSecret } from '../destination/kept-secrets.ts'

/** Each in a file of its own beside the database, which may be read by its owner alone. */
export const secretPath = (localFiles: string, name: string): string => `${localFiles}.${name}`

export const readOrMakeSecretBeside = (
  localFiles: string,
  { name, ...secret }: MadeSecret,
): string => readOrMakeSecret({ path: secretPath(localFiles, name), ...secret })

/** Undefined: none was made yet. */
export const readSecretBeside = (
  localFiles: string,
  { name, remedy }: KeptSecret,
): string | undefined => readSecret({ path: secretPath(localFiles, name), remedy })
