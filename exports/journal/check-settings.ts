import { accountsIn, accountsOfStore, contradictions } from './accounts-in.ts'
import type { PlacedAccount } from './accounts-in.ts'
import { desktopText } from './formats/iif.ts'
import { isWindows1252 } from './formats/windows-1252.ts'
import { journalNumber, sharedCodes, shortNumber } from './journal-number.ts'
import { accountingSections } from './settings.ts'
import type { AccountingSettings, JournalFormat } from './settings.ts'
import { nightlyFormats, settingsOfStore } from './store-settings.ts'

/**
 * `accounting:` of tillage.yaml. Everything has a default: the chart of `chart.ts`, no closed
 * period, the generic format.
 */
export const accountingSettings = accountingSections.superRefine((settings, context) => {
  const charts = [
    accountsIn(settings),
    ...Object.keys(settings.stores).map(id => accountsOfStore(settings, id)),
  ]
  const found = new Map(charts.flatMap(contradictions).map(one => [one.path.join('.'), one]))
  for (const { path, other } of found.values())
    context.addIssue({
      code: 'custom',
      path,
      message:
        `has the code of ${other.join('.')}, but another name or another text for an importer; ` +
        'one code is one account, so write both alike',
    })
})

/**
 * What the accounting section says of stores that are not there, and of those that are what cannot
 * be; `nightly` is what the chain's nights write.
 */
export function findProblems(
  settings: AccountingSettings,
  stores: readonly string[],
  nightly: readonly JournalFormat[],
): string[] {
  const strangers = Object.keys(settings.stores).filter(id => !stores.includes(id))
  const onDesktop = stores.filter(id =>
    [...settingsOfStore(settings, id).formats, ...nightlyFormats(settings, id, nightly)].includes(
      'iif',
    ),
  )
  return [
    ...strangers.map(id => `accounting.stores.${id} is about a store that is not in stores`),
    ...sharedNumbers(settings, stores, journalNumber, 'journal numbers'),
    ...findDesktopProblems(settings, onDesktop),
  ]
}

/** Of one level of an account in QuickBooks Desktop; five of them and four colons are its 159. */
const LONGEST_NAME = 31

/** What QuickBooks Desktop could not tell apart or read of the stores that it is written for. */
export function findDesktopProblems(
  settings: AccountingSettings,
  stores: readonly string[],
): string[] {
  const found = stores.flatMap(store => accountProblems(accountsOfStore(settings, store)))
  return [
    ...sharedNumbers(
      settings,
      stores,
      shortNumber,
      'numbers in QuickBooks Desktop, which have room for three characters of a store',
    ),
    ...new Set(found),
  ]
}

function accountProblems(accounts: readonly PlacedAccount[]): string[] {
  const long = accounts.filter(({ account }) =>
    desktopText(account)
      .split(':')
      .some(level => level.length > LONGEST_NAME),
  )
  const foreign = accounts.filter(({ account }) => !isWindows1252(desktopText(account)))
  return [
    ...long.map(
      ({ path }) =>
        `accounting.${path.join('.')} has a name of more than ${LONGEST_NAME} characters, ` +
        'which QuickBooks Desktop would cut off and create anew; give its name there: ' +
        '{ code, name, iif }',
    ),
    ...foreign.map(
      ({ path }) =>
        `accounting.${path.join('.')} has a character that QuickBooks Desktop cannot read ` +
        '(it reads Windows-1252); give its name there: { code, name, iif }',
    ),
  ]
}

function sharedNumbers(
  settings: AccountingSettings,
  stores: readonly string[],
  numberOf: typeof journalNumber,
  what: string,
): string[] {
  const codes = new Map(stores.map(id => [id, settings.stores[id]?.code ?? id]))
  return sharedCodes(codes, numberOf).map(
    ([one, other]) =>
      `the stores ${one} and ${other} would share their ${what}; give each its own code: ` +
      `accounting.stores.${other}.code`,
  )
}
