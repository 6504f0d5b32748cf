import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayStart } from '../../calendar/clock.ts'
import {
  ALL_DAY_INTERPRETATIONS,
  daysToAsk,
  holdsWindow,
  possibleInterpretations,
  rowsHeld,
} from '../../calendar/day-interpretations.ts'
import type { AskedDays, DayInterpretation } from '../../calendar/day-interpretations.ts'
import { DAY_MS, HOUR_MS, addDays } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/days.ts'
import { SERVER_READINGS, zones } from './server-readings.ts'

/** Days of all seasons; the windows of a run begin at a store midnight, as all but the edges do. */
const scene = fc
  .record({
    timeZone: fc.constantFrom(...zones),
    day: fc.integer({ min: 0, max: 4500 }).map(days => addDays('2013-01-01', days)),
    length: fc.integer({ min: 1, max: 5 }),
    server: fc.constantFrom(...SERVER_READINGS),
    believed: fc.subarray([...ALL_DAY_INTERPRETATIONS], { minLength: 1 }),
    offsets: fc.array(fc.tuple(fc.nat(), fc.integer({ min: -2, max: 2 })), { maxLength: 40 }),
  })
  .map(({ timeZone, day, length, server, believed, offsets }) => {
    const window: Interval = {
      startMs: dayStart(day, timeZone),
      endMs: dayStart(addDays(day, length), timeZone),
    }
    const reach = window.endMs - window.startMs + 4 * DAY_MS
    // Some carry a second time, hours or days away: a server may pick by either.
    const rows = offsets.map(([offset, away]) => {
      const ms = window.startMs - 2 * DAY_MS + (offset % reach)
      return away === 0 ? [ms] : [ms, ms + away * 9 * HOUR_MS]
    })
    return { timeZone, window, server, believed, rows }
  })

const isIn = ({ startMs, endMs }: Interval, ms: number): boolean => ms >= startMs && ms < endMs

describe('days that are asked for', () => {
  const answerOf = (
    { timeZone, server, rows }: Pick<Scene, 'timeZone' | 'server' | 'rows'>,
    { from, to }: AskedDays,
  ) => rows.filter(([picked]) => server.holds(picked!, from, to, timeZone))
  type Scene = typeof scene extends fc.Arbitrary<infer One> ? One : never

  it('hold every row of a window of which the answer says that it holds it all', () => {
    let narrow = 0
    fc.assert(
      fc.property(scene, one => {
        const { timeZone, window, believed, rows } = one
        const asked = daysToAsk(window, timeZone, believed)
        const answer = answerOf(one, asked)
        const possible = possibleInterpretations(answer, asked, timeZone)
        expect(possible.length).toBeGreaterThan(0)
        if (!holdsWindow(window, asked, timeZone, possible)) return
        if (believed.length < 4) narrow++
        for (const row of rows) if (isIn(window, row[0]!)) expect(answer).toContain(row)
      }),
      { numRuns: 4000 },
    )
    expect(narrow).toBeGreaterThan(300)
  })

  it('would lose rows if the belief alone were taken for proof', () => {
    const lost = fc.sample(scene, { numRuns: 2000, seed: 7 }).filter(one => {
      const answer = answerOf(one, daysToAsk(one.window, one.timeZone, one.believed))
      return one.rows.some(row => isIn(one.window, row[0]!) && !answer.includes(row))
    })
    expect(lost.length).toBeGreaterThan(50)
  })

  it('never rule out the reading of the server itself, whichever of its times it picks a row by', () => {
    fc.assert(
      fc.property(scene, fc.constantFrom(...ALL_DAY_INTERPRETATIONS), (one, reading) => {
        const asked = daysToAsk(one.window, one.timeZone, one.believed)
        const answer = rowsHeld(one.rows, asked, one.timeZone, reading)
        expect(possibleInterpretations(answer, asked, one.timeZone)).toContainEqual(reading)
      }),
      { numRuns: 2000 },
    )
  })

  it('are known after one dense answer with days to spare, where the end counts', () => {
    const timeZone = 'America/Los_Angeles'
    const window = {
      startMs: dayStart('2026-03-05', timeZone),
      endMs: dayStart('2026-03-10', timeZone),
    }
    const asked = daysToAsk(window, timeZone, ALL_DAY_INTERPRETATIONS)
    const hourly = Array.from({ length: 400 }, (_, hour) => [
      window.startMs - 5 * DAY_MS + hour * HOUR_MS,
    ])
    const known = (reading: DayInterpretation) =>
      possibleInterpretations(rowsHeld(hourly, asked, timeZone, reading), asked, timeZone)
    for (const reading of ALL_DAY_INTERPRETATIONS.filter(({ end }) => end === 'inclusive'))
      expect(known(reading)).toEqual([reading])
  })
})
