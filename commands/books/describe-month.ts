import { totalsByAccount } from '../../books/account-totals.ts'
import type { DatedEntries } from '../../books/account-totals.ts'
import { leavesBooksOpen, MISSING } from '../../books/month.ts'
import type { DayState, MonthDay, StoreMonth } from '../../books/month.ts'
import { addDays } from '../../calendar/days.ts'
import type { Config } from '../../config.ts'
import { showHeld } from '../../exports/journal/held.ts'
import { nightlyFormats } from '../../exports/journal/store-settings.ts'
import type { Unposted } from '../../exports/journal/unposted.ts'
import { amountText } from '../../money/amount.ts'
import { describeUnpostedDays } from '../../standing/describe-unposted.ts'
import { csvText } from '../../text/write-csv.ts'
import { countOf } from '../terminal/number.ts'
import { formatTable } from '../terminal/table.ts'
import { describePeriodEvent } from './period-events.ts'
import { importCell, importsAsJson } from './posted.ts'

const MONTH_COLUMNS = [
  'store',
  'day',
  'state',
  'revision',
  'journal',
  'balanced',
  'restated_lines',
  'restated_amount',
  'not_posted',
  'why_not_closed',
  'imported',
  'currency',
]

/** For a spreadsheet: the month as `books --csv` prints it. */
export const monthAsCsv = (months: readonly StoreMonth[]): string =>
  csvText(
    MONTH_COLUMNS,
    months.flatMap(month =>
      month.days.map(one => [
        month.store,
        one.day,
        one.state,
        String(one.revision ?? ''),
        one.journal ?? '',
        String(one.balanced ?? ''),
        String(one.restated.lines),
        one.restated.amount,
        notPosted(one),
        [one.obstacle, one.heldBy?.why].filter(text => text !== undefined).join(': '),
        importCell(one, month),
        month.currency,
      ]),
    ),
  )
    // A terminal shows what it would act on, and a carriage return is such.
    .replaceAll('\r\n', '\n')
    .trimEnd()

/** As `books --json` answers. */
export const dayAsJson = ({
  obstacle: _obstacle,
  heldBy: _heldBy,
  begun: _begun,
  unposted,
  imports,
  ...day
}: MonthDay): object => ({
  ...day,
  ...(unposted === undefined ? {} : { unposted: unpostedAsJson(unposted) }),
  imports: importsAsJson(imports),
})

/** As `books --json` and `books close --json` have it. */
export const unpostedAsJson = ({ amount, accounts, heldBy }: Unposted): object => ({
  amount,
  accounts,
  ...(heldBy === undefined ? {} : { heldBy }),
})

/** Days to come say nothing yet, unless the whole month is to come. */
function shownDays({ days }: StoreMonth): MonthDay[] {
  const begun = days.filter(day => day.begun)
  return begun.length === 0 ? days : begun
}

const DAY_COLUMNS = ['store', 'day', 'state', 'rev', 'journal', 'balanced', 'restated']

const notPosted = ({ unposted }: MonthDay): string => unposted?.amount ?? ''

/** Its days, who closed or reopened it, and the totals of its journals by account. */
export function describeMonth(
  months: readonly StoreMonth[],
  dated: readonly DatedEntries[],
): string {
  const shown = months.flatMap(one => shownDays(one).map(day => ({ ...day, month: one })))
  const isUnposted = shown.some(({ unposted }) => unposted !== undefined)
  const isRecorded = months.some(({ recordsImports }) => recordsImports)
  const days = formatTable(
    [...DAY_COLUMNS, ...(isUnposted ? ['not posted'] : []), ...(isRecorded ? ['imported'] : [])],
    shown.map(day => [
      day.month.store,
      ...cellsOf(day),
      ...(isUnposted ? [notPosted(day)] : []),
      ...(isRecorded ? [importCell(day, day.month)] : []),
    ]),
    { minor: ['balanced'] },
  )
  const events = months.flatMap(one => one.events.map(event => `  ${describePeriodEvent(event)}`))
  const parts = [days, events.join('\n'), describeTotals(dated)]
  return parts.filter(part => part !== '').join('\n\n')
}

/** By account; amounts of several currencies are never added up. */
function describeTotals(dated: readonly DatedEntries[]): string {
  const totals = totalsByAccount(dated)
  if (totals.length === 0) return '  No journal is dated in this month.'
  const hasSeveral = new Set(totals.map(({ currency }) => currency)).size > 1
  return formatTable(
    ['account', 'name', ...(hasSeveral ? ['currency'] : []), 'debits', 'credits', 'net'],
    totals.map(({ code, name, currency, debit, credit }) => [
      code,
      name,
      ...(hasSeveral ? [currency] : []),
      amountText(debit),
      amountText(credit),
      amountText(debit - credit),
    ]),
  )
}

function cellsOf({ day, state, revision, journal, balanced, restated }: MonthDay): string[] {
  return [
    day,
    state,
    revision === null ? '' : `r${revision}`,
    journal ?? '',
    balanced === null ? '' : yesOrNo(balanced),
    restated.lines === 0 ? '' : `${restated.lines} by ${restated.amount}`,
  ]
}

const yesOrNo = (yes: boolean): string => (yes ? 'yes' : 'NO')

/** What such days need is in no database yet. */
const READ_AGAIN: readonly DayState[] = ['missed', 'booked']

/** What to do about days that are over and have no journal: one line for each state of a store. */
export function remediesOf({ store, days }: StoreMonth, config: Config): string[] {
  return [...MISSING, 'booked' as const].flatMap(state => {
    const those = days.filter(day => day.state === state && leavesBooksOpen(day))
    if (those.length === 0) return []
    if (state === 'held') return those.map(day => describeHeld(store, day))
    if (state === 'changed')
      return describeUnpostedDays(those.map(({ unposted }) => unposted!)).map(
        line => `${store}: ${line}`,
      )
    const found = those.map(({ day }) => day)
    const [first, last] = [found[0]!, found.at(-1)!]
    // A business day may end on the next calendar day.
    const sync = `tillage sync --store ${store} --from ${first} --to ${addDays(last, 2)}`
    const remedy = READ_AGAIN.includes(state) ? sync : bookThem(store, { first, last }, config)
    const how = state === 'booked' ? 'booked, and not proven since' : state
    return [`${store}: ${countOf(found.length, 'day')} ${how}, first ${first}: ${remedy}`]
  })
}

/** Many days at once as their nights would have booked them, where nights write journals. */
function bookThem(
  store: string,
  { first, last }: { first: string; last: string },
  config: Config,
): string {
  if (first === last) return `tillage journal --store ${store} --date ${first}`
  const atNight = nightlyFormats(config.accounting, store, config.schedules.nightly.journal)
  const command = atNight.length === 0 ? 'journal' : 'schedule backfill'
  return `tillage ${command} --store ${store} --from ${first} --to ${addDays(last, 1)}`
}

function describeHeld(store: string, { day, heldBy }: MonthDay): string {
  const held = heldBy!
  return `${store}: ${day} is held, ${held.why}: ${showHeld(held, { store, day })}`
}
