import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPageReader } from '../../../../connectors/partner/read-page.ts'
import { boolean, decimal, integer, json, text, timestamp } from '../../../../connectors/stream.ts'
import { pageToStage, supersededRows } from '../../../../reading/reading.ts'
import { salesStream } from '../sales-stream.ts'
import { openDatabase } from '../window-database.ts'

const sales = salesStream(
  {
    ...text('id', 'note'),
    ...timestamp('modified'),
    ...boolean('open'),
    ...integer('line'),
    ...decimal('cart.total'),
    ...json('tags'),
  },
  { sale_items: { path: 'cart.items', columns: { ...decimal('price'), ...timestamp('sold.at') } } },
)

/** Values that fit something, nearly fit it, or fit nothing, as they may come over the wire. */
const odd = fc.constantFrom(
  ...'0 -0 1 12.50 0.10 -1.5e-7 1e400 1E2 9007199254740993 99999999999999999999'.split(' '),
  ...'253402300799999 253402300800000 -62135596800001 1772000000000000 1649846814522.0'.split(' '),
  ...'"" "1" "12.50" "01" "x" "\\u0031" true false null {} [] ["x"] [null] [5]'.split(' '),
  ...'"caf\u00e9" "a\\"b" "\\ud800" {"pin":1,"x":2} [{"pin":1}] [{"price":7,"pin":1}]'.split(' '),
  ...'{"total":"x"} [{"price":"x"}] [{"price":1,"price":2}] [{"sold":{"at":0.5}}]'.split(' '),
  `0.${'1'.repeat(40)}`,
  `0.${'1'.repeat(100)}`,
  '9'.repeat(25),
)
const field = fc.tuple(
  fc.constantFrom(...'note modified open line cart tags id n\\u006fte other pin PIN'.split(' ')),
  odd,
)
const inCart = fc.tuple(fc.constantFrom('total', 'items', 'total'), odd)
const asObject = (fields: readonly (readonly [string, string])[]): string =>
  `{${fields.map(([name, value]) => `"${name}":${value}`).join(',')}}`
const cart = fc.array(inCart, { maxLength: 2 }).map(fields => ['cart', asObject(fields)] as const)
const record = fc
  .tuple(fc.array(field, { maxLength: 2 }), fc.option(cart, { freq: 2 }))
  .map(([fields, inner]) => (inner === null ? fields : [...fields, inner]))
const page = fc
  .array(record, { minLength: 1, maxLength: 6 })
  .map(list => list.map((fields, index) => asObject([['id', `"r${index}"`], ...fields])))

test('what the reader has looked at is stored, refused and counted as where the tables look at everything', async () => {
  const [trusting, wary] = [await openDatabase([sales]), await openDatabase([sales])]
  const read = createPageReader(sales)
  let run = 0
  let plain = 0
  const load = (database: typeof wary, records: readonly string[], trust: boolean): unknown => {
    const store = `store${run}`
    const taken = read(Buffer.from(`[${records.join(',')}]`), { startMs: -1e18, endMs: 1e18 })
    const { rows, examined } = taken
    plain += rows.length - examined.doubtful.length
    const { superseded } = supersededRows([rows])
    const doubtful = trust ? examined.doubtful : rows.map((_, position) => position)
    database.store.stage({ ...pageToStage(store, taken, 0), examined: { doubtful } })
    const committed = database.store.commit({
      reading: store,
      store,
      stream: 'sales',
      window: { start: '2026-03-01T00:00:00.000Z', end: '2026-03-02T00:00:00.000Z' },
      status: 'proven',
      evidence: {},
      superseded,
      fetched: rows.length,
      findings: [],
      readAt: '2026-03-08T00:00:00.000Z',
    })
    const letters = 'SELECT record_key, reason, raw FROM dead_letters WHERE store_id = ? ORDER BY 1'
    return {
      committed,
      rows: database.all('SELECT * FROM sales WHERE store_id = ? ORDER BY id', store),
      lines: database.all('SELECT * FROM sale_items WHERE store_id = ? ORDER BY 2, 3', store),
      letters: database.all(letters, store),
    }
  }
  fc.assert(
    fc.property(page, page, fc.array(fc.boolean()), (records, others, isOther) => {
      run++
      expect(load(trusting, records, true)).toEqual(load(wary, records, false))
      // Some as they are there already, some changed, some new.
      const later = others.map((other, at) => (isOther[at] ? other : (records[at] ?? other)))
      expect(load(trusting, later, true)).toEqual(load(wary, later, false))
    }),
    { numRuns: 250 },
  )
  expect(plain).toBeGreaterThan(400)
})
