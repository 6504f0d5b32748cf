import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { merge, subtract, watermark } from '../../calendar/days.ts'
import type { Interval } from '../../calendar/days.ts'

describe('intervals', () => {
  const interval = fc
    .tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 12 }))
    .map(([startMs, length]) => ({ startMs, endMs: startMs + length }))
  const intervals = fc.array(interval, { maxLength: 8 })
  /** The model: an interval is the set of its instants. */
  const instants = (list: readonly Interval[]): Set<number> =>
    new Set(
      list.flatMap(({ startMs, endMs }) =>
        Array.from({ length: endMs - startMs }, (_, index) => startMs + index),
      ),
    )
  const apart = (list: readonly Interval[]): boolean =>
    list.every(
      (part, index) =>
        part.startMs < part.endMs && (index === 0 || list[index - 1]!.endMs < part.startMs),
    )

  it('merges to the same instants, sorted and apart, and a second time changes nothing', () => {
    fc.assert(
      fc.property(intervals, list => {
        const merged = merge(list)
        expect(instants(merged)).toEqual(new Set([...instants(list)].sort((a, b) => a - b)))
        expect(apart(merged)).toBe(true)
        expect(merge(merged)).toEqual(merged)
      }),
    )
  })

  it('subtracts exactly the instants of the others', () => {
    fc.assert(
      fc.property(interval, intervals, (whole, others) => {
        const left = subtract(whole, others)
        const taken = instants(others)
        expect([...instants(left)]).toEqual([...instants([whole])].filter(ms => !taken.has(ms)))
        expect(apart(left)).toBe(true)
      }),
    )
  })

  it('puts the watermark at the first instant after the earliest proven one that is not proven', () => {
    fc.assert(
      fc.property(intervals, proven => {
        const all = instants(proven)
        let expected = Math.min(...all)
        while (all.has(expected)) expected++
        expect(watermark(proven)).toBe(proven.length === 0 ? undefined : expected)
      }),
    )
  })
})
