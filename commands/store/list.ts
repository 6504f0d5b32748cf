import { toMinute } from '../../calendar/days.ts'
import { isThere, openReadOnly } from '../../connectors/database.ts'
import type { KnownStore } from '../../connectors/destination/stores.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { currencyOf } from '../../money/currency.ts'
import type { Context } from '../command.ts'
import { formatTable } from '../terminal/table.ts'

/** `tillage store list`: who is configured, who is in the database, and whom each stands for. */
export async function storeList({ config, terminal }: Context): Promise<number> {
  const known = await knownStores(config)
  const configured = config.stores.map(({ id }) => id)
  const ids = [...new Set([...configured, ...known.map(({ id }) => id)])]
  const stores = ids.map(id => ({
    configured: configured.includes(id),
    currency: currencyOf(config, id),
    ...(known.find(store => store.id === id) ?? { id }),
  }))
  if (terminal.json) terminal.print(JSON.stringify({ stores }))
  else
    terminal.print(
      formatTable(
        ['store', 'in tillage.yaml', 'shop', 'company', 'zone', 'currency', 'asked last (UTC)'],
        stores.map(({ id, configured: isConfigured, ...store }) => [
          id,
          isConfigured ? 'yes' : 'no',
          ...facts(store),
        ]),
        { minor: ['company', 'asked last (UTC)', 'currency'] },
      ),
    )
  return 0
}

const facts = ({
  shopId,
  companyId,
  timeZone,
  currency,
  checkedAt,
}: Partial<KnownStore> & { currency: string }): string[] => [
  checkedAt === undefined ? 'never read' : (shopId ?? 'the API does not say'),
  companyId ?? '',
  timeZone ?? '',
  currency,
  checkedAt === undefined ? '' : toMinute(checkedAt),
]

async function knownStores(config: Context['config']): Promise<KnownStore[]> {
  if (!(await isThere(config.database))) return []
  await using database = await openReadOnly(config, streams)
  return await database.stores.all()
}
