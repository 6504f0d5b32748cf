import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayOf, dayStart } from '../../calendar/clock.ts'
import { DAY_MS, HOUR_MS, addDays, daysBetween, merge } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/days.ts'
import {
  daysOnWire,
  MAX_DAYS_APART,
  SHORTEST_CUT_MS,
  split,
  tile,
  wireRange,
} from '../../calendar/windows.ts'
import type { Windowing } from '../../connectors/stream.ts'
import { sized } from '../helpers/size.ts'
import { day, zone } from './any-day.ts'
import { asDay, SERVER_READINGS } from './server-readings.ts'

/** A million instants for each reading of a calendar, at full size. */
const TIMES = sized(1, 40)

const dated = fc.constantFrom<Windowing>('days', 'milliseconds')
/**
 * From store midnight to store midnight, as commands ask, or between any two instants, as a
 * lookback may.
 */
const range = (timeZone: string, longestDays: number): fc.Arbitrary<Interval> =>
  fc.oneof(
    fc.tuple(day, fc.integer({ min: 1, max: longestDays })).map(([from, days]) => ({
      startMs: dayStart(from, timeZone),
      endMs: dayStart(addDays(from, days), timeZone),
    })),
    fc
      .tuple(
        day,
        fc.integer({ min: 0, max: DAY_MS }),
        fc.integer({ min: 1, max: longestDays * DAY_MS }),
      )
      .map(([from, later, length]) => {
        const startMs = dayStart(from, timeZone) + later
        return { startMs, endMs: startMs + length }
      }),
  )
const zoned = (longestDays: number): fc.Arbitrary<[string, Interval]> =>
  zone.chain(timeZone => fc.tuple(fc.constant(timeZone), range(timeZone, longestDays)))

describe('tile', () => {
  it('covers a range without holes or overlap, in every zone and over every change of clocks', () => {
    fc.assert(
      fc.property(zoned(90), dated, ([timeZone, whole], family) => {
        const windows = tile(whole, timeZone, family)
        expect(windows[0]!.startMs).toBe(whole.startMs)
        expect(windows.at(-1)!.endMs).toBe(whole.endMs)
        windows.forEach((window, index) => {
          expect(window.endMs).toBeGreaterThan(window.startMs)
          if (index > 0) expect(window.startMs).toBe(windows[index - 1]!.endMs)
        })
      }),
      { numRuns: 250 * TIMES },
    )
  })

  it('never asks for dates more than six days apart, nor for more than seven times 24 hours', () => {
    fc.assert(
      fc.property(zoned(60), ([timeZone, whole]) => {
        for (const window of tile(whole, timeZone, 'days')) {
          const { startDate, endDate } = wireRange(window, timeZone, 'days').query
          expect(daysBetween(asDay(startDate!), asDay(endDate!))).toBeLessThanOrEqual(
            MAX_DAYS_APART,
          )
        }
        for (const window of tile(whole, timeZone, 'milliseconds')) {
          const { startDate, endDate } = wireRange(window, timeZone, 'milliseconds').query
          expect(Number(endDate) - Number(startDate)).toBeLessThanOrEqual(7 * DAY_MS)
        }
      }),
      { numRuns: 200 * TIMES },
    )
  })

  it('cuts at store midnights only, and makes no more windows than four days each would need', () => {
    fc.assert(
      fc.property(zoned(60), dated, ([timeZone, whole], family) => {
        const windows = tile(whole, timeZone, family)
        for (const { endMs } of windows.slice(0, -1))
          expect(dayStart(dayOf(endMs, timeZone), timeZone)).toBe(endMs)
        expect(windows.length).toBeLessThanOrEqual(
          Math.ceil((whole.endMs - whole.startMs) / (4 * DAY_MS - HOUR_MS)) + 1,
        )
      }),
      { numRuns: 200 },
    )
  })

  it('tiles the week in which Samoa left out a day', () => {
    const whole = { startMs: Date.UTC(2011, 11, 20), endMs: Date.UTC(2012, 0, 10) }
    const windows = tile(whole, 'Pacific/Apia', 'days')
    expect(merge(windows)).toEqual([whole])
    for (const window of windows) {
      const { from, to } = daysOnWire(window, 'Pacific/Apia')
      expect(daysBetween(from, to)).toBeLessThanOrEqual(MAX_DAYS_APART)
    }
  })

  it('makes one window of a list that takes no dates, and none of an empty range', () => {
    const whole = { startMs: 0, endMs: 400 * DAY_MS }
    expect(tile(whole, 'UTC', 'full-refresh')).toEqual([whole])
    for (const family of ['days', 'milliseconds', 'full-refresh'] as const)
      expect(tile({ startMs: 5, endMs: 5 }, 'UTC', family)).toEqual([])
  })
})

describe('wireRange', () => {
  /** The wire dates of a window, and one of its instants, for the oracle to look at. */
  const cases = (longestDays: number) =>
    zoned(longestDays).chain(([timeZone, whole]) =>
      fc.tuple(
        fc.constant(timeZone),
        fc.constant(whole),
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
          minLength: 20,
          maxLength: 20,
        }),
      ),
    )
  const instantsOf = (window: Interval, shares: readonly number[]): number[] => [
    window.startMs,
    window.endMs - 1,
    ...shares.map(share => window.startMs + Math.floor(share * (window.endMs - window.startMs))),
  ]

  it.each(SERVER_READINGS)(
    'holds every instant of a window in its own request, where the server reads days as $name',
    ({ holds }) => {
      let instants = 0
      const seen = new Set<string>()
      fc.assert(
        fc.property(cases(14), ([timeZone, whole, shares]) => {
          seen.add(timeZone)
          for (const window of tile(whole, timeZone, 'days')) {
            const { query } = wireRange(window, timeZone, 'days')
            for (const ms of instantsOf(window, shares)) {
              instants++
              if (!holds(ms, asDay(query['startDate']!), asDay(query['endDate']!), timeZone))
                throw new Error(
                  `${new Date(ms).toISOString()} is outside ${JSON.stringify(query)} in ${timeZone}`,
                )
            }
          }
        }),
        { numRuns: 800 * TIMES },
      )
      expect(instants).toBeGreaterThan(25_000 * TIMES)
      expect(seen.size).toBeGreaterThan(40)
    },
  )

  it.each(SERVER_READINGS.filter(({ name }) => name !== 'store days, end included'))(
    'would lose instants with the days of the window alone, where the server reads days as $name',
    ({ holds }) => {
      const naive = fc.property(cases(14), ([timeZone, whole, shares]) =>
        tile(whole, timeZone, 'days').every(window =>
          instantsOf(window, shares).every(ms =>
            holds(ms, dayOf(window.startMs, timeZone), dayOf(window.endMs - 1, timeZone), timeZone),
          ),
        ),
      )
      expect(fc.check(naive, { numRuns: 500 }).failed).toBe(true)
    },
  )

  it.each(SERVER_READINGS)(
    'accepts every row that an honest server with $name may answer',
    ({ holds }) => {
      const nearby = zoned(7).chain(([timeZone, window]) =>
        fc.tuple(
          fc.constant(timeZone),
          fc.constant(window),
          fc.integer({ min: window.startMs - 3 * DAY_MS, max: window.endMs + 3 * DAY_MS }),
        ),
      )
      const accepts = (widestOf: (window: Interval, timeZone: string) => Interval) =>
        fc.property(nearby, ([timeZone, window, ms]) => {
          const { query } = wireRange(window, timeZone, 'days')
          const widest = widestOf(window, timeZone)
          return (
            !holds(ms, asDay(query['startDate']!), asDay(query['endDate']!), timeZone) ||
            (ms >= widest.startMs && ms < widest.endMs)
          )
        })
      fc.assert(
        accepts((window, timeZone) => wireRange(window, timeZone, 'days').widest),
        { numRuns: 1200 },
      )
      expect(
        fc.check(
          accepts(window => window),
          { numRuns: 1200 },
        ).failed,
      ).toBe(true)
    },
  )

  it('asks for milliseconds that cover the window, whether the server includes the ends or not', () => {
    const { query, widest } = wireRange(
      { startMs: 1000, endMs: 2000 },
      'Asia/Kathmandu',
      'milliseconds',
    )
    const [from, to] = [Number(query['startDate']), Number(query['endDate'])]
    for (const ms of [1000, 1999])
      for (const first of [0, 1])
        for (const last of [0, 1])
          expect(ms >= from + first && ms <= to - last, `${ms}, ${first}, ${last}`).toBe(true)
    for (const ms of [from, to]) expect(ms >= widest.startMs && ms < widest.endMs).toBe(true)
    expect(to - from).toBeLessThanOrEqual(1001)
  })

  it('sends no dates for a list that takes none, and accepts rows of any time', () => {
    expect(wireRange({ startMs: 1000, endMs: 2000 }, 'UTC', 'full-refresh')).toEqual({
      query: {},
      widest: { startMs: -Infinity, endMs: Infinity },
    })
  })
})

describe('split', () => {
  it('gives two halves that join to the whole, neither of them empty', () => {
    fc.assert(
      fc.property(zoned(10), dated, ([timeZone, window], family) => {
        const halves = split(window, timeZone, family)
        if (halves === undefined) return
        expect(merge(halves)).toEqual([window])
        expect(halves[0].endMs).toBe(halves[1].startMs)
        for (const half of halves) expect(half.endMs).toBeGreaterThan(half.startMs)
        if (family === 'days')
          expect(dayStart(dayOf(halves[0].endMs, timeZone), timeZone)).toBe(halves[0].endMs)
      }),
      { numRuns: 500 },
    )
  })

  it('cuts every window that has a store midnight inside, and ends with single days', () => {
    const cutUp = (window: Interval, timeZone: string): Interval[] =>
      split(window, timeZone, 'days')?.flatMap(half => cutUp(half, timeZone)) ?? [window]
    fc.assert(
      fc.property(zoned(7), ([timeZone, window]) => {
        const parts = cutUp(window, timeZone)
        expect(merge(parts)).toEqual([window])
        for (const part of parts)
          expect(dayOf(part.startMs, timeZone)).toBe(dayOf(part.endMs - 1, timeZone))
      }),
      { numRuns: 200 },
    )
  })

  it('cuts off the single millisecond of a next day, though the other midnight is as near to the middle', () => {
    const [startMs, nextMs] = [dayStart('2026-03-02', 'UTC'), dayStart('2026-03-03', 'UTC')]
    expect(split({ startMs, endMs: nextMs + 1 }, 'UTC', 'days')).toEqual([
      { startMs, endMs: nextMs },
      { startMs: nextMs, endMs: nextMs + 1 },
    ])
  })

  it('cuts milliseconds down to a minute, and never a list that takes no dates', () => {
    const [startMs, endMs] = [10, 11 + SHORTEST_CUT_MS]
    expect(split({ startMs, endMs }, 'UTC', 'milliseconds')).toEqual([
      { startMs, endMs: 30_010 },
      { startMs: 30_010, endMs },
    ])
    expect(split({ startMs, endMs: endMs - 1 }, 'UTC', 'milliseconds')).toBeUndefined()
    expect(split({ startMs: 0, endMs: 30 * DAY_MS }, 'UTC', 'full-refresh')).toBeUndefined()
  })
})
