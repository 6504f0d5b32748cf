import { Client } from 'pg'
import type { QueryResult } from 'pg'
import { afterEach, expect, it } from 'vitest'
import { sales } from '../sql/number-sales.ts'
import { WINDOW_KINDS } from '../sql/window-databases.ts'

const RECORDS = 2_000
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

interface Asked {
  text: string
  values: unknown[]
}

const { query } = Client.prototype
afterEach(() => {
  Client.prototype.query = query
})

/**
 * On connections that are opened from now on, has the server explain such statements before it
 * carries them out.
 */
function explain(such: RegExp): string[] {
  const plans: string[] = []
  Client.prototype.query = function (this: Client, ...asked: [Asked]) {
    const [{ text, values }] = asked
    const ask = query.bind(this) as (question: object) => Promise<QueryResult<string[]>>
    if (such.test(text))
      void ask({ text: `EXPLAIN ${text}`, values, rowMode: 'array' }).then(({ rows }) =>
        plans.push(rows.flat().join('\n')),
      )
    return ask(...(asked as [object]))
  } as typeof query
  return plans
}

it('lines of a window whose records have all changed are joined by keys, and not each with each, before any statistics exist', async () => {
  const plans = explain(/^\s*(INSERT|DELETE)[^(]*sale_items/)
  const database = await WINDOW_KINDS['PostgreSQL']!([sales])
  await database.load(sales, pagesAt(1))
  plans.length = 0
  const { counts } = await database.load(sales, pagesAt(2))
  expect(counts).toMatchObject({ inserted: 0, updated: RECORDS, unchanged: 0 })
  // Lines go, and others come.
  expect(plans).toHaveLength(2)
  for (const plan of plans) expect(plan).not.toContain('Join Filter')
  expect(await database.all('SELECT count(*) AS count FROM sale_items')).toEqual([
    { count: 2 * RECORDS },
  ])
})

it('a window looks its own records up by their keys, and goes through no others of its store, before any statistics exist', async () => {
  const plans = explain(/(UPDATE rows_sales SET|INSERT INTO versions|AS untouched)/)
  const database = await WINDOW_KINDS['PostgreSQL']!([sales])
  await database.load(sales, pagesAt(1))
  plans.length = 0
  const [first, second] = pagesAt(2)
  // One record twice, and one that is older than its row.
  const again = JSON.stringify({ id: 's0', modified: 3, name: 'newer' })
  const older = JSON.stringify({ id: 's1500', modified: 0, name: 'older' })
  await database.load(sales, [
    [...first!, again],
    [older, ...second!.slice(600)],
  ])
  expect(plans.length).toBeGreaterThanOrEqual(3)
  for (const plan of plans) {
    expect(plan).toContain('Index Scan using rows_sales_key')
    expect(plan).not.toMatch(/(Index Cond|Recheck Cond): \(store_id = '[^']*'::text\)\n/)
  }
})
