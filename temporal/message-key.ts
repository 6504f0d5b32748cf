import { randomBytes } from 'node:crypto'
import { readOrMakeSecret } from '../secret-file.ts'

/** How the messages of a database are protected on their way through Temporal. */
export interface MessageProtection {
  /** What only workers and commands of this database know. */
  key: string
  /** Not only signed: nobody else can read them. */
  encrypt: boolean
}

/** As it stands in `tillage.yaml`. */
export interface ConfiguredProtection {
  localFiles: string
  temporal: 'embedded' | { messageKey?: string | undefined; encrypt: boolean }
}

/**
 * Beside the database, and in no backup: work that is open when it is lost is ended and begun anew.
 */
export const messageKeyPath = (localFiles: string): string => `${localFiles}.message-key`

export const messageProtection = ({
  localFiles,
  temporal,
}: ConfiguredProtection): MessageProtection => ({
  key: (temporal === 'embedded' ? undefined : temporal.messageKey) ?? keptKey(localFiles),
  encrypt: temporal !== 'embedded' && temporal.encrypt,
})

const keptKey = (localFiles: string): string =>
  readOrMakeSecret({
    path: messageKeyPath(localFiles),
    make: () => randomBytes(32).toString('hex'),
    remedy: 'remove it: a new one is made, and work that is open is begun anew',
  })
