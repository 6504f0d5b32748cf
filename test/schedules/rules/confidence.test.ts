import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { atMost, rateBound } from '../../../schedules/rules/confidence.ts'
import { rowsToFind } from './rows-to-find.ts'

describe('the bound of a rate', () => {
  test('is as tables of exact binomial bounds have it', () => {
    // One-sided 95 %, as Clopper and Pearson; for none found the rule of three is close.
    expect(rateBound(0, 100)).toBeCloseTo(0.029513, 5)
    expect(rateBound(1, 10)).toBeCloseTo(0.394163, 5)
    expect(rateBound(5, 50)).toBeCloseTo(0.198833, 5)
    expect(rateBound(0, 30_000)).toBeCloseTo(3 / 30_000, 6)
    expect([rateBound(0, 0), rateBound(4, 4)]).toEqual([1, 1])
  })

  test('leaves exactly the chance that it says, falls with what was seen and grows with what was found', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5000 }),
        fc.integer({ min: 0, max: 30 }),
        fc.constantFrom(0.9, 0.95, 0.99),
        (seen, wrong, confidence) => {
          const found = Math.min(wrong, seen - 1)
          const bound = rateBound(found, seen, confidence)
          expect(bound).toBeGreaterThan(found / seen)
          expect(atMost(found, seen, bound)).toBeCloseTo(1 - confidence, 6)
          expect(rateBound(found, seen + 1, confidence)).toBeLessThan(bound)
          if (found + 1 < seen)
            expect(rateBound(found + 1, seen, confidence)).toBeGreaterThan(bound)
        },
      ),
    )
  })
})

test('a thousandth of all rows is found with 95 % by 2,995 rows, with 99 % by 4,603', () => {
  expect([rowsToFind(0.001, 0.95), rowsToFind(0.001, 0.99)]).toEqual([2995, 4603])
  expect(atMost(0, 4603, 0.001)).toBeLessThanOrEqual(0.01)
  expect(atMost(0, 4602, 0.001)).toBeGreaterThan(0.01)
})
