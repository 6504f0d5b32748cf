/**
 * When a schedule is due, in the form in which Temporal gives it back, so that both can be
 * compared. The calendars are in UTC, written out from our own data of zones: left to read a zone,
 * Temporal starts nothing on a day whose clocks jump over the time, starts twice on a day that
 * sets them back (also what is due in the hour before the one that is repeated), and by data of
 * zones of another age.
 */
import { dayOf, instantAt, wallTime } from '../../calendar/clock.ts'
import { addDays, utcDay } from '../../calendar/days.ts'

export type Frequency = 'daily' | 'weekly' | 'monthly'

/** When something is due: at `HH:mm` in a zone. */
export interface Timing {
  at: string
  timeZone: string
  every: Frequency
}

interface Range<Unit> {
  start: Unit
  end: Unit
  step: number
}

const MONTHS = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const
type Month = (typeof MONTHS)[number]
const WEEKDAYS = [
  'SUNDAY',
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
] as const
type Weekday = (typeof WEEKDAYS)[number]

/** One calendar of a Temporal schedule, every field written out; no year: every year. */
export interface Calendar {
  second: Range<number>[]
  minute: Range<number>[]
  hour: Range<number>[]
  dayOfMonth: Range<number>[]
  month: Range<Month>[]
  year: Range<number>[]
  dayOfWeek: Range<Weekday>[]
  comment: string
}

/** Starts at one clock of UTC, on every day that is in each of the lists. */
interface Starts {
  clock: string
  weekdays: number[]
  days: number[]
  months: number[]
  years: number[]
}

const YEARS_AHEAD = 10
/** What Temporal takes for a year. */
const [EARLIEST_YEAR, LATEST_YEAR] = [2000, 2100]

/** Weekly is on Sundays, monthly on the first. */
const isDue = (day: string, every: Frequency): boolean =>
  every === 'daily' || (every === 'weekly' ? weekdayOf(day) === 0 : day.endsWith('-01'))

const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay()

/**
 * The calendars of something, in UTC: exact for ten years from the first one on. The last of them
 * stands for all later ones, so that a schedule that nobody applies again does not end.
 */
export function calendarsFor(timing: Timing, firstYear: number): Calendar[] {
  const lastYear = firstYear + YEARS_AHEAD - 1
  const starts = eachStart(timing, firstYear, lastYear)
  const months = mergeBy('days', starts).map(withWholeMonth)
  const years = mergeBy('months', months)
  return mergeBy('years', years).map(one => asCalendar(openEnded(one, firstYear, lastYear)))
}

/** One for each day. Of what is weekly every day's, of its weekday alone: so they can be merged. */
function eachStart({ at, timeZone, every }: Timing, firstYear: number, lastYear: number): Starts[] {
  const starts: Starts[] = []
  const until = `${lastYear + 1}-01-02`
  for (let day = `${firstYear - 1}-12-31`; day < until; day = addDays(day, 1)) {
    if (every === 'monthly' && !isDue(day, every)) continue
    const ms = instantAt(day, at, timeZone)
    const [year, month, dayOfMonth] = utcDay(ms).split('-').map(Number)
    if (year! < firstYear || year! > lastYear) continue
    const sunday = (weekdayOf(utcDay(ms)) - weekdayOf(day) + 7) % 7
    starts.push({
      clock: wallTime(ms, 'UTC'),
      weekdays: every === 'weekly' ? [sunday] : numbers(0, 6),
      days: [dayOfMonth!],
      months: [month!],
      years: [year!],
    })
  }
  return starts
}

/** Makes one of those that differ in one list alone. */
function mergeBy(list: 'days' | 'months' | 'years', starts: readonly Starts[]): Starts[] {
  const alike = Map.groupBy(starts, one => JSON.stringify({ ...one, [list]: [] }))
  return [...alike.values()].map(group => ({
    ...group[0]!,
    [list]: group.flatMap(one => one[list]),
  }))
}

/** A month is whole with 28 days or with 31: so that it is like others. */
function withWholeMonth(one: Starts): Starts {
  const [year, month] = [one.years[0]!, one.months[0]!]
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return one.days.length < lastDay ? one : { ...one, days: numbers(1, 31) }
}

function openEnded(one: Starts, firstYear: number, lastYear: number): Starts {
  const before = one.years.includes(firstYear) ? numbers(EARLIEST_YEAR, firstYear - 1) : []
  const after = one.years.includes(lastYear) ? numbers(lastYear + 1, LATEST_YEAR) : []
  return { ...one, years: [...before, ...one.years, ...after] }
}

function asCalendar({ clock, weekdays, days, months, years }: Starts): Calendar {
  const [hour, minute] = clock.split(':').map(Number)
  const isEachYear = years.length > LATEST_YEAR - EARLIEST_YEAR
  return {
    second: rangesOf([0], Number),
    minute: rangesOf([minute!], Number),
    hour: rangesOf([hour!], Number),
    dayOfMonth: rangesOf(days, Number),
    month: rangesOf(months, number => MONTHS[number - 1]!),
    year: isEachYear ? [] : rangesOf(years, Number),
    dayOfWeek: rangesOf(weekdays, number => WEEKDAYS[number]!),
    comment: '',
  }
}

const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Ascending numbers, as ranges of those that follow one another. */
function rangesOf<Unit>(ascending: readonly number[], name: (number: number) => Unit) {
  const ends: [number, number][] = []
  for (const number of ascending) {
    const last = ends.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else ends.push([number, number])
  }
  return ends.map(([start, end]): Range<Unit> => ({ start: name(start), end: name(end), step: 1 }))
}

/** Every time that something was due after one instant and up to another, by the same rules. */
export function dueTimes(
  { at, timeZone, every }: Timing,
  afterMs: number,
  untilMs: number,
): number[] {
  const times: number[] = []
  const lastDay = dayOf(untilMs, timeZone)
  for (let day = addDays(dayOf(afterMs, timeZone), -1); day <= lastDay; day = addDays(day, 1))
    if (isDue(day, every)) times.push(instantAt(day, at, timeZone))
  return times.filter(ms => ms > afterMs && ms <= untilMs)
}

/** The next time after an instant. */
export function nextDue({ at, timeZone, every }: Timing, afterMs: number): number {
  for (let day = addDays(dayOf(afterMs, timeZone), -1); ; day = addDays(day, 1)) {
    if (!isDue(day, every)) continue
    const dueMs = instantAt(day, at, timeZone)
    if (dueMs > afterMs) return dueMs
  }
}
