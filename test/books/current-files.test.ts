import fc from 'fast-check'
import { expect, test } from 'vitest'
import { currentFiles } from '../../books/current-files.ts'
import type { RangeFile } from '../../books/current-files.ts'
import { addDays } from '../../calendar/days.ts'

const FIRST = '2026-02-20'

const ranges = fc.uniqueArray(
  fc.record({ start: fc.nat(20), days: fc.constantFrom(1, 1, 1, 2, 7, 31), gone: fc.boolean() }),
  { maxLength: 12, selector: ({ start, days }) => `${start} ${days}` },
)
const files = fc.record({ downtown: ranges, harbor: ranges }).map(stores =>
  Object.entries(stores).flatMap(([store, own]) =>
    own.map(({ start, days, gone }): RangeFile => {
      const from = addDays(FIRST, start)
      const what = { store, dataset: 'transactions', format: 'csv' }
      return { ...what, from, to: addDays(from, days), gone }
    }),
  ),
)
const daysOf = ({ store, from, to }: RangeFile): string[] => {
  const days: string[] = []
  for (let day = from; day < to; day = addDays(day, 1)) days.push(`${store} ${day}`)
  return days
}

test('whatever ranges there are, no day is in two current files, and every day that is in none is counted', () => {
  fc.assert(
    fc.property(files, fc.constantFrom('days' as const, 'ranges' as const), (all, preference) => {
      const { current, leftOut } = currentFiles(all, preference)
      const listed = [...current].flatMap(daysOf)
      expect(new Set(listed).size).toBe(listed.length)
      expect([...current, ...leftOut.keys()]).toHaveLength(all.length)
      for (const [file, days] of leftOut)
        expect(daysOf(file).filter(day => !listed.includes(day))).toHaveLength(days)
      // A file that holds no day of another is always there.
      for (const file of all) {
        const others = new Set(all.filter(one => one !== file).flatMap(daysOf))
        if (!daysOf(file).some(day => others.has(day))) expect(current.has(file)).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})

test('a file that is gone does not keep another out that is there', () => {
  const what = { store: 'downtown', dataset: 'transactions', format: 'csv' }
  const day = { ...what, from: '2026-03-08', to: '2026-03-09', gone: true }
  const month = { ...what, from: '2026-03-01', to: '2026-04-01', gone: false }
  expect([...currentFiles([day, month], 'days').current]).toEqual([month])
  expect([...currentFiles([{ ...day, gone: false }, month], 'days').leftOut]).toEqual([[month, 30]])
})
