import fc from 'fast-check'
import { expect, test } from 'vitest'
import { whyNotClosable, stateOf } from '../../books/month.ts'
import { closedMonths, laterOf, monthRange } from '../../books/periods.ts'
import type { PeriodEvent } from '../../connectors/destination/given-out.ts'

const event = (month: string, what: PeriodEvent['event']): PeriodEvent => ({
  store: 'downtown',
  month,
  event: what,
  by: 'Ana',
  reason: null,
  at: '2026-04-01T00:00:00.000Z',
})

test('months have their own lengths', () => {
  expect(monthRange('2026-02')).toEqual({ from: '2026-02-01', to: '2026-03-01' })
  expect(monthRange('2026-12')).toEqual({ from: '2026-12-01', to: '2027-01-01' })
})

test('of the configured floor and the closed months the later one counts', () => {
  const closed = [event('2026-01', 'closed'), event('2026-02', 'closed')]
  expect(laterOf(undefined, [])).toBeUndefined()
  expect(laterOf('2026-01-15', closed)).toBe('2026-02-28')
  expect(laterOf('2026-03-15', closed)).toBe('2026-03-15')
  expect(laterOf(undefined, [...closed, event('2026-02', 'reopened')])).toBe('2026-01-31')
  expect(closedMonths([...closed, event('2026-01', 'reopened')])).toEqual(['2026-02'])
})

test('nothing but a day that is over, proven, exported, booked, not held and not changed since can be closed', () => {
  const facts = fc.record({
    over: fc.boolean(),
    proven: fc.boolean(),
    failedAgain: fc.boolean(),
    revision: fc.constantFrom(null, 0, 3),
    held: fc.boolean(),
    booked: fc.boolean(),
    changed: fc.boolean(),
    closed: fc.boolean(),
    elsewhere: fc.boolean(),
  })
  fc.assert(
    fc.property(facts, day => {
      const { over, proven, failedAgain, revision, held, booked, changed, elsewhere } = day
      const fit = over && proven && revision !== null && booked && !held && !changed
      expect(whyNotClosable(day) === undefined).toBe((fit && !failedAgain) || (over && elsewhere))
      // What can be given out is not shown as if it could not.
      expect(stateOf(day)).toBe(stateOf({ ...day, failedAgain: false }))
      if (over && elsewhere) expect(stateOf(day)).toBe('elsewhere')
      else if (fit) expect(stateOf(day)).toBe(day.closed ? 'closed' : 'booked')
      if (stateOf(day) === 'closed') expect(booked && over).toBe(true)
    }),
  )
})
