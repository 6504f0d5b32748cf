import { join } from 'node:path'
import Database from 'better-sqlite3'
import { businessDays } from '../../../calendar/business-day.ts'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { addContentFunction } from '../../../connectors/sqlite/rows/same-content.ts'
import { migrate } from '../../../connectors/sqlite/schema/migrate.ts'
import { addKeyFunction } from '../../../connectors/sqlite/window/duplicate-keys.ts'
import { mergeStatements } from '../../../connectors/sqlite/window/merge-statements.ts'
import type { ExportRequest } from '../../../exports/export-files.ts'
import { orderFor } from '../order.ts'

export const CLOCK = { timeZone: 'America/Los_Angeles', dayStartsAt: '02:00' }
export const DAYS = { from: '2026-03-08', to: '2026-03-09' }

/** A database as a sync leaves it, with the real streams. */
export async function bookDatabase(folder: string): Promise<Database.Database> {
  const path = join(folder, 'tillage.db')
  await migrate(path, streams)
  return new Database(path)
}

let batch = 0

/** Merges records as the destination does. */
export function store(
  database: Database.Database,
  name: string,
  records: readonly unknown[],
): void {
  const stream = streams.find(one => one.name === name)!
  addKeyFunction(database)
  addContentFunction(database)
  const { upsert, children } = mergeStatements(stream)
  const wanted = {
    store: 'downtown',
    batch: ++batch,
    body: JSON.stringify(records),
    listPath: '$',
    skip: '[]',
    cutMs: null,
    since: batch,
  }
  const bound = (sql: string): object =>
    Object.fromEntries(Object.entries(wanted).filter(([key]) => sql.includes(`@${key}`)))
  database.prepare(upsert).run(bound(upsert))
  for (const { remove, insert } of children)
    for (const sql of [remove, insert]) database.prepare(sql).run(bound(sql))
}

export function orderOfDay(
  folder: string,
  changes: Partial<ExportRequest> = {},
  closed?: string,
): ExportRequest {
  const range = businessDays(DAYS, CLOCK)
  return orderFor(folder, {
    streams,
    days: DAYS,
    range,
    datasets: [
      'transactions',
      'transaction_items',
      'transaction_payments',
      'item_lots',
      'payments',
      'taxes',
    ],
    books: {
      clock: CLOCK,
      range,
      read: range,
      editsKnownUntil: '2026-04-17T11:00:00.000Z',
      memberSecret: 'a secret of the test',
      ...(closed === undefined ? {} : { periodClosedThrough: closed }),
    },
    ...changes,
  })
}
