import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordTexts } from '../../../../connectors/answer/judge-records.ts'
import { createPageReader } from '../../../../connectors/partner/read-page.ts'
import { sameContent } from '../../../../connectors/sql/rows/same-content.ts'
import { readInconsistentRows } from '../../../../connectors/sqlite/upkeep/integrity.ts'
import { boolean, decimal, integer, json, text, timestamp } from '../../../../connectors/stream.ts'
import { pageToStage, supersededRows } from '../../../../reading/reading.ts'
import { sized } from '../../../helpers/size.ts'
import { explainRecord, parseRecord } from '../../explain-record.ts'
import { salesStream } from '../sales-stream.ts'
import { openDatabase } from '../window-database.ts'
import { addKeyFunction, duplicateKeys } from './duplicate-keys.ts'

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

/** Out of the parsed record, and by conditions in SQL: nothing of how the reader judges. */
function createOracle(): (raw: string) => boolean {
  const memory = new Database(':memory:')
  addKeyFunction(memory)
  const hasKeyTwice = memory
    .prepare<[string], number>(
      `SELECT coalesce(max(${duplicateKeys(sales).join(' OR ')}), 0)
       FROM (SELECT jsonb(?) AS value) p`,
    )
    .pluck()
  return raw => {
    const problems = explainRecord(sales, parseRecord(raw))
    const hasEscapedDecimal = /"(total|price)":"\\u/.test(raw)
    return (
      problems.every(text => text.includes('expected text,')) &&
      hasKeyTwice.get(raw) === 0 &&
      !hasEscapedDecimal
    )
  }
}

interface Kept {
  raw: string
  modified: number
}

test('records are stored, refused and counted as their parsed JSON says, column by column', async () => {
  const database = await openDatabase([sales])
  const read = createPageReader(sales)
  const isFit = createOracle()
  let run = 0
  const seen = { fit: 0, unfit: 0 }
  const expected = { rows: new Map<string, Kept>(), letters: new Map<string, string>() }
  const load = (records: readonly string[]): void => {
    const store = `store${run}`
    const taken = read(Buffer.from(`[${records.join(',')}]`), { startMs: -1e18, endMs: 1e18 })
    // Without secret fields.
    const raws = recordTexts(sales, taken)
    const { superseded } = supersededRows([taken.rows])
    const counts = { inserted: 0, updated: 0, unchanged: 0, deadLettered: 0 }
    for (const [position, { id, modified }] of taken.rows.entries()) {
      if (superseded[0]?.includes(position) === true) continue
      const record = { raw: raws[position]!, modified: modified ?? 0 }
      const fits = isFit(record.raw)
      seen[fits ? 'fit' : 'unfit']++
      counts[fits ? takeRow(expected.rows, id, record) : 'deadLettered']++
      if (fits) expected.letters.delete(id)
      else expected.letters.set(id, record.raw)
    }
    database.store.stage(pageToStage(store, taken, 0))
    const committed = database.store.commit({
      reading: store,
      store,
      stream: 'sales',
      window: { start: '2026-03-01T00:00:00.000Z', end: '2026-03-02T00:00:00.000Z' },
      status: 'proven',
      evidence: {},
      superseded,
      fetched: taken.rows.length,
      findings: [],
      readAt: '2026-03-08T00:00:00.000Z',
    })
    expect(committed.counts).toMatchObject(counts)
    const rows = database.all('SELECT id, raw FROM sales WHERE store_id = ? ORDER BY id', store)
    const byKey = ([one]: [string, unknown], [other]: [string, unknown]): number =>
      Buffer.compare(Buffer.from(one), Buffer.from(other))
    expect(rows).toEqual([...expected.rows].sort(byKey).map(([id, { raw }]) => ({ id, raw })))
    const letters = 'SELECT record_key, raw FROM dead_letters WHERE store_id = ? ORDER BY 1'
    expect(database.all(letters, store)).toEqual(
      [...expected.letters].sort(byKey).map(([key, raw]) => ({ record_key: key, raw })),
    )
  }
  fc.assert(
    fc.property(page, page, fc.array(fc.boolean()), (records, others, isOther) => {
      run++
      expected.rows.clear()
      expected.letters.clear()
      load(records)
      // Some as they are there already, some changed, some new.
      load(others.map((other, at) => (isOther[at] ? other : (records[at] ?? other))))
    }),
    { numRuns: sized(250, 5_000) },
  )
  expect(Math.min(seen.fit, seen.unfit)).toBeGreaterThan(300)
  expect(readInconsistentRows(database.path, [sales])).toEqual([])
  expect(database.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
})

function takeRow(
  rows: Map<string, Kept>,
  id: string,
  record: Kept,
): 'inserted' | 'updated' | 'unchanged' {
  const known = rows.get(id)
  if (known !== undefined) {
    if (known.modified > record.modified) return 'unchanged'
    if (known.modified === record.modified && sameContent(known.raw, record.raw)) return 'unchanged'
  }
  rows.set(id, record)
  return known === undefined ? 'inserted' : 'updated'
}
