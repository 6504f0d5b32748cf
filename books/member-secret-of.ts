import type { Config } from '../config.ts'
import { memberSecret } from '../exports/sales/member-secret.ts'

/** What turns members into keys; derived once from the keys of all stores. */
export const memberSecretOf = ({
  localFiles,
  stores,
}: Pick<Config, 'localFiles' | 'stores'>): string =>
  memberSecret(
    localFiles,
    stores.flatMap(({ partnerKey, developerKey }) => [partnerKey, developerKey]),
  )
