import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { businessDaysLater, clocksOf, describeClock } from '../../audit/clocks.ts'
import { reconcileSettings, rulesFor } from '../../audit/settings.ts'
import { wallTime, dayOf } from '../../calendar/clock.ts'
import { DAY_MS, HOUR_MS } from '../../calendar/days.ts'

const SETTINGS = reconcileSettings.parse({})
const ZONE = 'America/Los_Angeles'
const FRIDAY = Date.parse('2026-03-06T20:00:00Z')
const weekday = (ms: number): number => new Date(`${dayOf(ms, ZONE)}T00:00:00Z`).getUTCDay()

describe('the clocks of a confirmed discrepancy', () => {
  it('end after 24 hours, and after ten business days at the same time of day, also when clocks change', () => {
    const [notice, report] = clocksOf(FRIDAY, ZONE, SETTINGS, rulesFor(SETTINGS, undefined))
    expect(notice).toMatchObject({ step: 'notice', dueAt: '2026-03-07T20:00:00.000Z' })
    // 12:00 in Los Angeles is 20:00 in winter, and 19:00 after the night to 8 March.
    expect(report).toMatchObject({ step: 'report', dueAt: '2026-03-20T19:00:00.000Z' })
  })

  it('name the rules of the states that are configured, or that the licence is of, and no others', () => {
    const sources = (given: object, licence?: string): string[] => {
      const settings = reconcileSettings.parse(given)
      const rules = rulesFor(settings, licence)
      return clocksOf(FRIDAY, ZONE, settings, rules).map(({ source }) => source)
    }
    const nobody = expect.stringContaining('no rule of a state is configured')
    expect(sources({})).toEqual([nobody, nobody])
    expect(sources({}, 'C10-0000001-LIC')).toEqual(['4 CCR 15036', nobody])
    expect(sources({}, 'A40613')).toEqual([nobody, nobody])
    expect(sources({ states: [] }, 'C10-0000001-LIC')).toEqual([nobody, nobody])
    expect(sources({ states: ['CA', 'AB'] })).toEqual([
      '4 CCR 15036',
      expect.stringContaining('Alberta'),
    ])
    const colorado = { noticeSource: '1 CCR 212-3', reportSource: 'MED bulletin' }
    expect(sources(colorado, 'C10-0000001-LIC')).toEqual(['1 CCR 212-3', 'MED bulletin'])
    expect(reconcileSettings.safeParse({ states: ['ZZ'] }).success).toBe(false)
  })

  it('count no Saturday and no Sunday', () => {
    const atAll = fc.integer({ min: 0, max: 800 * 24 * 60 })
    fc.assert(
      fc.property(atAll, fc.integer({ min: 1, max: 30 }), (minutes, days) => {
        const fromMs = FRIDAY + minutes * 60_000
        const dueMs = businessDaysLater(fromMs, days, ZONE)
        expect([0, 6]).not.toContain(weekday(dueMs))
        let counted = 0
        for (let day = dayOf(fromMs, ZONE), ms = fromMs; day < dayOf(dueMs, ZONE);) {
          ms += DAY_MS / 2
          if (dayOf(ms, ZONE) === day) continue
          day = dayOf(ms, ZONE)
          if (![0, 6].includes(weekday(ms))) counted++
        }
        expect(counted).toBe(days)
        // Except where the clock jumps over that time of day.
        const [asked, got] = [wallTime(fromMs, ZONE), wallTime(dueMs, ZONE)]
        if (!asked.startsWith('02:')) expect(got).toBe(asked)
      }),
    )
  })

  it('are told with what is left, and with how late it is', () => {
    const clock = { step: 'notice', dueAt: '2026-03-07T20:00:00.000Z' } as const
    expect(describeClock(clock, FRIDAY + 19 * HOUR_MS)).toBe(
      'notify the authorities of the significant discrepancy within 5 hours (by 2026-03-07 20:00 UTC)',
    )
    expect(describeClock(clock, FRIDAY + 27 * HOUR_MS)).toContain('that was due 3 hours ago')
  })
})
