import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  anyDayFinder,
  businessDayFinder,
  businessDays,
  businessDayStart,
} from '../../calendar/business-day.ts'
import {
  dayOf,
  dayStart,
  localIso,
  localMinute,
  localSpan,
  localTimes,
} from '../../calendar/clock.ts'
import { addDays } from '../../calendar/days.ts'

const HOUR_MS = 3_600_000
const california = (dayStartsAt: string) => ({ timeZone: 'America/Los_Angeles', dayStartsAt })
const start = (day: string, dayStartsAt: string, timeZone = 'America/Los_Angeles'): string =>
  localIso(businessDayStart(day, { timeZone, dayStartsAt }), timeZone)

describe('the business day', () => {
  it.each([
    ['an ordinary night', '2026-05-01', '02:00', '2026-05-01T02:00:00.000-07:00'],
    ['midnight', '2026-05-01', '00:00', '2026-05-01T00:00:00.000-07:00'],
    [
      'a cut-off that the change to summer time skips',
      '2026-03-08',
      '02:30',
      '2026-03-08T03:00:00.000-07:00',
    ],
    ['the cut-off at the very change', '2026-03-08', '02:00', '2026-03-08T03:00:00.000-07:00'],
    ['a cut-off that comes twice', '2026-11-01', '01:30', '2026-11-01T01:30:00.000-07:00'],
    [
      'a cut-off after the hour that comes twice',
      '2026-11-01',
      '02:00',
      '2026-11-01T02:00:00.000-08:00',
    ],
  ])('starts right after %s', (_, day, dayStartsAt, expected) => {
    expect(start(day, dayStartsAt)).toBe(expected)
  })

  it('has 23 and 25 hours where clocks change, and 24 else', () => {
    const hours = (day: string, dayStartsAt: string): number => {
      const { startMs, endMs } = businessDays(
        { from: day, to: addDays(day, 1) },
        california(dayStartsAt),
      )
      return (endMs - startMs) / HOUR_MS
    }
    expect([
      hours('2026-03-08', '00:00'),
      hours('2026-03-07', '02:00'),
      hours('2026-11-01', '00:00'),
      hours('2026-10-31', '02:00'),
      hours('2026-05-01', '02:00'),
    ]).toEqual([23, 24, 25, 25, 24])
    expect(hours('2026-03-08', '02:00')).toBe(23)
  })

  it('starts where there is no midnight, and skips a day that a zone skipped', () => {
    expect(start('2026-04-24', '00:00', 'Africa/Cairo')).toBe('2026-04-24T01:00:00.000+03:00')
    expect(start('2011-12-30', '00:00', 'Pacific/Apia')).toBe('2011-12-31T00:00:00.000+14:00')
  })

  it('with a cut-off of midnight is the calendar day, in any zone', () => {
    const zones = fc.constantFrom(
      'America/Los_Angeles',
      'UTC',
      'Africa/Cairo',
      'Pacific/Apia',
      'Australia/Lord_Howe',
      'America/St_Johns',
      'Asia/Kathmandu',
    )
    const days = fc.integer({ min: 0, max: 9000 }).map(count => addDays('2008-01-01', count))
    fc.assert(
      fc.property(zones, days, (timeZone, day) => {
        const ms = businessDayStart(day, { timeZone, dayStartsAt: '00:00' })
        expect(dayOf(ms, timeZone) >= day).toBe(true)
        expect(dayOf(ms - 1, timeZone) < day).toBe(true)
      }),
    )
  })

  it('gives every instant exactly one day, and days in order', () => {
    const clock = california('02:30')
    const days = { from: '2026-10-25', to: '2026-11-08' }
    const { startMs, endMs } = businessDays(days, clock)
    const find = businessDayFinder(days, clock)
    const findAny = anyDayFinder(clock)
    fc.assert(
      fc.property(fc.integer({ min: startMs, max: endMs - 1 }), ms => {
        const day = find(ms)
        const own = businessDays({ from: day, to: addDays(day, 1) }, clock)
        expect(ms >= own.startMs && ms < own.endMs).toBe(true)
        expect(find(Math.max(startMs, ms - 1)) <= day).toBe(true)
        expect(findAny(ms)).toBe(day)
      }),
    )
  })

  it('ends at the last millisecond before the cut-off', () => {
    const find = businessDayFinder({ from: '2026-05-01', to: '2026-05-03' }, california('00:00'))
    const midnight = dayStart('2026-05-02', 'America/Los_Angeles')
    expect([find(midnight - 1), find(midnight)]).toEqual(['2026-05-01', '2026-05-02'])
    expect(dayOf(midnight, 'America/Los_Angeles')).toBe('2026-05-02')
  })
})

it('what the clocks show at many instants is what they show at each', () => {
  const zones = ['America/Los_Angeles', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']
  const near = Date.UTC(2026, 10, 1, 9)
  const instant = fc.integer({ min: near - 3 * HOUR_MS, max: near + 3 * HOUR_MS })
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.array(instant), (zone, instants) => {
      const timeOf = localTimes(zone)
      expect(instants.map(timeOf)).toEqual(instants.map(ms => localIso(ms, zone)))
    }),
  )
})

test("times are shown on the store's clock, to the minute, with the zone", () => {
  const at = (iso: string): number => Date.parse(iso)
  expect(localMinute(at('2026-11-23T07:00:00.000Z'), 'America/Denver')).toBe(
    '2026-11-23 00:00 (America/Denver)',
  )
  const hole = { startMs: at('2026-09-22T06:00:00Z'), endMs: at('2026-10-23T06:00:00Z') }
  expect(localSpan(hole, 'America/Denver')).toBe(
    '2026-09-22 00:00 to 2026-10-23 00:00 (America/Denver)',
  )
  const short = { startMs: at('2026-09-22T06:00:01.250Z'), endMs: at('2026-09-22T06:00:59Z') }
  expect(localSpan(short, 'UTC')).toBe('2026-09-22 06:00:01.250 to 2026-09-22 06:00:59.000 (UTC)')
})
