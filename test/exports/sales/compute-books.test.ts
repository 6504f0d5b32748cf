import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openSnapshot } from '../../../connectors/database.ts'
import { computeBooks } from '../../../exports/sales/compute-books.ts'
import { booksShape } from '../../../exports/sales/shown-books.ts'
import { exportHere, filesIn, freshFolder } from '../order.ts'
import { bookDatabase, DAYS, orderOfDay, store } from './book-database.ts'
import { oddRecords } from './odd-records.ts'

const RECORDS = 600

async function oddDay(count = RECORDS): Promise<string> {
  const folder = freshFolder()
  const database = await bookDatabase(folder)
  store(database, 'transactions', oddRecords(count))
  database.close()
  return folder
}

/** The state of the day's books, and their rows as the snapshot then reads them. */
async function compute(folder: string) {
  const order = orderOfDay(folder)
  const stream = order.streams.find(({ bookedAt }) => bookedAt !== undefined)!
  const snapshot = await openSnapshot(
    order.database,
    { store: 'downtown', ...order.range },
    { shape: booksShape(stream), folder: freshFolder() },
  )
  try {
    const work = { stream, store: 'downtown', days: DAYS, books: order.books! }
    const state = await computeBooks(snapshot, work, () => {})
    const batch = await snapshot.batch()
    await snapshot.books!.show({ days: DAYS, batch, clock: order.books!.clock })
    return state
  } finally {
    await snapshot.close()
  }
}

const idsShown = (folder: string): unknown[] => {
  const database = new Database(join(folder, 'tillage.db'), { readonly: true })
  try {
    return database.prepare('SELECT transaction_id FROM books_transactions').pluck().all()
  } finally {
    database.close()
  }
}

test('the state of the books is that of their records, whatever is stored of them', async () => {
  const folder = await oddDay()
  const state = await compute(folder)
  expect(await compute(folder)).toBe(state)
  expect(idsShown(folder)).toHaveLength(RECORDS)
  // The twin: one record more is another state.
  const database = new Database(join(folder, 'tillage.db'))
  store(database, 'transactions', oddRecords(RECORDS + 1))
  database.close()
  expect(await compute(folder)).not.toBe(state)
})

test('a record that cannot be written leaves nothing', async () => {
  const folder = await oddDay(300)
  const database = new Database(join(folder, 'tillage.db'))
  // Past the checks of the tables.
  database.exec(
    `UPDATE rows_transactions SET raw = json_set(raw, '$.created', 9000000000000000)
     WHERE id = 'T0'`,
  )
  database.close()
  const order = orderOfDay(folder, { formats: ['csv'] })
  const failed = await exportHere(order).catch((error: unknown) => error)
  expect(String(failed)).toContain('transactions.created_at holds a value that is no timestamp')
  expect(filesIn(order.out)).toEqual([])
})
