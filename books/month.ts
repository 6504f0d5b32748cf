import { businessDays } from '../calendar/business-day.ts'
import type { StoreClock } from '../calendar/business-day.ts'
import { addDays, daysBetween } from '../calendar/days.ts'
import type { Config } from '../config.ts'
import { coverage } from '../connectors/destination/coverage.ts'
import type { LedgerRow } from '../connectors/destination/coverage.ts'
import { openAgain, provenStill } from '../connectors/destination/failed-again.ts'
import type { PeriodEvent, PostingAct } from '../connectors/destination/given-out.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import { addUp, sidesOf } from '../exports/journal/entry.ts'
import type { JournalEntry } from '../exports/journal/entry.ts'
import { givenJournals } from '../exports/journal/given-journals.ts'
import { whyHeldBack } from '../exports/journal/held.ts'
import { settingsOfStore } from '../exports/journal/store-settings.ts'
import type { PostingHistory } from '../exports/posting-history.ts'
import { newestManifest } from '../exports/revisions/manifest.ts'
import { amountText } from '../money/amount.ts'
import type { Amount } from '../money/amount.ts'
import { currencyOf } from '../money/currency.ts'
import { compareTexts } from '../text/compare-texts.ts'
import { importsOf } from './journal-imports.ts'
import type { JournalImport } from './journal-imports.ts'
import { bookedStream } from './order-journal.ts'
import {
  configuredFloor,
  firstGiven,
  isBookedElsewhere,
  monthRange,
  periodClosedThrough,
} from './periods.ts'
import { storeClockOf } from './store-clock.ts'
import { unpostedDays } from './unposted-days.ts'
import type { UnpostedDay } from './unposted-days.ts'

export type DayState =
  | 'open'
  | 'proven'
  | 'exported'
  | 'booked'
  | 'changed'
  | 'held'
  | 'missed'
  | 'closed'
  | 'elsewhere'

/** What is known of a business day. */
export interface DayFacts {
  /** It has ended. */
  over: boolean
  proven: boolean
  /** The newest that was given out, or null. */
  revision: number | null
  /** Its newest checks hold its journal, or a change of it, back. */
  held: boolean
  booked: boolean
  /** Its rows say something else than its journal. */
  changed: boolean
  /** Its period is closed. */
  closed: boolean
  /** Others booked it. */
  elsewhere: boolean
}

/** How a business day stands. What is closed was booked before; what is held is nothing else. */
export function stateOf(facts: DayFacts): DayState {
  const { over, proven, revision, held, booked, changed, closed, elsewhere } = facts
  if (!over) return 'open'
  if (elsewhere) return 'elsewhere'
  if (held) return 'held'
  if (changed) return 'changed'
  if (booked) return closed ? 'closed' : 'booked'
  if (!proven) return 'missed'
  return revision === null ? 'proven' : 'exported'
}

/** States of a day that is over and is not, or no longer, in the books. */
export const MISSING: readonly DayState[] = ['missed', 'proven', 'exported', 'changed', 'held']

export const NOT_PROVEN = 'is not proven'

/** Why a period with this day cannot be closed; undefined if it can. */
export function whyNotClosable({
  over,
  proven,
  revision,
  held,
  booked,
  changed,
  elsewhere,
}: DayFacts): string | undefined {
  if (!over) return 'is not over'
  if (elsewhere) return undefined
  if (!proven) return NOT_PROVEN
  if (held) return 'is held back'
  if (revision === null) return 'is not exported'
  if (!booked) return 'has no journal'
  return changed ? 'has changed since its journal' : undefined
}

export interface MonthDay {
  day: string
  state: DayState
  /** False: it is still to come. */
  begun: boolean
  revision: number | null
  /** The number of the newest entry about the day. */
  journal: string | null
  balanced: boolean | null
  /** Lines that are not what was posted first, and the debits by which they differ. */
  restated: { lines: number; amount: string }
  /** Of a day that changed since its journal: what is not posted. */
  unposted: UnpostedDay | undefined
  obstacle: string | undefined
  /** Of a day that is held: the first thing that holds it. */
  heldBy: string | undefined
  /** What of it somebody has to import, and whether somebody said that it was. */
  imports: JournalImport[]
}

/** It is over and not, or no longer, in the books, or what came of it since is not known. */
export const leavesBooksOpen = ({ state, obstacle }: Pick<MonthDay, 'state' | 'obstacle'>) =>
  MISSING.includes(state) || (state === 'booked' && obstacle === NOT_PROVEN)

export interface StoreMonth {
  store: string
  /** Of its amounts, unless an entry was posted in another. */
  currency: string
  days: MonthDay[]
  /** Who closed and reopened the month. */
  events: PeriodEvent[]
  /** Entries that are dated in the month. */
  entries: JournalEntry[]
  /** Somebody records what was imported: what nobody recorded is told then. */
  recordsImports: boolean
}

interface Place {
  config: Config
  database: ReadOnlyDatabase
  history: PostingHistory
}

/** A store's month, day by day. A store of an unknown zone was never read, so nothing is proven. */
export async function readMonth(place: Place, store: string, month: string): Promise<StoreMonth> {
  const { config, database, history } = place
  const timeZone = await database.zoneOfRows(store)
  const clock = storeClockOf(config, store, timeZone)
  const events = await history.periods(store)
  const closedThrough = (await periodClosedThrough(config, history, store)) ?? ''
  const floor = configuredFloor(config, store)
  const first = floor === undefined ? undefined : await firstGiven(history, store)
  const range = monthRange(month)
  const stream = bookedStream().name
  const read = await database.ledger.windows(store, stream, businessDays(range, clock))
  const ledger = provenStill(read, await openAgain(database.ledger, { store, stream }, read))
  const names = Array.from({ length: daysBetween(range.from, range.to) }, (_, index) =>
    addDays(range.from, index),
  )
  const given: GivenDay[] = []
  for (const day of names) given.push(await givenOf(place, store, day))
  const booked = names.filter((_, index) => given[index]!.booked)
  const { days: unposted } = await unpostedDays(place, store, { days: range, booked })
  const acts = await history.postingActs(store)
  return {
    store,
    currency: currencyOf(config, store),
    recordsImports: acts.length > 0,
    days: names.map((day, index) =>
      describeDay(
        { day, unposted: unposted.find(one => one.day === day), ...given[index]! },
        {
          ...timesOf(ledger, day, clock),
          closed: day <= closedThrough,
          elsewhere: isBookedElsewhere(day, first, floor),
          acts: acts.filter(act => act.day === day),
        },
      ),
    ),
    events: events.filter(event => event.month === month),
    entries: [
      ...(await history.postedOn(store, range)),
      ...given
        .flatMap(({ posted, fromFiles }) => (fromFiles ? posted : []))
        .filter(({ date }) => date >= range.from && date < range.to),
    ],
  }
}

function timesOf(
  ledger: readonly LedgerRow[],
  day: string,
  clock: StoreClock,
): Pick<DayFacts, 'over' | 'proven'> & { begun: boolean } {
  const range = businessDays({ from: day, to: addDays(day, 1) }, clock)
  return {
    begun: range.startMs <= Date.now(),
    over: range.endMs <= Date.now(),
    proven: coverage(ledger, range).every(({ status }) => status === 'proven'),
  }
}

interface GivenDay extends Pick<DayFacts, 'revision' | 'held' | 'booked'> {
  heldBy: string | undefined
  posted: JournalEntry[]
  fromFiles: boolean
}

/** What was given out of a day, as the database and the exports folder remember it. */
async function givenOf({ config, history }: Place, store: string, day: string): Promise<GivenDay> {
  const range = { store, days: { from: day, to: addDays(day, 1) } }
  const newest = newestManifest(config.exports, range)
  const journals = await givenJournals(
    { store, businessDate: day, newest, history },
    settingsOfStore(config.accounting, store),
  )
  const posted: JournalEntry[] = journals.posted ?? []
  const heldBy = whyHeldBack(newest)
  const { name } = bookedStream()
  const remembered = await history.newestState(range, name)
  // A manifest counts the states of other lists, too.
  const inFolder = newest?.manifest.states.find(({ stream }) => stream === name)
  return {
    revision: newestOf([remembered?.revision, inFolder?.revision, posted.at(-1)?.revision]),
    held: heldBy !== undefined,
    heldBy,
    // The file of a journal from before entries were remembered may hold none.
    booked: posted.length > 0 || journals.revisionsOf('generic').length > 0,
    posted,
    fromFiles: journals.fromFiles,
  }
}

function newestOf(revisions: readonly (number | undefined)[]): number | null {
  const known = revisions.filter(one => one !== undefined)
  return known.length === 0 ? null : Math.max(...known)
}

function describeDay(
  given: GivenDay & Pick<MonthDay, 'day' | 'unposted'>,
  times: Omit<DayFacts, keyof GivenDay | 'changed'> & { begun: boolean; acts: PostingAct[] },
): MonthDay {
  const { day, posted, booked, revision, unposted } = given
  const facts = { ...given, ...times, changed: unposted !== undefined }
  const changed = addUp(posted.slice(1).flatMap(({ lines }) => lines))
  return {
    day,
    state: stateOf(facts),
    begun: times.begun,
    revision,
    journal: posted.at(-1)?.number ?? null,
    balanced: booked ? posted.every(isBalanced) : null,
    restated: { lines: changed.length, amount: amountText(sidesOf(changed).debit) },
    unposted,
    obstacle: whyNotClosable(facts),
    heldBy: given.heldBy,
    imports: importsOf(posted, times.acts),
  }
}

function isBalanced({ lines }: JournalEntry): boolean {
  const { debit, credit } = sidesOf(lines)
  return debit === credit
}

export interface AccountTotal {
  code: string
  name: string
  currency: string
  debit: Amount
  credit: Amount
}

/**
 * Both sides of each account, by currency and code. A code is one account within a store, under its
 * newest name; stores of different charts may have it for different ones.
 */
export function totalsByAccount(
  months: readonly Pick<StoreMonth, 'entries' | 'currency'>[],
): AccountTotal[] {
  const named = months.flatMap(({ entries, currency: usual }) => {
    const lines = entries.flatMap(entry =>
      entry.lines.map(line => ({ line, currency: entry.store?.currency ?? usual })),
    )
    const names = new Map(lines.map(({ line: { account } }) => [account.code, account.name]))
    return lines.map(({ line, currency }) => {
      const { code } = line.account
      return { line, account: { code, name: names.get(code)!, currency } }
    })
  })
  return [...Map.groupBy(named, ({ account }) => JSON.stringify(account)).values()]
    .map(of => ({ ...of[0]!.account, ...sidesOf(of.map(({ line }) => line)) }))
    .sort((a, b) => compareTexts(a.currency, b.currency) || compareTexts(a.code, b.code))
}
