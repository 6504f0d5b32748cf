import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { decimal, text, timestamp } from '../../../../connectors/stream.ts'
import { salesStream } from '../sales-stream.ts'
import { openDatabase } from '../window-database.ts'

const sales = salesStream(
  { ...text('id', 'note'), ...timestamp('modified') },
  { sale_items: { path: 'items', columns: { ...text('product'), ...decimal('price') } } },
)

interface Sale {
  note?: string
  items?: number
}

const sale = (id: number, { note = 'x', items = 0 }: Sale = {}): string =>
  JSON.stringify({
    id: `s${id}`,
    note,
    modified: 1_772_000_000_000 + id,
    items: Array.from({ length: items }, (_, line) => ({ product: `p${line}`, price: line })),
  })

const staged =
  'SELECT (SELECT count(*) FROM staged.staged_0) AS records, count(*) AS lines FROM staged.staged_1'

it('records of many pages and sizes go in with their lines, one longer than a page as well', async () => {
  const database = await openDatabase([sales])
  const sizes = [0, 1, 300, 40_000, 70_000]
  const pages = Array.from({ length: 30 }, (_, page) =>
    Array.from({ length: 9 }, (_, at) =>
      sale(page * 9 + at, { note: 'n'.repeat(sizes[(page * 9 + at) % 5]!), items: at }),
    ),
  )
  const { counts } = database.load(sales, pages)
  expect(counts).toMatchObject({ fetched: 270, inserted: 270, deadLettered: 0 })
  expect(database.all('SELECT id, length(note) AS note, raw FROM sales ORDER BY modified')).toEqual(
    pages.flat().map((raw, index) => ({ id: `s${index}`, note: sizes[index % 5], raw })),
  )
  const lines = database.all(
    'SELECT sale_id, line_no, product, price FROM sale_items ORDER BY 1, 2',
  )
  expect(lines).toHaveLength(30 * 36)
  expect(lines.filter(line => line['sale_id'] === 's269')).toEqual(
    Array.from({ length: 8 }, (_, line) => ({
      sale_id: 's269',
      line_no: line + 1,
      product: `p${line}`,
      price: String(line),
    })),
  )
})

it('a page of new, known and changed records counts each once, and lines follow their record', async () => {
  const database = await openDatabase([sales])
  database.load(sales, [[sale(1, { items: 2 }), sale(3, { items: 1 })]])
  const again = [
    sale(1, { items: 2 }),
    sale(2, { items: 3 }),
    sale(3, { items: 4, note: 'changed' }),
    sale(4, { items: 1 }),
  ]
  const { counts } = database.load(sales, [again])
  expect(counts).toMatchObject({ inserted: 2, updated: 1, unchanged: 1 })
  const lines = 'SELECT sale_id, count(*) AS lines FROM sale_items GROUP BY 1 ORDER BY 1'
  expect(database.all(lines).map(row => row['lines'])).toEqual([2, 3, 4, 1])
  expect(database.load(sales, [again]).counts).toMatchObject({ inserted: 0, unchanged: 4 })
})

it('where other fields stand in for an id, an empty id is none, whether its record is new or known', async () => {
  const rates = { ...sales, key: ['note'] }
  const database = await openDatabase([rates])
  const rate = (note: string, id = '""'): string => `{"id":${id},"note":"${note}"}`
  const page = [rate('City'), rate('State'), rate('County', '"c"'), rate('Road', 'null')]
  const keys = 'SELECT id FROM sales WHERE deleted_at IS NULL ORDER BY id'
  expect(database.load(rates, [page]).counts).toMatchObject({ inserted: 4 })
  expect(database.all(keys).map(row => row['id'])).toEqual(['City', 'Road', 'State', 'c'])
  expect(database.load(rates, [page]).counts).toMatchObject({ inserted: 0, unchanged: 4 })
  // As versions before this one have stored it: the record gets its own key.
  database.connection.pragma('ignore_check_constraints = ON')
  database.all("UPDATE rows_sales SET id = '' WHERE id = 'City' RETURNING 1")
  database.connection.pragma('ignore_check_constraints = OFF')
  expect(database.load(rates, [page]).counts).toMatchObject({ inserted: 1, unchanged: 3 })
  expect(database.all(keys).map(row => row['id'])).toEqual(['', 'City', 'Road', 'State', 'c'])
})

it('no record stays beside the database, whether its window was committed or failed', async () => {
  const database = await openDatabase([sales])
  const window = [[sale(1, { items: 2, note: 'z'.repeat(50_000) }), sale(2)]]
  database.load(sales, window)
  expect(database.all(staged)).toEqual([{ records: 0, lines: 0 }])
  expect(() => database.load(sales, window, { fetched: 3 })).toThrow('add up')
  expect(database.all(staged)).toEqual([{ records: 0, lines: 0 }])
  expect(database.all('PRAGMA staged.page_count')).toEqual([{ page_count: 5 }])
  expect(readdirSync(dirname(database.path)).filter(name => name.includes('staged'))).toEqual([])
})
