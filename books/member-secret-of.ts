import type { Config } from '../config.ts'
import { memberSecret } from '../exports/sales/member-secret.ts'

/** What turns members into keys; derived once from the keys of all stores. */
export const memberSecretOf = ({ database, stores }: Pick<Config, 'database' | 'stores'>): string =>
  memberSecret(
    database,
    stores.flatMap(({ partnerKey, developerKey }) => [partnerKey, developerKey]),
  )
