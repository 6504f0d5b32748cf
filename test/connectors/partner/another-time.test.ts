import { expect, it } from 'vitest'
import { createPageReader } from '../../../connectors/partner/read-page.ts'
import { transactions } from '../../../connectors/partner/streams/transactions.ts'

const read = createPageReader(transactions)
const asked = { startMs: 1000, endMs: 2000 }
const pageOf = (...rows: object[]): Buffer =>
  Buffer.from(JSON.stringify({ values: rows, total: rows.length }))

it('counts rows that the API let in by another time than modified, and calls them inside all the same', () => {
  const page = read(
    pageOf(
      { id: 'a', modified: 1500 },
      { id: 'b', modified: 2500, created: 1200 },
      { id: 'c', modified: 2500, completedTime: 1999 },
      { id: 'd', created: 1500 },
    ),
    asked,
  )
  expect(page.byAnotherTime).toBe(2)
  expect(page.rows.map(({ inside }) => inside)).toEqual([true, true, true, true])
})

it('counts none where the API filters by modified, nor rows that are outside by every time', () => {
  expect(
    read(pageOf({ id: 'a', modified: 1000, created: 10 }, { id: 'b', modified: 1999 }), asked)
      .byAnotherTime,
  ).toBe(0)
  const page = read(pageOf({ id: 'x', modified: 2500, created: 10 }), asked)
  expect(page.byAnotherTime).toBe(0)
  expect(page.rows[0]!.inside).toBe(false)
})

it('is not told by a time that no calendar has where a record lies, and so no such record blocks a window', () => {
  const inside = (record: object): boolean | undefined =>
    read(pageOf({ id: 'x', ...record }), asked).rows[0]!.inside
  expect(inside({ modified: 8_640_000_000_000_001, created: 1_763_000_000_000_000_000 })).toBe(true)
  expect(inside({ modified: -62_135_596_800_001 })).toBe(true)
  expect(inside({ modified: 8_640_000_000_000_001, created: 10 })).toBe(false)
  expect(inside({ modified: 253_402_300_799_999 })).toBe(false)
  const [row] = read(
    pageOf({ id: 'x', modified: 8_640_000_000_000_001, created: 1e300 }),
    asked,
  ).rows
  expect(row).toMatchObject({ modified: null, created: null })
})
