import { tzOffset } from '@date-fns/tz'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayOf } from '../../../calendar/clock.ts'
import { wallTime, instantAt, instantsAt, nextAt } from '../../../calendar/clock.ts'
import { addDays } from '../../../calendar/days.ts'
import { calendarsFor, dueTimes } from '../../../schedules/rules/calendars.ts'
import type { Calendar, Timing } from '../../../schedules/rules/calendars.ts'
import { dayBefore } from '../../../schedules/rules/night.ts'
import { sized } from '../../helpers/size.ts'

const ZONES = [
  'America/Los_Angeles',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/Havana',
  'America/Santiago',
  'Africa/Casablanca',
  'Asia/Gaza',
  'Europe/Dublin',
  'Africa/Cairo',
  'Pacific/Apia',
  'Asia/Kolkata',
  'UTC',
]
const utc = (iso: string): number => Date.parse(iso)

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
]
const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY']

/**
 * What Temporal documents: an instant is due if the clock of the zone matches a calendar. Minutes
 * alone are enough here.
 */
function literally(
  calendars: Calendar[],
  fromMs: number,
  untilMs: number,
  timeZone = 'UTC',
): number[] {
  const times: number[] = []
  for (let ms = fromMs; ms < untilMs; ms += 900_000) {
    const offsetMs = timeZone === 'UTC' ? 0 : tzOffset(timeZone, new Date(ms)) * 60_000
    const wall = new Date(ms + offsetMs)
    if (calendars.some(one => isMatch(one, wall))) times.push(ms)
  }
  return times
}

/** Whether the clock, which stands in the UTC fields of `wall`, shows what the calendar names. */
const isMatch = (calendar: Calendar, wall: Date): boolean =>
  within(calendar.year, wall.getUTCFullYear()) &&
  within(calendar.hour, wall.getUTCHours()) &&
  within(calendar.minute, wall.getUTCMinutes()) &&
  within(calendar.dayOfMonth, wall.getUTCDate()) &&
  within(calendar.month, wall.getUTCMonth(), MONTHS) &&
  within(calendar.dayOfWeek, wall.getUTCDay(), WEEKDAYS)

/** Nothing named is everything. */
const within = <Name extends string | number>(
  ranges: readonly { start: Name; end: Name }[],
  value: number,
  names?: readonly string[],
): boolean => {
  const read = (name: Name): number => names?.indexOf(String(name)) ?? Number(name)
  return (
    ranges.length === 0 ||
    ranges.some(({ start, end }) => value >= read(start) && value <= read(end))
  )
}

const quarter = fc
  .integer({ min: 0, max: 95 })
  .map(
    count =>
      `${String(Math.floor(count / 4)).padStart(2, '0')}:${String((count % 4) * 15).padStart(2, '0')}`,
  )

describe('what clocks show', () => {
  test('an instant is found by what clocks show, in spring and in autumn', () => {
    expect(instantsAt('2026-03-08', '02:30', 'America/Los_Angeles')).toEqual([])
    expect(instantAt('2026-03-08', '02:30', 'America/Los_Angeles')).toBe(
      utc('2026-03-08T10:30:00Z'),
    )
    expect(instantsAt('2026-11-01', '01:30', 'America/Los_Angeles')).toEqual([
      utc('2026-11-01T08:30:00Z'),
      utc('2026-11-01T09:30:00Z'),
    ])
    expect(instantAt('2026-03-29', '03:30', 'Europe/Berlin')).toBe(utc('2026-03-29T01:30:00Z'))
    expect(nextAt(utc('2026-03-08T09:59:00Z'), '02:30', 'America/Los_Angeles')).toBe(
      utc('2026-03-08T10:30:00Z'),
    )
    expect(nextAt(utc('2026-03-08T10:30:00Z'), '02:30', 'America/Los_Angeles')).toBe(
      utc('2026-03-09T09:30:00Z'),
    )
  })

  test('any clock of any day and zone is found, and shown again', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        quarter,
        fc.integer({ min: 0, max: 3650 }),
        (zone, clock, number) => {
          const day = addDays('2024-01-01', number)
          for (const ms of instantsAt(day, clock, zone))
            expect([dayOf(ms, zone), wallTime(ms, zone)]).toEqual([day, clock])
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('one start for each due day', () => {
  test.each(ZONES)('in %s, at any time of day, over the changes of 2026', zone => {
    fc.assert(
      fc.property(
        quarter,
        fc.constantFrom(
          '2026-03-01',
          '2026-03-25',
          '2026-04-01',
          '2026-04-20',
          '2026-09-25',
          '2026-10-20',
          '2026-10-28',
        ),
        (at, from) => {
          const [fromMs, untilMs] = [
            instantAt(from, '00:00', zone),
            instantAt(addDays(from, 14), '00:00', zone),
          ]
          const timing: Timing = { at, timeZone: zone, every: 'daily' }
          const times = literally(calendarsFor(timing, 2026), fromMs, untilMs)
          expect(times.length).toBe(14)
          expect(dueTimes(timing, fromMs - 1, untilMs - 1)).toEqual(times)
          times.slice(1).forEach((ms, index) => {
            const hours = (ms - times[index]!) / 3_600_000
            expect(hours).toBeGreaterThanOrEqual(21)
            expect(hours).toBeLessThanOrEqual(27)
          })
        },
      ),
      { numRuns: sized(4, 200) },
    )
  })

  test('taken literally alone, 02:30 loses the night of spring and 01:30 has two in autumn', () => {
    const usual = (at: string): Calendar[] =>
      calendarsFor({ at, timeZone: 'UTC', every: 'daily' }, 2026)
    const zone = 'America/Los_Angeles'
    const spring = [utc('2026-03-07T08:00:00Z'), utc('2026-03-10T07:00:00Z')] as const
    const autumn = [utc('2026-10-31T07:00:00Z'), utc('2026-11-02T08:00:00Z')] as const
    expect(literally(usual('02:30'), ...spring, zone)).toHaveLength(2)
    expect(literally(usual('01:30'), ...autumn, zone)).toHaveLength(3)
  })

  test('weekly is on Sundays, also on those on which clocks change; monthly is on the first', () => {
    const zone = 'America/Los_Angeles'
    const [from, until] = [utc('2026-03-01T08:00:00Z'), utc('2026-04-02T07:00:00Z')]
    expect(
      dueTimes({ at: '02:30', timeZone: zone, every: 'weekly' }, from - 1, until).map(ms =>
        new Date(ms).toISOString(),
      ),
    ).toEqual([
      '2026-03-01T10:30:00.000Z',
      '2026-03-08T10:30:00.000Z',
      '2026-03-15T09:30:00.000Z',
      '2026-03-22T09:30:00.000Z',
      '2026-03-29T09:30:00.000Z',
    ])
    const weekly: Timing = { at: '02:30', timeZone: zone, every: 'weekly' }
    expect(literally(calendarsFor(weekly, 2026), from, until)).toEqual(
      dueTimes(weekly, from - 1, until),
    )
    const monthly: Timing = { at: '04:30', timeZone: zone, every: 'monthly' }
    expect(literally(calendarsFor(monthly, 2026), from, until)).toEqual([
      utc('2026-03-01T12:30:00Z'),
      utc('2026-04-01T11:30:00Z'),
    ])
  })

  test.each(ZONES)('in %s weekly and monthly, where UTC has another day than the store', zone => {
    const [fromMs, untilMs] = [utc('2026-12-20T00:00:00Z'), utc('2027-04-20T00:00:00Z')]
    for (const every of ['weekly', 'monthly'] as const)
      for (const at of ['00:15', '23:45']) {
        const timing: Timing = { at, timeZone: zone, every }
        const times = literally(calendarsFor(timing, 2026), fromMs, untilMs)
        expect(times, `${every} at ${at}`).toEqual(dueTimes(timing, fromMs - 1, untilMs - 1))
      }
  })

  test('a clock that is not changed needs one calendar, also in years to come', () => {
    const [daily] = calendarsFor({ at: '03:30', timeZone: 'Asia/Tokyo', every: 'daily' }, 2026)
    expect(daily).toMatchObject({ hour: [{ start: 18 }], minute: [{ start: 30 }], year: [] })
    expect(
      calendarsFor({ at: '03:30', timeZone: 'Asia/Tokyo', every: 'daily' }, 2026),
    ).toHaveLength(1)
  })

  test('past the ten years that are written out each day has its start as well', () => {
    const timing: Timing = { at: '01:30', timeZone: 'Europe/Berlin', every: 'daily' }
    const [fromMs, untilMs] = [utc('2040-01-01T12:00:00Z'), utc('2041-01-01T12:00:00Z')]
    expect(literally(calendarsFor(timing, 2026), fromMs, untilMs)).toHaveLength(366)
  })

  test('each night is for a business day of its own', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), quarter, quarter, (timeZone, one, other) => {
        const [dayStartsAt, at] = [one, other].toSorted() as [string, string]
        const [fromMs, untilMs] = [utc('2026-09-01T00:00:00Z'), utc('2027-05-01T00:00:00Z')]
        const days = dueTimes({ at, timeZone, every: 'daily' }, fromMs, untilMs).map(ms =>
          dayBefore(ms, { timeZone, dayStartsAt }),
        )
        days.slice(1).forEach((day, index) => expect(day).toBe(addDays(days[index]!, 1)))
      }),
      { numRuns: sized(15, 300) },
    )
  })
})
