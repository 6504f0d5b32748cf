import { beforeEach, describe, expect, it } from 'vitest'
import type { Difference } from '../../../connectors/destination/rows.ts'
import { decimal, json, text, timestamp } from '../../../connectors/stream.ts'
import { salesStream } from '../sqlite/sales-stream.ts'
import { BY_HAND, MONDAY, commitDay, withDestination } from './by-hand-databases.ts'
import type { ByHand } from './by-hand-databases.ts'

const sales = salesStream(
  { ...text('id', 'name'), ...timestamp('modified'), ...decimal('total') },
  { sale_items: { path: 'items', columns: { ...text('product'), ...decimal('price') } } },
)
/** More than SQLite looks at in one part. */
const MANY = 250
const sale = (id: string): string =>
  `{"id":"${id}","name":"of ${id}","modified":${MONDAY},"total":1.50,"tags":{"2":1,"1":2},` +
  `"items":[{"product":"p","price":0.5},{"product":"q","price":1.00}]}`
const ALL = Array.from({ length: MANY }, (_, number) => sale(`s${number}`))

const ROWS = 'SELECT id, name, modified, total FROM rows_sales ORDER BY rid'
const LINES = 'SELECT * FROM rows_sale_items ORDER BY rid, line_no'

describe.each(Object.entries(BY_HAND))('rows and their own records, on %s,', (_, open) => {
  let opened: ByHand
  beforeEach(async () => {
    opened = await open()
    await withDestination(opened, [sales], destination =>
      commitDay(destination, sales, 0, ALL, { store: 'downtown' }),
    )
  })

  const inconsistent = async (): Promise<string[]> =>
    (await opened.kind.readInconsistentRows(opened.database, [sales])).flatMap(({ ids }) => ids)
  const ridOf = (id: string): string => `(SELECT rid FROM rows_sales WHERE id = '${id}')`
  const compared = (records: readonly string[]): Promise<[string, Difference][]> =>
    withDestination(opened, [sales], async ({ rows }) => {
      const asked = { records, readAtMs: MONDAY + 1, fields: 'all' } as const
      const found = await rows.compare('downtown', sales, asked)
      await rows.repair('downtown', sales, found)
      return found.map(({ id, difference }) => [id, difference])
    })

  it.each([
    ['a column', `UPDATE rows_sales SET total = '1.5' WHERE id = 's249'`],
    ['a line', `UPDATE rows_sale_items SET price = '1.0' WHERE line_no = 2 AND rid = @row`],
    ['a line that is missing', `DELETE FROM rows_sale_items WHERE line_no = 1 AND rid = @row`],
    ['a line too many', `INSERT INTO rows_sale_items (rid, line_no) VALUES (@row, 3)`],
  ])('are compared to the last one, and made right again: %s', async (_title, change) => {
    const before = [await opened.all(ROWS), await opened.all(LINES)]
    expect(await inconsistent()).toEqual([])
    expect(await compared(ALL)).toEqual([])
    await opened.run(change.replace('@row', ridOf('s249')))
    expect(await inconsistent()).toEqual(['s249'])
    expect(await compared(ALL)).toEqual([['s249', 'inconsistent']])
    expect([await opened.all(ROWS), await opened.all(LINES)]).toEqual(before)
    expect(await inconsistent()).toEqual([])
  })

  it('are found under a key with a NUL, of which one database holds another letter', async () => {
    const odd = sale(String.raw`a\u0000b`)
    await withDestination(opened, [sales], destination =>
      commitDay(destination, sales, 1, [odd], { store: 'downtown' }),
    )
    expect(await compared([odd])).toEqual([])
    expect(await compared([odd.replaceAll('1.50', '1.60')])).toEqual([
      [expect.any(String), 'differs'],
    ])
  })

  it.each([
    ['is cut off', `substr(raw, 1, 20)`],
    ['is two records', `raw || ',' || raw`],
    ['is none', `'5'`],
    ['has lost its key', `replace(raw, '"id"', '"ie"')`],
  ])('are named where the record %s, and read again', async (_title, bent) => {
    await opened.run(`UPDATE rows_sales SET raw = ${bent} WHERE id = 's120'`)
    expect(await inconsistent()).toEqual(['s120'])
    expect(await compared(ALL)).toEqual([['s120', 'differs']])
    await withDestination(opened, [sales], destination =>
      commitDay(destination, sales, 0, [sale('s120')], { store: 'downtown' }),
    )
    expect(await inconsistent()).toEqual([])
    expect(await compared(ALL)).toEqual([])
  })

  it('agree where somebody has put spaces into the record', async () => {
    await opened.run(`UPDATE rows_sales SET raw = replace(raw, ',', ' , ') WHERE id = 's1'`)
    expect(await inconsistent()).toEqual([])
    await opened.run(`UPDATE rows_sales SET raw = replace(raw, '1.50', '1.51') WHERE id = 's1'`)
    expect(await inconsistent()).toEqual(['s1'])
  })

  it('get later columns but for those whose record nobody can read', async () => {
    await opened.run(`UPDATE rows_sales SET raw = '{' WHERE id = 's7'`)
    const grown = salesStream({ ...sales.columns, ...json('tags') }, sales.children)
    await opened.kind.migrate(opened.database, [grown])
    expect(await opened.all('SELECT id FROM rows_sales WHERE tags IS NULL')).toEqual([{ id: 's7' }])
    const tags = 'SELECT DISTINCT tags FROM rows_sales WHERE tags IS NOT NULL'
    expect(await opened.all(tags)).toEqual([{ tags: '{"2":1,"1":2}' }])
    const found = await opened.kind.readInconsistentRows(opened.database, [grown])
    expect(found.map(({ ids }) => ids)).toEqual([['s7']])
  })
})
