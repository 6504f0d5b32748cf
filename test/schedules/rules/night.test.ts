import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addDays, toIso } from '../../../calendar/days.ts'
import { dueTimes } from '../../../schedules/rules/calendars.ts'
import { businessDay, dayBefore, deadlineOf } from '../../../schedules/rules/night.ts'
import type { NightRules } from '../../../schedules/rules/night.ts'

const zones = [
  'America/Los_Angeles',
  'America/New_York',
  'Europe/Berlin',
  'Australia/Sydney',
] as const
const rules = (timeZone: string, dayStartsAt = '00:00', deadline?: string): NightRules => ({
  timeZone,
  dayStartsAt,
  deadline,
})
const utc = (iso: string): number => Date.parse(iso)

describe('the business day of a night', () => {
  test.each(zones)(
    'in %s each night of a year has the day before it, once, whatever clocks do',
    zone => {
      for (const [at, cutOff] of [
        ['03:30', '00:00'],
        ['03:30', '02:00'],
        ['02:30', '02:00'],
        ['23:59', '04:00'],
      ] as const) {
        const nights = dueTimes(
          { at, timeZone: zone, every: 'daily' },
          utc('2026-01-01T12:00:00Z'),
          utc('2027-01-01T12:00:00Z'),
        )
        const days = nights.map(ms => dayBefore(ms, rules(zone, cutOff)))
        expect(days).toHaveLength(365)
        days.slice(1).forEach((day, index) => expect(day).toBe(addDays(days[index]!, 1)))
      }
    },
  )

  test('a day that is not over at the time is not taken', () => {
    const over = (iso: string): string => dayBefore(utc(iso), rules('America/Los_Angeles', '02:00'))
    expect(over('2026-03-10T08:59:59Z')).toBe('2026-03-08')
    expect(over('2026-03-10T09:00:00Z')).toBe('2026-03-09')
  })

  test('it has 23 hours in spring and 25 in autumn, also where the cut-off lies in the jump', () => {
    const hours = (day: string, cutOff: string): number => {
      const { startMs, endMs } = businessDay(day, rules('America/Los_Angeles', cutOff))
      return (endMs - startMs) / 3_600_000
    }
    expect([
      hours('2026-03-08', '00:00'),
      hours('2026-11-01', '00:00'),
      hours('2026-03-07', '02:00'),
      hours('2026-03-08', '02:00'),
      hours('2026-10-31', '03:00'),
    ]).toEqual([23, 25, 24, 23, 25])
  })

  test('days follow one another without a hole', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 0, max: 3000 }),
        (zone, hour, number) => {
          const cutOff = `${String(hour).padStart(2, '0')}:30`
          const day = addDays('2024-01-01', number)
          expect(businessDay(day, rules(zone, cutOff)).endMs).toBe(
            businessDay(addDays(day, 1), rules(zone, cutOff)).startMs,
          )
        },
      ),
    )
  })
})

test('a deadline is the first after the start, by the clocks of the store', () => {
  const due = (iso: string, deadline: string): string =>
    toIso(deadlineOf(utc(iso), rules('America/Los_Angeles', '00:00', deadline))!)
  expect(due('2026-03-08T10:30:00Z', '05:00')).toBe('2026-03-08T12:00:00.000Z')
  expect(due('2026-03-09T06:59:00Z', '05:00')).toBe('2026-03-09T12:00:00.000Z')
  expect(deadlineOf(0, rules('UTC'))).toBeUndefined()
})
