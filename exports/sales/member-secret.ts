import { createHmac, hkdfSync } from 'node:crypto'
import type { KeptSecret } from '../../connectors/destination/kept-secrets.ts'

/**
 * What turns member ids into member keys: without it nobody can tell whose key it is. It lies with
 * the database, which holds the members themselves: whoever can read the one can read the other.
 * Made once; it outlives keys that are renewed, and belongs into the database's backup.
 */
export const MEMBER_SECRET: KeptSecret = {
  name: 'member-secret',
  remedy: 'restore it from a backup; without it, member keys differ from those in earlier files',
}

/** Of a database that is a file. */
export const memberSecretPath = (database: string): string => `${database}.${MEMBER_SECRET.name}`

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
 * The secret where none was made yet: out of the API's own keys, so that a second database of the
 * same stores gives the same bytes (INV-2). It is a hash, so it does not lead back to a key. Who
 * holds the keys can read the members themselves from the API.
 */
export function deriveMemberSecret(apiKeys: readonly string[]): string {
  const distinct = [...new Set(apiKeys)].sort()
  return Buffer.from(
    hkdfSync('sha256', JSON.stringify(distinct), '', 'tillage member keys 1', 32),
  ).toString('hex')
}
