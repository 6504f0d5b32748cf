import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { HookAddress } from '../connectors/destination/stores.ts'
import { sha256BytesOf } from '../sha256.ts'

/** 32 random bytes: whoever knows them can ask for a read of the store, and for nothing else. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

export const urlOf = (publicUrl: string, { store, secret }: HookAddress): string =>
  `${publicUrl}/${store}/${secret}`

/** As it is shown: the secret is kept like a key. */
export const maskedUrlOf = (publicUrl: string, store: string): string => `${publicUrl}/${store}/...`

/** An address under ours, of this store, whatever its secret is. */
export function isOfStore(url: string, publicUrl: string, store: string): boolean {
  const prefix = `${publicUrl}/${store}/`
  return url.startsWith(prefix) && /^[\w-]+$/.test(url.slice(prefix.length))
}

/** Which store a path of the receiver is of; every path takes about the same time. */
export type FindStore = (path: string) => string | undefined

/**
 * What comes before `/STORE/SECRET` is the public path, which a proxy may have taken away. All
 * addresses are compared, by their hashes, so that the time says nothing of a secret.
 */
export function createFindStore(addresses: readonly HookAddress[]): FindStore {
  const known = addresses.map(({ store, secret }) => ({
    store,
    hash: sha256BytesOf(`${store}/${secret}`),
  }))
  return path => {
    const [store = '', secret = ''] = (path.split('?', 1)[0] ?? '').split('/').slice(-2)
    const asked = sha256BytesOf(`${store}/${secret}`)
    return known.reduce<string | undefined>(
      (found, one) => (timingSafeEqual(one.hash, asked) ? one.store : found),
      undefined,
    )
  }
}
