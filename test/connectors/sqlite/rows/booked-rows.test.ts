import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openReadOnly } from '../../../../connectors/database.ts'
import { findStream, streams } from '../../../../connectors/partner/streams/index.ts'
import { openDatabase } from '../window-database.ts'

const transactions = findStream('transactions')!

let plans: string[]
const { prepare } = Database.prototype

beforeAll(async () => {
  const { path, connection } = await openDatabase(streams)
  connection.exec(`INSERT INTO readings
    (batch, store_id, stream, window_start, window_end, status, counts, read_at) VALUES (2, 'downtown',
    'transactions', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z', 'proven', '{}', '')`)
  plans = []
  Database.prototype.prepare = function (this: Database.Database, ...asked: [string]) {
    const explained = prepare.apply(this, [`EXPLAIN QUERY PLAN ${asked[0]}`])
    const statement = prepare.apply(this, asked)
    const all = statement.all.bind(statement) as (...values: unknown[]) => unknown[]
    const explain = explained.all.bind(explained) as typeof all
    statement.all = (...values: unknown[]) => {
      plans.push(...explain(...values).map(row => (row as { detail: string }).detail))
      return all(...values)
    }
    return statement
  } as typeof prepare
  const place = { database: path, localFiles: path, stores: [] }
  const database = await openReadOnly(place, streams)
  plans = []
  await database.rows.bookedOutside('downtown', transactions, { startMs: 1, endMs: 2 })
  await database.bookedDays.changedSince('downtown', transactions, 1)
  await database.close()
})
afterAll(() => {
  Database.prototype.prepare = prepare
})

it('sales without a day, and what changed since a reading, are looked up, not looked for', () => {
  const ofRows = plans.filter(plan => plan.startsWith('SEARCH r ') || plan.startsWith('SCAN r'))
  const lookUps = /USING INDEX rows_transactions_(booked|cursor) \(store_id=\? AND [^)]+[<>=]\?/
  expect(ofRows.filter(plan => lookUps.test(plan))).toHaveLength(5)
  expect(ofRows.filter(plan => plan.includes('rows_transactions') && !lookUps.test(plan))).toEqual(
    [],
  )
})
