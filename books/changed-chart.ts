import type { Config } from '../config.ts'
import type { GivenOut } from '../connectors/destination/given-out.ts'
import type { AccountingSettings } from '../exports/journal/settings.ts'
import { settingsOfStore } from '../exports/journal/store-settings.ts'

/** Where lines go; the rest of the settings moves no amount to another account. */
const chartOf = (settings: Partial<AccountingSettings>): string =>
  JSON.stringify([
    settings.accounts,
    settings.byCategory,
    settings.byConsumerType,
    settings.tenders,
    settings.taxes,
  ])

/**
 * The days of a store whose newest journal was posted by other accounts than tillage.yaml names
 * now, oldest first: that posts nothing by itself.
 */
export async function daysOfAnotherChart(
  { accounting }: Pick<Config, 'accounting'>,
  givenOut: Pick<GivenOut, 'settingsByDay'>,
  store: string,
): Promise<string[]> {
  const now = chartOf(settingsOfStore(accounting, store))
  return [...(await givenOut.settingsByDay(store))]
    .filter(([, then]) => chartOf(JSON.parse(then) as AccountingSettings) !== now)
    .map(([day]) => day)
}

/** The same while no later day was posted by today's chart: then the change is news. */
export async function daysBeforeNewChart(
  config: Pick<Config, 'accounting'>,
  givenOut: Pick<GivenOut, 'newestSettings' | 'settingsByDay'>,
  store: string,
): Promise<string[]> {
  const newest = await givenOut.newestSettings(store)
  const now = chartOf(settingsOfStore(config.accounting, store))
  return newest === undefined || chartOf(JSON.parse(newest) as AccountingSettings) === now
    ? []
    : daysOfAnotherChart(config, givenOut, store)
}
