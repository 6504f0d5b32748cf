import { expect, test } from 'vitest'
import { readDay, readMonthName } from '../../../commands/arguments/day-words.ts'

const AT = Date.UTC(2026, 2, 1, 3)
const [EAST, WEST] = ['Asia/Tokyo', 'America/Los_Angeles']

test('today and yesterday are days of the calendar that hangs there', () => {
  expect(readDay('today', AT, EAST)).toBe('2026-03-01')
  expect(readDay('today', AT, WEST)).toBe('2026-02-28')
  expect(readDay('yesterday', AT, EAST)).toBe('2026-02-28')
  expect(readDay('2026-01-01', AT, EAST)).toBe('2026-01-01')
  expect(readDay('tomorrow', AT, EAST)).toBe('tomorrow')
})

test('this and last are months, over the turn of a year too', () => {
  expect(readMonthName('this', AT, EAST)).toBe('2026-03')
  expect(readMonthName('last', AT, EAST)).toBe('2026-02')
  expect(readMonthName('last', Date.UTC(2026, 0, 15), EAST)).toBe('2025-12')
  expect(readMonthName('2026-10', AT, EAST)).toBe('2026-10')
})
