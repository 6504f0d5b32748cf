import { describe, expect, it } from 'vitest'
import { sales } from './number-sales.ts'
import { WINDOW_KINDS } from './window-databases.ts'

const RECORDS = 10_000
const A_PAGE = 1_000

/** The same records, changed at this moment. */
const pagesAt = (modified: number): string[][] =>
  Array.from({ length: RECORDS / A_PAGE }, (_, page) =>
    Array.from({ length: A_PAGE }, (_, at) =>
      JSON.stringify({
        id: `s${page * A_PAGE + at}`,
        modified,
        name: `at ${modified}`,
        items: [{ product: 'a' }, { product: 'b' }],
      }),
    ),
  )

describe.each(Object.entries(WINDOW_KINDS))('on %s,', (_, openDatabase) => {
  /** One that is read row by row for each row of another would not be through before the limit. */
  it('a window whose records have all changed is merged into tables that nothing is known of', async () => {
    const database = await openDatabase([sales])
    await database.load(sales, pagesAt(1))
    const { counts } = await database.load(sales, pagesAt(2))
    expect(counts).toMatchObject({ inserted: 0, updated: RECORDS, unchanged: 0 })
    expect(await database.all('SELECT count(*) AS count FROM sale_items')).toEqual([
      { count: 2 * RECORDS },
    ])
  })
})
