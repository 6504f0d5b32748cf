/** Who a store is, as its API said when it was asked last. */
export interface KnownStore {
  id: string
  companyId: string | undefined
  shopId: string | undefined
  name: string | undefined
  /** IANA name. */
  timeZone: string
  /** ISO, UTC. */
  checkedAt: string
}

export interface Stores {
  find(id: string): Promise<KnownStore | undefined>
  all(): Promise<KnownStore[]>
  /** Replaces what was known of the store. Safe to call again. */
  keep(store: KnownStore): Promise<void>
}
