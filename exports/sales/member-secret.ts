import { createHmac, hkdfSync } from 'node:crypto'
import { readOrMakeSecret } from '../../secret-file.ts'

/**
 * Beside the database, which holds the members themselves: whoever can read the one can read the
 * other.
 */
export const memberSecretPath = (localFiles: string): string => `${localFiles}.member-secret`

/** What stands for a member in files and in the books: the same in every export of one secret. */
export const memberKeyOf = (memberId: string, secret: string): string =>
  createHmac('sha256', secret).update(memberId).digest('hex').slice(0, 32)

/** So that memory stays flat, however many members there are. */
const MOST_REMEMBERED = 50_000

/** The same for many transactions: members come back. */
export function memberKeyFinder(secret: string): (memberId: string) => string {
  const known = new Map<string, string>()
  return memberId => {
    const remembered = known.get(memberId)
    if (remembered !== undefined) return remembered
    const key = memberKeyOf(memberId, secret)
    if (known.size >= MOST_REMEMBERED) known.clear()
    known.set(memberId, key)
    return key
  }
}

/**
 * The secret that turns member ids into member keys: without it nobody can tell whose key it is.
 * Made once, readable by its owner alone, out of the API's own keys, so that a second database of
 * the same stores gives the same bytes (INV-2). From then on the file counts: it outlives keys that
 * are renewed, and belongs into the database's backup.
 */
export const memberSecret = (localFiles: string, apiKeys: readonly string[]): string =>
  readOrMakeSecret({
    path: memberSecretPath(localFiles),
    make: () => derive(apiKeys),
    remedy: 'restore it from a backup; without it, member keys differ from those in earlier files',
  })

/**
 * It is a hash, so the secret does not lead back to a key. Who holds the keys can read the members
 * themselves from the API.
 */
function derive(apiKeys: readonly string[]): string {
  const distinct = [...new Set(apiKeys)].sort()
  return Buffer.from(
    hkdfSync('sha256', JSON.stringify(distinct), '', 'tillage member keys 1', 32),
  ).toString('hex')
}
