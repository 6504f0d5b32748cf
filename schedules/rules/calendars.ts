/**
 * When a schedule is due, in the form in which Temporal gives it back, so that both can be
 * compared. Temporal takes clocks literally: 02:30 does not happen where they jump over it and
 * happens twice where they are set back. Such days, as far as zones are known ahead, are named one
 * by one, so that each due day has exactly one start.
 */
import { wallTime, dayOf, instantAt, instantsAt } from '../../calendar/clock.ts'
import { DAY_MS, addDays } from '../../calendar/days.ts'

export type Frequency = 'daily' | 'weekly' | 'monthly'

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
type DayOfWeek = 'SUNDAY' | 'SATURDAY'

/** One calendar of a Temporal schedule, every field written out. */
export interface Calendar {
  second: Range<number>[]
  minute: Range<number>[]
  hour: Range<number>[]
  dayOfMonth: Range<number>[]
  month: Range<Month>[]
  year: Range<number>[]
  dayOfWeek: Range<DayOfWeek>[]
  comment: string
}

export interface Calendars {
  calendars: Calendar[]
  skip: Calendar[]
}

const YEARS_AHEAD = 10

const only = <Unit>(value: Unit): Range<Unit>[] => [{ start: value, end: value, step: 1 }]

function calendar(clock: string, fields: Partial<Calendar>): Calendar {
  const [hour, minute] = clock.split(':').map(Number)
  return {
    second: only(0),
    minute: only(minute!),
    hour: only(hour!),
    dayOfMonth: [{ start: 1, end: 31, step: 1 }],
    month: [{ start: 'JANUARY', end: 'DECEMBER', step: 1 }],
    year: [],
    dayOfWeek: [{ start: 'SUNDAY', end: 'SATURDAY', step: 1 }],
    comment: '',
    ...fields,
  }
}

const onDay = (day: string, clock: string): Calendar =>
  calendar(clock, {
    year: only(Number(day.slice(0, 4))),
    month: only(MONTHS[Number(day.slice(5, 7)) - 1]!),
    dayOfMonth: only(Number(day.slice(8))),
  })

/** Weekly is on Sundays, monthly on the first. */
const isDue = (day: string, every: Frequency): boolean =>
  every === 'daily' ||
  (every === 'weekly' ? new Date(`${day}T00:00:00Z`).getUTCDay() === 0 : day.endsWith('-01'))

/** As Temporal says it. */
const USUAL_DAYS: Readonly<Record<Frequency, Partial<Calendar>>> = {
  daily: {},
  weekly: { dayOfWeek: only('SUNDAY') },
  monthly: { dayOfMonth: only(1) },
}

/** The days of one year to the tenth after it on which clocks show `at` never or twice. */
function oddDays(at: string, timeZone: string, every: Frequency, firstYear: number): string[] {
  const odd: string[] = []
  for (let day = `${firstYear}-01-01`; day < `${firstYear + YEARS_AHEAD}`; day = addDays(day, 1)) {
    if (isDue(day, every) && instantsAt(day, at, timeZone).length !== 1) odd.push(day)
  }
  return odd
}

/** The calendars of something that is due at `HH:mm`. */
export function calendarsFor(
  at: string,
  timeZone: string,
  every: Frequency,
  firstYear: number,
): Calendars {
  const usual = calendar(at, USUAL_DAYS[every])
  const odd = oddDays(at, timeZone, every, firstYear).map(day => ({
    day,
    dueMs: startOn(day, at, timeZone),
  }))
  return {
    calendars: [
      usual,
      ...odd.map(({ dueMs }) => onDay(dayOf(dueMs, timeZone), wallTime(dueMs, timeZone))),
    ],
    skip: odd
      .filter(({ day }) => instantsAt(day, at, timeZone).length > 1)
      .map(({ day }) => onDay(day, at)),
  }
}

/**
 * Where clocks show `at` twice neither can be named alone; the time that is later by as much as
 * they were set back comes once, and stands in for it.
 */
function startOn(day: string, at: string, timeZone: string): number {
  const [first, second] = instantsAt(day, at, timeZone)
  return first === undefined || second === undefined
    ? instantAt(day, at, timeZone)
    : second + (second - first)
}

/** When something is due: at `HH:mm` in a zone. */
export interface Timing {
  at: string
  timeZone: string
  every: Frequency
}

/** Every time that something was due after one instant and up to another, by the same rules. */
export function dueTimes(
  { at, timeZone, every }: Timing,
  afterMs: number,
  untilMs: number,
): number[] {
  const times: number[] = []
  for (
    let day = addDays(dayOf(afterMs, timeZone), -1);
    day <= dayOf(untilMs, timeZone);
    day = addDays(day, 1)
  ) {
    if (isDue(day, every)) times.push(startOn(day, at, timeZone))
  }
  return times.filter(ms => ms > afterMs && ms <= untilMs)
}

/** The next time after an instant. */
export function nextDue(timing: Timing, afterMs: number): number {
  const [next] = dueTimes(timing, afterMs, afterMs + 63 * DAY_MS)
  return next!
}
