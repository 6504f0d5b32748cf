import { describe, expect, it, vi } from 'vitest'
import { boolean, decimal, integer, json, text, timestamp } from '../../../connectors/stream.ts'
import type { Stream } from '../../../connectors/stream.ts'
import { salesStream } from '../sqlite/sales-stream.ts'
import { BY_HAND, commitDay, withDestination } from './by-hand-databases.ts'
import type { ByHand } from './by-hand-databases.ts'

const before = salesStream({ ...text('id'), ...timestamp('modified') }, {})
const grown: Stream = salesStream(
  {
    ...text('id', 'note'),
    ...timestamp('modified', 'readyAt'),
    ...integer('eta'),
    ...boolean('paid'),
    ...decimal('total'),
    ...json('tags'),
  },
  {
    sale_items: {
      path: 'items',
      columns: { ...text('product'), ...integer('count'), ...boolean('free'), ...decimal('price') },
    },
  },
)

/** The same value in every column of the row, and of a line. */
function recordOf(id: string, value: string): string {
  const all = (names: readonly string[]): string =>
    names.map(name => `"${name}":${value}`).join(',')
  const fields = all(['note', 'readyAt', 'eta', 'paid', 'total', 'tags'])
  const line = all(['product', 'count', 'free', 'price'])
  return `{"id":"${id}","modified":1,${fields},"items":[{${line}}]}`
}

const VALUES = ['"15 min"', '1.5', '2.0', '"15"', '[1]', '{"a":1}', '1e40', '"1e2"'].concat([
  '9223372036854775808',
  '""',
  'null',
  '2',
  '"1.50"',
  '"00"',
  '"-"',
  '"a\\u0000b"',
  '1',
])

const ODD = VALUES.map((value, index) => recordOf(String(index).padStart(2, '0'), value))
const LINES =
  '{"id":"x","modified":1,"items":["a text",5,null,"{\\"product\\":\\"x\\"}",{"product":"y","count":"n/a"}]}'

/** Truth is a number on SQLite, and no text of PostgreSQL holds a NUL. */
const alike = (rows: readonly unknown[]): unknown =>
  JSON.parse(
    JSON.stringify(rows, (_, value: unknown) => {
      if (typeof value === 'boolean') return Number(value)
      return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value
    }),
  )

const ROWS = 'SELECT id, note, ready_at, eta, paid, total, tags FROM rows_sales ORDER BY id'
const LINE_ROWS = `SELECT s.id, line_no, product, count, free, price
  FROM rows_sale_items i JOIN rows_sales s ON s.rid = i.rid ORDER BY s.id, line_no`

/** As each kind of database has answered. */
const answers = new Map<string, unknown>()

function agree(what: string, answer: unknown): void {
  if (answers.has(what)) expect(answer).toEqual(answers.get(what))
  answers.set(what, answer)
}

describe.each(Object.entries(BY_HAND))('columns that come later, on %s,', (_, open) => {
  const filled = async (): Promise<ByHand> => {
    const opened = await open()
    await withDestination(opened, [before], destination =>
      commitDay(destination, before, 0, [...ODD, LINES]),
    )
    return opened
  }

  it('are filled from the records that are there, with all that fits them', async () => {
    const opened = await filled()
    const { kind, database, all } = opened
    await expect(kind.refuseOlder(database, [grown])).rejects.toMatchObject({
      code: 'DATABASE_OLDER',
    })
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await kind.migrate(database, [grown])
    const lines = said.mock.calls.map(([line]) => String(line))
    said.mockRestore()
    expect(lines).toEqual([expect.stringMatching(/^bringing .* up to date, step 1 of 1 \(tables/)])
    await kind.refuseOlder(database, [grown])
    const rows = await all(ROWS)
    expect(alike(rows.slice(11, 12))).toEqual([
      { id: '11', note: '2', ready_at: 2, eta: 2, paid: null, total: '2', tags: '2' },
    ])
    agree('rows', alike(rows))
    const found = (await all(LINE_ROWS)) as { product: string | null }[]
    expect(found.slice(-5).map(({ product }) => product)).toEqual([null, null, null, 'x', 'y'])
    agree('lines', alike(found))
    expect(await all('SELECT * FROM versions')).toEqual([])
    expect(await kind.readInconsistentRows(database, [grown])).toEqual([])
    expect(await kind.readMissing(database, [grown])).toEqual({ parts: [], emptied: [] })
    expect(await all('SELECT count(*) AS n FROM sale_items')).toEqual([{ n: found.length }])
  })

  it('are filled where several fields are the key of a record', async () => {
    const opened = await open()
    const declared = (columns: Stream['columns'], children: Stream['children'] = {}): Stream => ({
      ...salesStream({ ...text('id', 'name'), ...timestamp('modified'), ...columns }, children),
      key: ['name'],
    })
    const records = [
      '{"name":"a","modified":1,"x":5,"items":[{"n":7}]}',
      '{"name":"b","modified":1}',
    ]
    await withDestination(opened, [declared({})], one => commitDay(one, declared({}), 0, records))
    const lists = { sale_items: { path: 'items', columns: integer('n') } }
    await opened.kind.migrate(opened.database, [declared(integer('x'))])
    await opened.kind.migrate(opened.database, [declared(integer('x'), lists)])
    expect(await opened.all('SELECT id, name, x FROM rows_sales ORDER BY id')).toEqual([
      { id: 'a', name: 'a', x: 5 },
      { id: 'b', name: 'b', x: null },
    ])
    expect(await opened.all('SELECT line_no, n FROM rows_sale_items')).toEqual([
      { line_no: 1, n: 7 },
    ])
  })

  it('take rows of later readings, also where a declared one is left out again', async () => {
    const opened = await filled()
    const fewer = salesStream({ ...text('id'), ...timestamp('modified'), ...decimal('total') })
    await opened.kind.migrate(opened.database, [grown])
    await withDestination(opened, [fewer], destination =>
      commitDay(destination, fewer, 1, ['{"id":"new","modified":2,"total":"7.10","eta":3}']),
    )
    expect(await opened.all(`SELECT total, eta FROM rows_sales WHERE id = 'new'`)).toEqual([
      { total: '7.10', eta: null },
    ])
  })

  it('are made anew from the records where they are of another kind', async () => {
    const opened = await filled()
    const asText = salesStream({ ...grown.columns, ...text('eta') }, grown.children)
    await opened.kind.migrate(opened.database, [grown])
    await opened.kind.migrate(opened.database, [asText])
    expect(await opened.all('SELECT eta FROM rows_sales ORDER BY id LIMIT 2')).toEqual([
      { eta: '15 min' },
      { eta: '1.5' },
    ])
    await opened.kind.refuseOlder(opened.database, [asText])
    expect(await opened.kind.readInconsistentRows(opened.database, [asText])).toEqual([])
  })

  it('and views and indexes that somebody dropped are there again', async () => {
    const opened = await filled()
    const { kind, database, run, all } = opened
    await run('DROP VIEW sales_versions')
    await run('DROP INDEX rows_sales_cursor')
    await expect(kind.refuseOlder(database, [before])).rejects.toMatchObject({
      code: 'DATABASE_OLDER',
    })
    await kind.migrate(database, [before])
    await kind.refuseOlder(database, [before])
    expect(await all('SELECT count(*) AS n FROM sales_versions')).toEqual([{ n: ODD.length + 1 }])
    expect(await kind.readMissing(database, [before])).toEqual({ parts: [], emptied: [] })
  })
})
