import { tzOffset } from '@date-fns/tz'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayOf } from '../../../calendar/clock.ts'
import { wallTime, instantAt, instantsAt, nextAt } from '../../../calendar/clock.ts'
import { addDays } from '../../../calendar/days.ts'
import { calendarsFor, dueTimes } from '../../../schedules/rules/calendars.ts'
import type { Calendar } from '../../../schedules/rules/calendars.ts'

const ZONES = [
  'America/Los_Angeles',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/Havana',
  'Africa/Cairo',
  'Pacific/Apia',
  'Asia/Kolkata',
  'UTC',
]
const utc = (iso: string): number => Date.parse(iso)

/**
 * What Temporal documents: an instant is due if the clock of the zone matches a calendar and no
 * skip. Minutes alone are enough here.
 */
function literally(
  { calendars, skip }: { calendars: Calendar[]; skip: Calendar[] },
  timeZone: string,
  fromMs: number,
  untilMs: number,
): number[] {
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
  const within = (ranges: { start: number; end: number }[], value: number): boolean =>
    ranges.length === 0 || ranges.some(({ start, end }) => value >= start && value <= end)
  const matches = (calendar: Calendar, ms: number): boolean => {
    const wall = new Date(ms + tzOffset(timeZone, new Date(ms)) * 60_000)
    const weekday = (name: string): number =>
      ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'].indexOf(name)
    return (
      within(calendar.minute, wall.getUTCMinutes()) &&
      within(calendar.hour, wall.getUTCHours()) &&
      within(calendar.dayOfMonth, wall.getUTCDate()) &&
      within(
        calendar.month.map(({ start, end }) => ({
          start: MONTHS.indexOf(start),
          end: MONTHS.indexOf(end),
        })),
        wall.getUTCMonth(),
      ) &&
      within(calendar.year, wall.getUTCFullYear()) &&
      within(
        calendar.dayOfWeek.map(({ start, end }) => ({ start: weekday(start), end: weekday(end) })),
        wall.getUTCDay(),
      )
    )
  }
  const times: number[] = []
  for (let ms = fromMs; ms < untilMs; ms += 900_000)
    if (calendars.some(one => matches(one, ms)) && !skip.some(one => matches(one, ms)))
      times.push(ms)
  return times
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
          const times = literally(calendarsFor(at, zone, 'daily', 2026), zone, fromMs, untilMs)
          expect(times.length).toBe(14)
          expect(dueTimes({ at, timeZone: zone, every: 'daily' }, fromMs - 1, untilMs - 1)).toEqual(
            times,
          )
          times.slice(1).forEach((ms, index) => {
            const hours = (ms - times[index]!) / 3_600_000
            expect(hours).toBeGreaterThanOrEqual(21)
            expect(hours).toBeLessThanOrEqual(27)
          })
        },
      ),
      { numRuns: process.env['TILLAGE_LONG'] === '1' ? 200 : 8 },
    )
  })

  test('taken literally alone, 02:30 loses the night of spring and 01:30 has two in autumn', () => {
    const usual = (at: string): { calendars: Calendar[]; skip: Calendar[] } => ({
      calendars: calendarsFor(at, 'UTC', 'daily', 2026).calendars,
      skip: [],
    })
    expect(
      literally(
        usual('02:30'),
        'America/Los_Angeles',
        utc('2026-03-07T08:00:00Z'),
        utc('2026-03-10T07:00:00Z'),
      ),
    ).toHaveLength(2)
    expect(
      literally(
        usual('01:30'),
        'America/Los_Angeles',
        utc('2026-10-31T07:00:00Z'),
        utc('2026-11-02T08:00:00Z'),
      ),
    ).toHaveLength(3)
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
    expect(literally(calendarsFor('02:30', zone, 'weekly', 2026), zone, from, until)).toEqual(
      dueTimes({ at: '02:30', timeZone: zone, every: 'weekly' }, from - 1, until),
    )
    expect(literally(calendarsFor('04:30', zone, 'monthly', 2026), zone, from, until)).toEqual([
      utc('2026-03-01T12:30:00Z'),
      utc('2026-04-01T11:30:00Z'),
    ])
  })

  test('the usual time needs no exceptions', () => {
    for (const zone of [
      'America/Los_Angeles',
      'America/Denver',
      'America/Chicago',
      'America/New_York',
    ])
      expect(calendarsFor('03:30', zone, 'daily', 2026)).toMatchObject({
        calendars: [{}],
        skip: [],
      })
  })
})
