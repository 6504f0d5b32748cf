import { readOrMakeSecret } from '../connectors/database.ts'
import type { PlacedDatabase } from '../connectors/destination/place.ts'
import { deriveMemberSecret, MEMBER_SECRET } from '../exports/sales/member-secret.ts'

/** A database, and the stores that it is of. */
interface DatabaseOfStores extends PlacedDatabase {
  stores: readonly { partnerKey: string; developerKey: string }[]
}

/** What turns members into keys; derived once from the keys of all stores, and kept since. */
export const memberSecretOf = ({ stores, ...place }: DatabaseOfStores): Promise<string> =>
  readOrMakeSecret(place, {
    ...MEMBER_SECRET,
    make: () =>
      deriveMemberSecret(
        stores.flatMap(({ partnerKey, developerKey }) => [partnerKey, developerKey]),
      ),
  })
