import type { AccountingSettings, JournalFormat, OwnAccounts } from './settings.ts'

/** The settings of one store: its own, and the chain's wherever it has none. */
export function settingsOfStore(chain: AccountingSettings, store: string): AccountingSettings {
  const own = chain.stores[store] ?? {}
  const { code, location, subsidiary } = own
  return {
    accounts: over(chain.accounts, own.accounts),
    byCategory: overEach(chain.byCategory, own.byCategory),
    byConsumerType: overEach(chain.byConsumerType, own.byConsumerType),
    tenders: over(chain.tenders, own.tenders),
    taxes: over(chain.taxes, own.taxes),
    formats: own.formats ?? chain.formats,
    missingCosts: own.missingCosts ?? chain.missingCosts,
    periodClosedThrough: own.periodClosedThrough ?? chain.periodClosedThrough,
    stores: { [store]: { code, location, subsidiary } },
    xeroTaxRate: own.xeroTaxRate ?? chain.xeroTaxRate,
    xero: over(chain.xero, own.xero),
  }
}

/**
 * What the nights of a store write, where the chain's write `formats`. A store that has formats of
 * its own has them at night, too; nights that write no journal begin with none by that.
 */
export function nightlyFormats(
  { stores }: Pick<AccountingSettings, 'stores'>,
  store: string,
  formats: readonly JournalFormat[],
): readonly JournalFormat[] {
  const own = stores[store]
  return own?.nightlyJournal ?? (formats.length > 0 ? own?.formats : undefined) ?? formats
}

/** By name: the second where it says something. */
function over<Section extends object>(
  chain: Section,
  own: { [Name in keyof Section]?: Section[Name] | undefined } | undefined,
): Section {
  const said = Object.entries(own ?? {}).filter(([, value]) => value !== undefined)
  return { ...chain, ...(Object.fromEntries(said) as Partial<Section>) }
}

/** The same one level further down: the accounts of a category, or of a kind of consumer. */
function overEach<Section extends Readonly<Record<string, OwnAccounts | undefined>>>(
  chain: Section,
  own: Section | undefined,
): Section {
  const merged = Object.entries(own ?? {}).map(([name, accounts]) => [
    name,
    over(chain[name] ?? {}, accounts),
  ])
  return { ...chain, ...(Object.fromEntries(merged) as Section) }
}
