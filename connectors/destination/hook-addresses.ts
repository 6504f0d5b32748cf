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
