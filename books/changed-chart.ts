import type { Config } from '../config.ts'
import type { GivenOut } from '../connectors/destination/given-out.ts'
import type { AccountingSettings } from '../exports/journal/settings.ts'

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
 * Whether tillage.yaml names other accounts than the newest journal of a store was posted by: that
 * posts nothing by itself.
 */
export function hasChangedChart(
  { accounting }: Pick<Config, 'accounting'>,
  givenOut: Pick<GivenOut, 'newestSettings'>,
  store: string,
): boolean {
  const then = givenOut.newestSettings(store)
  return then !== null && chartOf(JSON.parse(then) as AccountingSettings) !== chartOf(accounting)
}
