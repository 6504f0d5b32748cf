import { describe, expect, it } from 'vitest'
import { compareRows } from '../../../../connectors/sql/rows/compare-rows.ts'
import { atOnce } from '../../../../connectors/sqlite/connection/sql-connection.ts'
import { recordStaging } from '../../../../connectors/sqlite/rows/staged-rows.ts'
import { text, timestamp } from '../../../../connectors/stream.ts'
import { salesStream } from '../sales-stream.ts'
import { openDatabase } from '../window-database.ts'
import type { WindowDatabase } from '../window-database.ts'

const sales = salesStream({ ...text('id', 'name'), ...timestamp('modified') })
const MODIFIED = Date.parse('2026-03-03T00:00:00.000Z')
const sale = (name: string): string => JSON.stringify({ id: 'a', modified: MODIFIED, name })
const repair = ({ store }: WindowDatabase): void =>
  store.repair({
    store: 'downtown',
    stream: sales.name,
    different: [{ id: 'a', difference: 'differs', modified: MODIFIED }],
  })

describe('a row that was found to differ', () => {
  it('is what it was if the next reading shows it as it stands here: the list may be behind its records', async () => {
    const database = await openDatabase([sales])
    database.load(sales, [[sale('x')]])
    const before = database.all('SELECT * FROM sales')
    repair(database)
    expect(database.all('SELECT modified FROM sales')).toEqual([{ modified: null }])
    database.load(sales, [[sale('x')]], { readAt: '2026-03-09T00:00:00.000Z' })
    expect(database.all('SELECT * FROM sales')).toEqual(before)
  })

  it('is replaced by what the next reading shows, and that is no record that came late', async () => {
    const database = await openDatabase([sales])
    database.load(sales, [[sale('wrong')]])
    repair(database)
    database.load(sales, [[sale('right')]], { readAt: '2026-08-09T00:00:00.000Z' })
    expect(database.all('SELECT name, modified FROM sales')).toEqual([
      { name: 'right', modified: MODIFIED },
    ])
    expect(database.all('SELECT * FROM lateness')).toEqual([])
  })

  it('is told apart from one that changed since, also where times come as texts', async () => {
    const { connection, load } = await openDatabase([sales])
    const textual = (name: string, modified: number): string =>
      JSON.stringify({ id: 'a', modified: String(modified), name })
    load(sales, [[textual('x', MODIFIED)]])
    const differenceTo = (record: string): unknown => {
      const seen = { records: [record], readAtMs: MODIFIED + 9, fields: 'all' as const }
      const steps = compareRows(recordStaging(connection), 'downtown', sales, seen)
      return atOnce(connection, steps)[0]?.difference
    }
    expect(differenceTo(textual('x', MODIFIED))).toBeUndefined()
    expect(differenceTo(textual('y', MODIFIED))).toBe('differs')
    expect(differenceTo(textual('y', MODIFIED + 1))).toBe('changed')
  })
})
