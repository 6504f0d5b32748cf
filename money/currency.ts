/** What `tillage.yaml` says of currencies: the API states amounts without one. */
interface Currencies {
  stores: readonly { id: string; currency?: string | undefined }[]
  /** The chain's. */
  currency: string
}

/** Of the amounts of a store; the chain's where it names none, or is no longer configured. */
export const currencyOf = ({ stores, currency }: Currencies, store: string): string =>
  stores.find(({ id }) => id === store)?.currency ?? currency
