import { describe, expect, it } from 'vitest'
import { decimal, text, timestamp } from '../../../connectors/stream.ts'
import { salesStream } from './sales-stream.ts'
import { openDatabase } from './window-database.ts'

const sales = salesStream({ ...text('id'), ...timestamp('modified'), ...decimal('total') })

const good = '{"id":"a","modified":1,"total":"1.50"}'
const bad = '{"id":"a","modified":2,"total":"one fifty"}'
const mended = '{"id":"a","modified":3,"total":"1.75"}'
const other = '{"id":"b","modified":1,"total":"9.00"}'

describe('a dead letter', () => {
  it('keeps the last good row beside it, and goes when the record comes mended', async () => {
    const { load, all } = await openDatabase([sales])
    load(sales, [[good, other]])
    expect(load(sales, [[bad, other]]).counts).toMatchObject({ deadLettered: 1, unchanged: 1 })
    expect(all('SELECT id, total FROM sales')).toEqual([{ id: 'a', total: '1.50' }, { id: 'b', total: '9.00' }])
    expect(all('SELECT record_key, reason FROM dead_letters')).toEqual([{ record_key: 'a', reason: 'total: expected decimal, received string' }])
    load(sales, [[mended, other]])
    expect(all('SELECT * FROM dead_letters')).toEqual([])
  })

  it('goes when the record comes back as it was before it went bad', async () => {
    const { load, all } = await openDatabase([sales])
    for (const record of [good, bad, good]) load(sales, [[record]])
    expect(all('SELECT * FROM dead_letters')).toEqual([])
  })

  it('stays while other records come, and while a good copy loses against a bad and newer one', async () => {
    const { load, all } = await openDatabase([sales])
    load(sales, [[bad]])
    load(sales, [[other]])
    expect(all('SELECT record_key FROM dead_letters')).toEqual([{ record_key: 'a' }])
    load(sales, [[good], [bad]])
    expect(all('SELECT record_key FROM dead_letters')).toEqual([{ record_key: 'a' }])
  })
})
