import { randomBytes } from 'node:crypto'
import { readOrMakeSecret } from '../connectors/database.ts'
import type { PlacedDatabase } from '../connectors/destination/place.ts'

/** How the messages of a database are protected on their way through Temporal. */
export interface MessageProtection {
  /** What only workers and commands of this database know. */
  key: string
  /** Not only signed: nobody else can read them. */
  encrypt: boolean
}

/** As it stands in `tillage.yaml`. */
export interface ConfiguredProtection extends PlacedDatabase {
  temporal: 'embedded' | { messageKey?: string | undefined; encrypt: boolean }
}

export const messageProtection = async ({
  temporal,
  ...place
}: ConfiguredProtection): Promise<MessageProtection> => ({
  key: (temporal === 'embedded' ? undefined : temporal.messageKey) ?? (await keptKey(place)),
  encrypt: temporal !== 'embedded' && temporal.encrypt,
})

/**
 * With the database, and in no backup that we make: work that is open when it is lost is ended and
 * begun anew.
 */
const keptKey = (place: PlacedDatabase): Promise<string> =>
  readOrMakeSecret(place, {
    name: 'message-key',
    make: () => randomBytes(32).toString('hex'),
    remedy: 'remove it: a new one is made, and work that is open is begun anew',
  })
