import fc from 'fast-check'
import { expect, test } from 'vitest'
import { daysOf, newestByDay } from '../../books/changes-since.ts'
import { daysBehind, refreshViews } from '../../books/refresh-views.ts'
import { businessDays } from '../../calendar/business-day.ts'
import { addDays, DAY_MS } from '../../calendar/days.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { openReadOnly } from '../../connectors/sqlite/read-only.ts'
import { bookkeeper, DAY } from '../commands/bookkeeper.ts'
import { T1, T2, T3, TIMES } from '../exports/sales/worked-example.ts'

const NEXT_DAY = addDays(DAY, 1)
const LATER = TIMES.modified + DAY_MS

async function readingBooks() {
  const keeper = await bookkeeper()
  const { signal } = new AbortController()
  const refresh = async (limit = 100, progress: () => void = () => {}) => {
    const database = await openReadOnly(keeper.config, streams)
    const place = { config: keeper.config, database }
    try {
      const { days, isBehind } = await refreshViews(place, 'downtown', limit, {
        progress,
        signal,
      })
      return { days, isBehind }
    } finally {
      await database.close()
    }
  }
  const shown = (): unknown[] =>
    keeper.database.connection
      .prepare('SELECT business_date, id, total_due FROM books_transactions ORDER BY id')
      .raw()
      .all()
  return { keeper, refresh, shown }
}

test('the views follow what is read: a moved sale leaves its day, and unchanged days are not computed', async () => {
  const { keeper, refresh, shown } = await readingBooks()
  keeper.sales([T1, T2, T3])
  expect(await refresh()).toEqual({ days: 1, isBehind: false })
  expect(shown()).toEqual([
    [DAY, 'T1', '87.50'],
    [DAY, 'T2', '20.30'],
    [DAY, 'T3', '-21.87'],
  ])
  expect(await refresh()).toEqual({ days: 0, isBehind: false })
  const completedTime = TIMES.completed + DAY_MS
  keeper.sales([{ ...T2, completedTime, processedTime: completedTime, modified: LATER }])
  expect(await refresh()).toEqual({ days: 2, isBehind: false })
  expect(shown()).toEqual([
    [DAY, 'T1', '87.50'],
    [NEXT_DAY, 'T2', '20.30'],
    [DAY, 'T3', '-21.87'],
  ])
})

test('an export shows its days at once, and the other days are still computed by the next refresh', async () => {
  const { keeper, refresh, shown } = await readingBooks()
  const completedTime = TIMES.completed + DAY_MS
  keeper.sales([T1, { ...T2, completedTime, processedTime: completedTime }])
  await keeper.export(['transactions'])
  expect(shown()).toEqual([[DAY, 'T1', '87.50']])
  expect(await refresh()).toEqual({ days: 1, isBehind: false })
  expect(shown()).toHaveLength(2)
})

test('a day whose neighbour a journal shows meanwhile is found by the next refresh', async () => {
  const { keeper, refresh, shown } = await readingBooks()
  const completedTime = TIMES.completed + DAY_MS
  const next = { ...T2, completedTime, processedTime: completedTime }
  keeper.sales([T1, next])
  expect(await refresh()).toEqual({ days: 2, isBehind: false })
  const before = shown()
  keeper.sales([
    { ...T1, status: 'Void', modified: LATER },
    { ...next, modified: LATER },
  ])
  // As a journal does it that has read more.
  const showNextDay = (): void => {
    keeper.database.connection
      .prepare('UPDATE books_days SET batch = 1000 WHERE business_date = ?')
      .run(NEXT_DAY)
  }
  expect(await refresh(100, showNextDay)).toEqual({ days: 1, isBehind: true })
  expect(shown()).toEqual(before)
  expect(await refresh()).toEqual({ days: 1, isBehind: false })
  expect(shown()).not.toEqual(before)
})

test('more than the limit waits, is said, and is found by the next one', async () => {
  const { keeper, refresh, shown } = await readingBooks()
  keeper.sales([T1, T2, T3])
  expect(await refresh(2)).toEqual({ days: 0, isBehind: true })
  expect(await refresh()).toEqual({ days: 1, isBehind: false })
  expect(shown()).toHaveLength(3)
})

test('exactly those days are behind that hold an instant that a later reading changed', () => {
  const clock = fc.record({
    timeZone: fc.constantFrom('America/Los_Angeles', 'Africa/Cairo', 'Pacific/Apia', 'UTC'),
    dayStartsAt: fc.constantFrom('00:00', '02:30', '05:00'),
  })
  const minute = fc
    .integer({ min: Date.UTC(2026, 2, 1) / 60_000, max: Date.UTC(2026, 3, 1) / 60_000 })
    .map(minutes => minutes * 60_000)
  fc.assert(
    fc.property(clock, fc.array(fc.tuple(minute, fc.nat(9)), { maxLength: 8 }), (zone, changes) => {
      const known = ['2026-03-08', '2026-03-15'].map(day => ({
        day,
        batch: 5,
        ...zone,
        costsCame: false,
      }))
      const found = daysBehind(
        newestByDay(
          daysOf(
            changes.map(([ms, batch]) => ({ ms, batch })),
            zone,
          ),
        ),
        known,
        zone,
      )
      for (let day = '2026-02-27'; day < '2026-04-03'; day = addDays(day, 1)) {
        const { startMs, endMs } = businessDays({ from: day, to: addDays(day, 1) }, zone)
        const since = known.some(one => one.day === day) ? 5 : -1
        const isBehind = changes.some(([ms, batch]) => ms >= startMs && ms < endMs && batch > since)
        expect([day, found.includes(day)]).toEqual([day, isBehind])
      }
    }),
    { numRuns: 60 },
  )
})

test('days that were cut by another clock are behind, and so are those whose costs have come', () => {
  const clock = { timeZone: 'UTC', dayStartsAt: '00:00' }
  const day = { day: DAY, batch: 1, ...clock, costsCame: false }
  expect(daysBehind(new Map(), [day], clock)).toEqual([])
  expect(daysBehind(new Map(), [day], { ...clock, dayStartsAt: '02:00' })).toEqual([DAY])
  expect(daysBehind(new Map(), [{ ...day, costsCame: true }], clock)).toEqual([DAY])
})
