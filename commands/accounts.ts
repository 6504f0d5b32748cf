import type { Account } from '../exports/journal/chart.ts'
import { accountsIn } from '../exports/journal/settings.ts'
import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { formatTable } from './terminal.ts'

const IMPORTERS = ['qbo', 'xero', 'iif', 'netsuite'] as const

/** `tillage accounts`: the chart of the journal as it applies, from defaults and configuration. */
async function listAccounts({ terminal, config }: Context): Promise<number> {
  const accounts = accountsIn(config.accounting)
    .map(({ path, account }) => ({ use: path.join('.').replace(/^accounts\./, ''), ...account }))
    .toSorted((one, other) => (one.code < other.code ? -1 : 1))
  const { periodClosedThrough, formats } = config.accounting
  terminal.print(
    terminal.json
      ? JSON.stringify({ accounts, formats, periodClosedThrough: periodClosedThrough ?? null })
      : [
          formatTable(
            ['code', 'account', 'for', 'other texts'],
            accounts.map(account => [account.code, account.name, account.use, otherTexts(account)]),
          ),
          '',
          `  Journals are written as ${formats.join(', ')}; books are ${periodClosedThrough === undefined ? 'open' : `closed through ${periodClosedThrough}`}.`,
          '  Another account: accounting.accounts in tillage.yaml, by the name under "for".',
        ].join('\n'),
  )
  return 0
}

const otherTexts = (account: Account): string =>
  IMPORTERS.flatMap(importer =>
    account[importer] === undefined ? [] : [`${importer}: ${account[importer]}`],
  ).join(', ')

export const command = declareCommand({ run: listAccounts })
