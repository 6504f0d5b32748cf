import { existsSync } from 'node:fs'
import { periodClosedThrough } from '../books/periods.ts'
import { openGivenOut } from '../connectors/database.ts'
import type { Account } from '../exports/journal/chart.ts'
import { accountsIn } from '../exports/journal/settings.ts'
import { chooseStores } from './arguments/choices.ts'
import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { fold } from './terminal/started-as.ts'
import { formatTable } from './terminal/table.ts'

const IMPORTERS = ['qbo', 'xero', 'iif', 'netsuite'] as const

/** `tillage accounts`: the chart of the journal as it applies, from defaults and configuration. */
async function listAccounts(
  { terminal, config }: Context,
  { store }: { store?: string },
): Promise<number> {
  const accounts = accountsIn(config.accounting)
    .map(({ path, account }) => ({ use: path.join('.').replace(/^accounts\./, ''), ...account }))
    .toSorted((one, other) => (one.code < other.code ? -1 : 1))
  const { periodClosedThrough: configured, formats } = config.accounting
  const closedThrough = readClosed(config, chooseStores(config, store))
  const days = closedThrough.map(({ store, day }) => `${store} ${day ?? 'open'}`).join(', ')
  terminal.print(
    terminal.json
      ? JSON.stringify({
          accounts,
          formats,
          periodClosedThrough: configured ?? null,
          closedThrough: Object.fromEntries(closedThrough.map(({ store, day }) => [store, day])),
        })
      : [
          formatTable(
            ['code', 'account', 'for', 'other texts'],
            accounts.map(account => [account.code, account.name, account.use, otherTexts(account)]),
          ),
          '',
          fold(`  ${describeFormats(config)}; books are closed through: ${days}.`),
          '  Another account: accounting.accounts in tillage.yaml, by the name under "for".',
        ].join('\n'),
  )
  return 0
}

function describeFormats({ accounting, schedules }: Context['config']): string {
  const { journal } = schedules.nightly
  const nights = journal.length === 0 ? '' : `, those of nights as ${journal.join(', ')}`
  return `Journals are written as ${accounting.formats.join(', ')}${nights}`
}

/** What the configuration closes, or `tillage books close`, whichever reaches further. */
function readClosed(
  config: Context['config'],
  stores: readonly string[],
): { store: string; day: string | null }[] {
  const memory = existsSync(config.database)
    ? openGivenOut(config.database, { readonly: true })
    : undefined
  try {
    const periods = (store: string) => memory?.periods(store) ?? []
    return stores.map(id => ({
      store: id,
      day: periodClosedThrough(config, { periods }, id) ?? null,
    }))
  } finally {
    memory?.close()
  }
}

const otherTexts = (account: Account): string =>
  IMPORTERS.flatMap(importer =>
    account[importer] === undefined ? [] : [`${importer}: ${account[importer]}`],
  ).join(', ')

export const command = declareCommand({ run: listAccounts })
