/** Who a store is, as its API said when it was asked last. */
export interface KnownStore {
  id: string
  companyId: string | undefined
  shopId: string | undefined
  name: string | undefined
  /** Where its API is; the same shop of another platform, or of a copy of it, is another shop. */
  baseUrl: string | undefined
  /** IANA name. */
  timeZone: string
  /** ISO, UTC. */
  checkedAt: string
}

export interface Stores {
  find(id: string): Promise<KnownStore | undefined>
  all(): Promise<KnownStore[]>
  /**
   * Replaces what was known of the store; what the API does not say this time stays known. Where
   * its shop is in the database under another id, and was not under this one, nothing is changed
   * and that other store is answered: of two that come at once, one is refused. Safe to call again.
   */
  keep(store: KnownStore): Promise<KnownStore | undefined>
}

export type WhichShop = Pick<KnownStore, 'id' | 'companyId' | 'shopId' | 'baseUrl'>

/** What one does not know cannot differ; a store that does not name its shop is nobody's twin. */
export const isSameShop = (one: WhichShop, other: WhichShop): boolean =>
  one.id !== other.id &&
  one.shopId !== undefined &&
  one.shopId === other.shopId &&
  (one.companyId ?? other.companyId) === (other.companyId ?? one.companyId) &&
  (one.baseUrl ?? other.baseUrl) === (other.baseUrl ?? one.baseUrl)

/** Where the API tells of changes in one store. */
export interface HookAddress {
  store: string
  /** The last part of the path: 32 random bytes in letters. Kept like a key. */
  secret: string
}

/** The addresses that stores were given; they go into a backup, so a restored one is still told. */
export interface HookAddresses {
  all(): Promise<HookAddress[]>
  /** From now on the store's only address. */
  keep(address: HookAddress): Promise<void>
  forget(store: string): Promise<void>
}
