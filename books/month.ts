import { businessDays } from '../calendar/business-day.ts'
import type { StoreClock } from '../calendar/business-day.ts'
import { addDays } from '../calendar/days.ts'
import { coverage, openAgain } from '../connectors/destination/coverage.ts'
import type { FailedReading, LedgerRow } from '../connectors/destination/coverage.ts'
import type { PeriodEvent, PostingAct } from '../connectors/destination/given-out.ts'
import { addUp, sidesOf } from '../exports/journal/entry.ts'
import type { JournalEntry } from '../exports/journal/entry.ts'
import type { HeldBack } from '../exports/journal/held.ts'
import { amountText } from '../money/amount.ts'
import { currencyOf } from '../money/currency.ts'
import type { HistoryPlace } from './books-place.ts'
import { givenDays } from './given-days.ts'
import type { GivenDay } from './given-days.ts'
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
  /** By the newest reading that proved it, so that it can be given out and booked. */
  proven: boolean
  /** A later reading of it failed, so that what came since is not known. */
  failedAgain: boolean
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

const NOT_PROVEN = 'is not proven'
const FAILED_AGAIN = 'is not proven since it was read again'

/** Why a period with this day cannot be closed; undefined if it can. */
export function whyNotClosable({
  over,
  proven,
  failedAgain,
  revision,
  held,
  booked,
  changed,
  elsewhere,
}: DayFacts): string | undefined {
  if (!over) return 'is not over'
  if (elsewhere) return undefined
  if (!proven) return NOT_PROVEN
  if (failedAgain) return FAILED_AGAIN
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
  /** Of a day that is held. */
  heldBy: HeldBack | undefined
  /** What of it somebody has to import, and whether somebody said that it was. */
  imports: JournalImport[]
}

/** Whether what keeps a day open is that not all of it is known. */
export const isUnproven = (obstacle: string | undefined): boolean =>
  obstacle === NOT_PROVEN || obstacle === FAILED_AGAIN

/** It is over and not, or no longer, in the books, or what came of it since is not known. */
export const leavesBooksOpen = ({ state, obstacle }: Pick<MonthDay, 'state' | 'obstacle'>) =>
  MISSING.includes(state) || (state === 'booked' && isUnproven(obstacle))

export interface StoreMonth {
  store: string
  /** Of its amounts, unless an entry was posted in another. */
  currency: string
  days: MonthDay[]
  /** Who closed and reopened the month. */
  events: PeriodEvent[]
  /** Somebody records what was imported: what nobody recorded is told then. */
  recordsImports: boolean
}

/** A store's month, day by day. A store of an unknown zone was never read, so nothing is proven. */
export const readMonth = (place: HistoryPlace, store: string, month: string): Promise<StoreMonth> =>
  readDays(place, store, monthRange(month))

/** Some days of a month, the second exclusive: nothing is asked or computed of the others. */
export async function readDays(
  place: HistoryPlace,
  store: string,
  range: { from: string; to: string },
): Promise<StoreMonth> {
  const { config, database, history } = place
  const timeZone = await database.zoneOfRows(store)
  const clock = storeClockOf(config, store, timeZone)
  const events = await history.periods(store)
  const closedThrough = (await periodClosedThrough(config, history, store)) ?? ''
  const floor = configuredFloor(config, store)
  const first = floor === undefined ? undefined : await firstGiven(history, store)
  const stream = bookedStream().name
  const read = await database.ledger.windows(store, stream, businessDays(range, clock))
  const failed = await openAgain(database.ledger, { store, stream }, read)
  const given = await givenDays(place, store, range)
  const booked = given.filter(one => one.booked).map(({ day }) => day)
  const { days: unposted } = await unpostedDays(place, store, { days: range, booked })
  const acts = await history.postingActs(store)
  return {
    store,
    currency: currencyOf(config, store),
    recordsImports: acts.length > 0,
    days: given.map(one =>
      describeDay(
        { ...one, unposted: unposted.find(({ day }) => day === one.day) },
        {
          ...timesOf({ read, failed }, one.day, clock),
          closed: one.day <= closedThrough,
          elsewhere: isBookedElsewhere(one.day, first, floor),
          acts: acts.filter(({ day }) => day === one.day),
        },
      ),
    ),
    events: events.filter(({ month }) => month === range.from.slice(0, 7)),
  }
}

function timesOf(
  { read, failed }: { read: readonly LedgerRow[]; failed: readonly FailedReading[] },
  day: string,
  clock: StoreClock,
): Pick<DayFacts, 'over' | 'proven' | 'failedAgain'> & { begun: boolean } {
  const range = businessDays({ from: day, to: addDays(day, 1) }, clock)
  return {
    begun: range.startMs <= Date.now(),
    over: range.endMs <= Date.now(),
    proven: coverage(read, range).every(({ status }) => status === 'proven'),
    failedAgain: failed.some(
      ({ startMs, endMs }) => startMs < range.endMs && endMs > range.startMs,
    ),
  }
}

function describeDay(
  given: GivenDay & Pick<MonthDay, 'unposted'>,
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
