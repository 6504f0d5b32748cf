import { daysOfAnotherChart } from '../books/changed-chart.ts'
import { periodClosedThrough } from '../books/periods.ts'
import { isThere, openGivenOut } from '../connectors/database.ts'
import type { GivenOut } from '../connectors/destination/given-out.ts'
import { accountsIn } from '../exports/journal/accounts-in.ts'
import { IMPORTERS } from '../exports/journal/chart.ts'
import type { Account } from '../exports/journal/chart.ts'
import type { JournalFormat } from '../exports/journal/settings.ts'
import { nightlyFormats, settingsOfStore } from '../exports/journal/store-settings.ts'
import { chooseStores } from './arguments/choices.ts'
import { describeAnotherChart } from './books/another-chart.ts'
import { declareCommand } from './command.ts'
import type { Context } from './command.ts'
import { fold } from './terminal/started-as.ts'
import { formatTable } from './terminal/table.ts'

/** How a store's journals are written. */
interface StoreChart {
  store: string
  accounts: ({ use: string } & Account)[]
  formats: readonly JournalFormat[]
  nightlyJournal: readonly JournalFormat[]
  /** What the configuration closes, or `tillage books close`, whichever reaches further. */
  closedThrough: string | null
  /** Days that were posted by another chart, oldest first. */
  daysOfAnotherChart: string[]
}

/** `tillage accounts`: the chart of each store's journal, from defaults and configuration. */
async function listAccounts(
  { terminal, config }: Context,
  { store }: { store?: string },
): Promise<number> {
  await using memory = (await isThere(config.database))
    ? await openGivenOut(config.database, { readonly: true })
    : undefined
  const charts: StoreChart[] = []
  for (const id of chooseStores(config, store)) charts.push(await chartOf(config, id, memory))
  terminal.print(terminal.json ? JSON.stringify({ stores: charts }) : describeCharts(charts))
  return 0
}

async function chartOf(
  config: Context['config'],
  store: string,
  memory: Pick<GivenOut, 'periods' | 'settingsByDay'> | undefined,
): Promise<StoreChart> {
  const settings = settingsOfStore(config.accounting, store)
  const nothing = { periods: async () => [], settingsByDay: async () => new Map<string, string>() }
  const { journal } = config.schedules.nightly
  return {
    store,
    accounts: accountsIn(settings)
      .map(({ path, account }) => ({ use: path.join('.').replace(/^accounts\./, ''), ...account }))
      .toSorted((one, other) => (one.code < other.code ? -1 : 1)),
    formats: settings.formats,
    nightlyJournal: nightlyFormats(config.accounting, store, journal),
    closedThrough: (await periodClosedThrough(config, memory ?? nothing, store)) ?? null,
    daysOfAnotherChart: await daysOfAnotherChart(config, memory ?? nothing, store),
  }
}

/** Stores of one chart are one table. */
function describeCharts(charts: readonly StoreChart[]): string {
  const alike = [...Map.groupBy(charts, ({ accounts }) => JSON.stringify(accounts)).values()]
  return [
    ...alike.flatMap(stores => [
      ...(alike.length === 1 ? [] : [`  ${stores.map(({ store }) => store).join(', ')}`]),
      formatTable(
        ['code', 'account', 'for', 'other texts'],
        stores[0]!.accounts.map(one => [one.code, one.name, one.use, otherTexts(one)]),
      ),
      '',
    ]),
    ...charts.map(chart => fold(`  ${chart.store}: ${describeFormats(chart)}`)),
    ...charts.flatMap(({ store, daysOfAnotherChart: days }) =>
      days.length === 0 ? [] : [fold(`  ${store}: ${describeAnotherChart(store, days)}`)],
    ),
    '  Another account: accounting.accounts in tillage.yaml, by the name under "for"; ' +
      'of one store: accounting.stores.STORE.accounts.',
  ].join('\n')
}

function describeFormats({ formats, nightlyJournal, closedThrough }: StoreChart): string {
  const atNight =
    nightlyJournal.length === 0 ? '' : `, those of nights as ${nightlyJournal.join(', ')}`
  const books =
    closedThrough === null ? 'no month is closed' : `books are closed through ${closedThrough}`
  return `journals are written as ${formats.join(', ')}${atNight}; ${books}.`
}

const otherTexts = (account: Account): string =>
  IMPORTERS.flatMap(importer =>
    account[importer] === undefined ? [] : [`${importer}: ${account[importer]}`],
  ).join(', ')

export const command = declareCommand({ run: listAccounts })
