import { describe, expect, it } from 'vitest'
import { decimal, integer, json, text, timestamp } from '../../../../connectors/stream.ts'
import { salesStream } from '../sales-stream.ts'
import { openDatabase } from '../window-database.ts'

const sales = {
  ...salesStream({
    ...text('id'),
    ...timestamp('modified', 'cart.closedAt'),
    ...decimal('cart.total'),
    ...json('cart.taxes'),
  }),
  children: {
    sale_items: {
      path: 'cart.items',
      columns: { ...decimal('price'), ...integer('count'), ...json('taxes') },
    },
  },
}

/** What became of one record beside a good one: its reason as a dead letter, or its row. */
async function load(record: string): Promise<{ reasons: unknown[]; ids: unknown[] }> {
  const database = await openDatabase([sales])
  database.load(sales, [['{"id":"good","modified":1}', record]])
  return {
    reasons: database.all('SELECT reason FROM dead_letters').map(row => row['reason']),
    ids: database.all('SELECT id FROM sales ORDER BY id').map(row => row['id']),
  }
}

describe('what no file could hold is a dead letter with its field', () => {
  it.each([
    ['one millisecond beyond all calendars', '"modified":8640000000000001', 'modified'],
    ['nanoseconds', '"cart":{"closedAt":1772000000000000000}', 'cart.closedAt'],
    ['microseconds', '"modified":1772000000000000', 'modified'],
    ['a year before all years', '"modified":-62135596800001', 'modified'],
  ])('%s', async (_, field, place) => {
    const { reasons, ids } = await load(`{"id":"odd",${field}}`)
    expect(reasons).toEqual([`${place}: expected timestamp, received number`])
    expect(ids).toEqual(['good'])
  })

  it.each(['-1e-2000', '1e400', '"1e400"', '1e101', `0.${'1'.repeat(100)}`])(
    'a total of %s',
    async total => {
      const { reasons, ids } = await load(`{"id":"odd","modified":1,"cart":{"total":${total}}}`)
      expect(reasons).toHaveLength(1)
      expect(reasons[0]).toMatch(/^cart\.total: expected decimal, received /)
      expect(ids).toEqual(['good'])
    },
  )

  it.each([
    ['a time', '"modified":true', 'modified: expected timestamp'],
    [
      'a time of a cart',
      '"modified":1,"cart":{"closedAt":false}',
      'cart.closedAt: expected timestamp',
    ],
    [
      'a count',
      '"modified":1,"cart":{"items":[{"count":true}]}',
      'cart.items[0].count: expected integer',
    ],
  ])('true or false for %s, which SQLite reads as a number', async (_, fields, reason) => {
    const { reasons, ids } = await load(`{"id":"odd",${fields}}`)
    expect(reasons).toEqual([`${reason}, received boolean`])
    expect(ids).toEqual(['good'])
  })

  it('also on a line', async () => {
    const { reasons } = await load('{"id":"odd","modified":1,"cart":{"items":[{"price":1e400}]}}')
    expect(reasons[0]).toMatch(/^cart\.items\[0\]\.price: expected decimal/)
  })

  it.each([
    '"modified":253402300799999',
    '"modified":-62135596800000',
    '"modified":1,"cart":{"total":-1.50e-7}',
    '"modified":1,"cart":{"total":1e100}',
    `"modified":1,"cart":{"total":0.1000000000000000055511151231257827021181583404541015625}`,
  ])('and this is none: %s', async fields => {
    expect(await load(`{"id":"odd",${fields}}`)).toEqual({ reasons: [], ids: ['good', 'odd'] })
  })
})

describe('a key that an object has twice is a dead letter', () => {
  it.each([
    ['"modified":1,"modified":2', 'modified'],
    ['"modified":1,"cart":{"total":1.10,"total":99.99}', 'cart.total'],
    ['"modified":1,"cart":{"total":1},"cart":{"total":2}', 'cart'],
    ['"modified":1,"cart":{"items":[{"price":1,"price":2}]}', 'cart.items[0].price'],
    ['"modified":1,"other":1,"other":2', 'other'],
    ['"modified":1,"oth\\u0065r":1,"other":2', 'other'],
    [
      '"modified":1,"cart":{"items":[{"price":1},{"pric\\u0065":1,"price":2}]}',
      'cart.items[1].price',
    ],
    ['"modified":1,"cart":{"taxes":{"city":1,"city":2}}', 'cart.taxes.city'],
    ['"modified":1,"cart":{"taxes":[{"x":{"city":1,"city":2}}]}', 'cart.taxes[0].x.city'],
    ['"modified":1,"cart":{"items":[{"taxes":{"city":1,"city":2}}]}', 'cart.items[0].taxes.city'],
  ])('%s', async (fields, place) => {
    const { reasons, ids } = await load(`{"id":"odd",${fields}}`)
    expect(reasons).toEqual([`${place}: the record has this key twice`])
    expect(ids).toEqual(['good'])
  })

  it('and a key is not shown that may be data', async () => {
    const { reasons } = await load('{"id":"odd","modified":1,"a@b.example":1,"a@b.example":2}')
    expect(reasons).toEqual(['a field: the record has this key twice'])
  })

  it.each(['"cart":null', '"cart":[]', '"cart":{"items":null}', '"cart":{"items":[null]}'])(
    'and where there is no object is no key: %s',
    async field => {
      const record = `{"id":"odd","modified":1,${field}}`
      expect(
        (await load(record)).reasons.filter(reason => /twice|NOT NULL/.test(String(reason))),
      ).toEqual([])
    },
  )

  it('where the same key in two objects, or twice inside of what no column reads, is none', async () => {
    const fields = '"modified":1,"total":1,"cart":{"total":1},"note":{"x":1,"x":2}'
    expect(await load(`{"id":"odd",${fields}}`)).toEqual({ reasons: [], ids: ['good', 'odd'] })
  })
})

describe('a decimal that is not there', () => {
  it('is fine for an SQLite that calls NULL no valid JSON, as those before 3.45 do', async () => {
    const database = await openDatabase([sales])
    database.load(sales, [['{"id":"a","modified":1,"cart":{"items":[{"count":1}]}}']])
    const { connection } = database
    connection.function('json_valid', { deterministic: true }, value => (value === null ? 0 : 1))
    expect(database.all('SELECT json_valid(NULL) AS valid')).toEqual([{ valid: 0 }])
    expect(connection.pragma('quick_check')).toEqual([{ quick_check: 'ok' }])
  })
})
