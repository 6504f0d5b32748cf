import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DifferentRow } from '../../../../connectors/destination/rows.ts'
import { compareRows } from '../../../../connectors/sql/rows/compare-rows.ts'
import { atOnce } from '../../../../connectors/sqlite/connection/sql-connection.ts'
import { recordStaging } from '../../../../connectors/sqlite/rows/staged-rows.ts'
import { boolean, decimal, integer, json, text, timestamp } from '../../../../connectors/stream.ts'
import type { Stream } from '../../../../connectors/stream.ts'
import { rowsAsOf } from '../rows/rows-as-of.ts'
import { salesStream } from '../sales-stream.ts'
import { newPath, openDatabase } from '../window-database.ts'
import type { WindowDatabase } from '../window-database.ts'

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
/** The same values in every column of the row, and of a line. */
function recordOf(id: string, value: string): string {
  const all = (names: readonly string[]): string =>
    names.map(name => `"${name}":${value}`).join(',')
  const fields = all(['note', 'readyAt', 'eta', 'paid', 'total', 'tags'])
  const line = all(['product', 'count', 'free', 'price'])
  return `{"id":"${id}","modified":1,${fields},"items":[{${line}}]}`
}

/** Rows that were loaded before there were such columns, in a database that has them now. */
async function growing(records: readonly string[]): Promise<WindowDatabase> {
  const path = newPath()
  const old = await openDatabase([before], path)
  expect(old.load(before, [records]).counts).toMatchObject({ inserted: records.length })
  return openDatabase([grown], path)
}

function differences(
  { connection }: WindowDatabase,
  stream: Stream,
  records: readonly string[],
): DifferentRow[] {
  const toCompare = { records, readAtMs: 10, fields: 'all' } as const
  return atOnce(connection, compareRows(recordStaging(connection), 'downtown', stream, toCompare))
}

const ODD = [
  '"15 min"',
  '"n/a"',
  '1.5',
  '2.0',
  '"15"',
  '"1e2"',
  'true',
  '[1]',
  '{"a":1}',
  '1e40',
  '9223372036854775808',
  '"0x10"',
  '""',
  'null',
  '2',
  '"1.50"',
  '"00"',
  '"-"',
]

describe('columns that are filled from raw', () => {
  it.each(ODD)(
    'are empty where %s does not fit, open all the same, and count as right',
    async value => {
      const records = [recordOf('a', value), recordOf('b', '1')]
      const database = await growing(records)
      expect(database.all("SELECT eta, paid, total, ready_at FROM sales WHERE id = 'b'")).toEqual([
        { eta: 1, paid: 1, total: '1', ready_at: 1 },
      ])
      expect(database.all('SELECT sale_id, line_no FROM sale_items ORDER BY 1')).toEqual([
        { sale_id: 'a', line_no: 1 },
        { sale_id: 'b', line_no: 1 },
      ])
      expect(differences(database, grown, records)).toEqual([])
      const rows = (): unknown => [
        database.all('SELECT * FROM sales ORDER BY id'),
        database.all('SELECT * FROM sale_items ORDER BY 1, 2'),
      ]
      const filled = rows()
      database.connection.exec(
        "UPDATE rows_sales SET eta = 77, note = 'bent'; DELETE FROM rows_sale_items",
      )
      expect(differences(database, grown, records)).toMatchObject([
        { difference: 'inconsistent' },
        { difference: 'inconsistent' },
      ])
      database.store.repair({
        store: 'downtown',
        stream: grown.name,
        different: ['a', 'b'].map(id => ({ id, difference: 'inconsistent', modified: 1 })),
      })
      expect(rows()).toEqual(filled)
    },
  )

  it('hold what the loader would have stored, for each kind that it takes', async () => {
    const value = fc.oneof(
      fc.constantFrom(...ODD),
      fc.stringMatching(/^[-+ .0-9eE]{0,5}$/).map(inner => JSON.stringify(inner)),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
    )
    const loaded = await openDatabase([grown])
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.constantFrom('readyAt', 'eta', 'paid', 'total', 'tags', 'note'), value),
          { minLength: 30, maxLength: 30 },
        ),
        async fields => {
          const records = fields.map(
            ([field, token], index) =>
              `{"id":"${index}","modified":1,"${field}":${token},` +
              `"items":[{"count":${token},"free":${token},"price":${token}}]}`,
          )
          loaded.connection.exec(
            'DELETE FROM rows_sales; DELETE FROM rows_sale_items; DELETE FROM dead_letters',
          )
          loaded.load(grown, [records])
          const later = await growing(records)
          for (const sql of [
            'SELECT * FROM sales WHERE id = ?',
            'SELECT * FROM sale_items WHERE sale_id = ?',
          ]) {
            for (const { id } of loaded.all('SELECT id FROM sales'))
              expect(later.all(sql, id), records[Number(id)]).toEqual(loaded.all(sql, id))
          }
          expect(differences(loaded, grown, records)).toEqual([])
          expect(differences(later, grown, records)).toEqual([])
        },
      ),
      { numRuns: 25 },
    )
  })

  it('of lines that are no objects are empty too', async () => {
    const records = [
      '{"id":"a","modified":1,"items":["a text",5,null,"{\\"product\\":\\"x\\"}",{"product":"y"}]}',
    ]
    const database = await growing(records)
    expect(database.all('SELECT line_no, product FROM sale_items ORDER BY 1')).toEqual(
      [null, null, null, 'x', 'y'].map((product, index) => ({ line_no: index + 1, product })),
    )
    expect(differences(database, grown, records)).toEqual([])
  })
})

describe('records whose key is made of fields', () => {
  const keyed: Stream = { ...grown, key: ['note'] }

  it('are not called inconsistent for the id that they lack, and keep it in states of the past', async () => {
    const database = await openDatabase([keyed])
    const records = ['{"modified":1,"note":"VAT"}']
    database.load(keyed, [records])
    expect(differences(database, keyed, records)).toEqual([])
    database.load(keyed, [['{"modified":2,"note":"VAT"}']])
    expect(
      database.connection
        .prepare(`SELECT id, modified FROM (${rowsAsOf(keyed)})`)
        .all({ batch: 1 }),
    ).toEqual([{ id: 'VAT', modified: 1 }])
  })
})
