import { IMPORTERS } from './chart.ts'
import type { Account } from './chart.ts'
import type { AccountingSettings, OwnAccounts } from './settings.ts'
import { settingsOfStore } from './store-settings.ts'

/** An account, and where the settings name it. */
export interface PlacedAccount {
  path: string[]
  account: Account
}

type Accounts = Readonly<Record<string, Account | undefined>>
type Owners = Readonly<Record<string, OwnAccounts | undefined>>
interface Chart {
  accounts?: Accounts | undefined
  byCategory?: Owners | undefined
  byConsumerType?: Owners | undefined
  tenders?: Accounts | undefined
  taxes?: Accounts | undefined
}

/** Every account that the settings name, with its place; own accounts before those of the chart. */
export function accountsIn({
  accounts = {},
  byCategory = {},
  byConsumerType = {},
  tenders = {},
  taxes = {},
}: Chart): PlacedAccount[] {
  const placed = (path: string[], map: Accounts): PlacedAccount[] =>
    Object.entries(map).flatMap(([name, account]) =>
      account === undefined ? [] : [{ path: [...path, name], account }],
    )
  const own = (section: string, map: Owners): PlacedAccount[] =>
    Object.entries(map).flatMap(([name, accountsOfIt]) =>
      placed([section, name], { ...accountsOfIt }),
    )
  return [
    ...own('byCategory', byCategory),
    ...own('byConsumerType', byConsumerType),
    ...placed(['tenders'], tenders),
    ...placed(['taxes'], taxes),
    ...placed(['accounts'], accounts),
  ]
}

/** Every account of a store's chart with its place, which is below `stores` where it is its own. */
export function accountsOfStore(chain: AccountingSettings, store: string): PlacedAccount[] {
  const own = new Set(accountsIn(chain.stores[store] ?? {}).map(({ path }) => path.join('.')))
  return accountsIn(settingsOfStore(chain, store)).map(({ path, account }) => ({
    path: own.has(path.join('.')) ? ['stores', store, ...path] : path,
    account,
  }))
}

/**
 * A journal that was posted knows accounts by their code, so that the code must say everything
 * else.
 */
export function contradictions(
  placed: readonly PlacedAccount[],
): { path: string[]; other: string[] }[] {
  const first = new Map<string, PlacedAccount>()
  return placed.flatMap(({ path, account: one }) => {
    const known = first.get(one.code)
    if (known === undefined) first.set(one.code, { path, account: one })
    const isSame =
      known === undefined ||
      (['name', ...IMPORTERS] as const).every(text => one[text] === known.account[text])
    return isSame ? [] : [{ path, other: known.path }]
  })
}
