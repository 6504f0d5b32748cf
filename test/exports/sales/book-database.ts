import { join } from 'node:path'
import Database from 'better-sqlite3'
import { businessDays } from '../../../calendar/business-day.ts'
import { streams } from '../../../connectors/partner/streams/index.ts'
import { migrate } from '../../../connectors/sqlite/schema/migrate.ts'
import type { ExportRequest } from '../../../exports/export-files.ts'
import { pageOf } from '../../connectors/sqlite/page-of.ts'
import { createStagingStore } from '../../connectors/sqlite/staging-store.ts'
import { orderFor } from '../order.ts'

export const CLOCK = { timeZone: 'America/Los_Angeles', dayStartsAt: '02:00' }
export const DAYS = { from: '2026-03-08', to: '2026-03-09' }

/** A database as a sync leaves it, with the real streams. */
export async function bookDatabase(folder: string): Promise<Database.Database> {
  const path = join(folder, 'tillage.db')
  await migrate(path, streams)
  return new Database(path)
}

/** Merges records as the destination does. */
export function store(
  database: Database.Database,
  name: string,
  records: readonly unknown[],
): void {
  const stream = streams.find(one => one.name === name)!
  const staging = createStagingStore(database, streams)
  const page = pageOf(
    stream,
    records.map(record => JSON.stringify(record)),
  )
  staging.stage(page)
  staging.commit({
    reading: page.reading,
    store: 'downtown',
    stream: name,
    window: { start: '2026-03-01T00:00:00.000Z', end: '2026-03-01T00:00:00.000Z' },
    status: 'proven',
    byId: true,
    evidence: {},
    superseded: {},
    fetched: page.rows,
    findings: [],
    readAt: '2026-03-08T00:00:00.000Z',
  })
  database.exec('DETACH staged')
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
