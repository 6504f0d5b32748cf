import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { dayOf, dayStart } from '../../calendar/clock.ts'
import { addDays, daysBetween, describeDuration, isDay, rangesOfDays } from '../../calendar/days.ts'
import { day, instant, zone } from './any-day.ts'
import { intlDayOf } from './server-readings.ts'

describe('days', () => {
  it('agree with the calendar of the platform at every instant', () => {
    fc.assert(
      fc.property(zone, instant, (timeZone, ms) => dayOf(ms, timeZone) === intlDayOf(ms, timeZone)),
      { numRuns: 4000 },
    )
  })

  it('start at their first instant and hold every instant until the next day starts', () => {
    fc.assert(
      fc.property(zone, day, (timeZone, date) => {
        const startMs = dayStart(date, timeZone)
        expect(dayOf(startMs, timeZone)).toBe(date)
        expect(dayOf(startMs - 1, timeZone)).toBe(addDays(date, -1))
      }),
      { numRuns: 2000 },
    )
    fc.assert(
      fc.property(zone, instant, (timeZone, ms) => {
        const date = dayOf(ms, timeZone)
        expect(dayStart(date, timeZone)).toBeLessThanOrEqual(ms)
        expect(dayStart(addDays(date, 1), timeZone)).toBeGreaterThan(ms)
      }),
      { numRuns: 2000 },
    )
  })

  it('start late where clocks skip midnight, which arithmetic on midnight would miss', () => {
    expect(new Date(dayStart('2024-09-08', 'America/Santiago')).toISOString()).toBe(
      '2024-09-08T04:00:00.000Z',
    )
    expect(new Date(dayStart('2024-04-26', 'Africa/Cairo')).toISOString()).toBe(
      '2024-04-25T22:00:00.000Z',
    )
    expect(dayStart('2011-12-30', 'Pacific/Apia')).toBe(dayStart('2011-12-31', 'Pacific/Apia'))
  })

  it('are counted on the calendar, over leap days and any distance', () => {
    fc.assert(
      fc.property(
        day,
        fc.integer({ min: -4000, max: 4000 }),
        (from, days) => daysBetween(from, addDays(from, days)) === days,
      ),
    )
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29')
    expect(addDays('2023-02-28', 1)).toBe('2023-03-01')
  })

  it('are refused where no calendar has them', () => {
    for (const text of [
      '2023-02-29',
      '2024-02-30',
      '2024-04-31',
      '2024-13-01',
      '2024-00-10',
      '2024-01-00',
      '2024-1-1',
      '24-01-01',
      '2024-01-01T00:00:00Z',
      '01/02/2024',
      '',
      ' 2024-01-01',
      '2024-01-01\n',
    ])
      expect(isDay(text), text).toBe(false)
    fc.assert(fc.property(day, date => isDay(date)))
  })
})

test('neighbouring days are one range', () => {
  expect(
    rangesOfDays(['2026-03-02', '2026-02-28', '2026-03-01', '2026-03-05', '2026-03-05']),
  ).toEqual([
    { from: '2026-02-28', to: '2026-03-03' },
    { from: '2026-03-05', to: '2026-03-06' },
  ])
  expect(rangesOfDays([])).toEqual([])
})

it('a length of time is told in its largest whole unit, and never as 0', () => {
  const told = [0, 29_999, 60_000, 150_000, 7_200_000, 172_800_000].map(describeDuration)
  expect(told).toEqual(['a moment', 'a moment', '1 minute', '3 minutes', '2 hours', '2 days'])
})
