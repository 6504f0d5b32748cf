import { desktopText } from './formats/iif.ts'
import { isWindows1252 } from './formats/windows-1252.ts'
import { journalNumber, sharedCodes, shortNumber } from './journal-number.ts'
import { accountsIn } from './settings.ts'
import type { AccountingSettings } from './settings.ts'

/**
 * What the accounting section says of stores that are not there, and of those that are what cannot
 * be.
 */
export function findProblems(settings: AccountingSettings, stores: readonly string[]): string[] {
  const strangers = Object.keys(settings.stores).filter(id => !stores.includes(id))
  return [
    ...strangers.map(id => `accounting.stores.${id} is about a store that is not in stores`),
    ...sharedNumbers(settings, stores, journalNumber, 'journal numbers'),
  ]
}

/** Of one level of an account in QuickBooks Desktop; five of them and four colons are its 159. */
const LONGEST_NAME = 31

/** What QuickBooks Desktop could not tell apart or read, where its format is asked for. */
export function findDesktopProblems(
  settings: AccountingSettings,
  stores: readonly string[],
): string[] {
  const long = accountsIn(settings).filter(({ account }) =>
    desktopText(account)
      .split(':')
      .some(level => level.length > LONGEST_NAME),
  )
  const foreign = accountsIn(settings).filter(({ account }) => !isWindows1252(desktopText(account)))
  return [
    ...sharedNumbers(
      settings,
      stores,
      shortNumber,
      'numbers in QuickBooks Desktop, which have room for three characters of a store',
    ),
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
      `the stores ${one} and ${other} would share their ${what}; give each a code of its own: ` +
      `accounting.stores.${other}.code`,
  )
}
