import type Sqlite from 'better-sqlite3'
import { UsageError } from '../../../errors.ts'
import type { ZoneChange } from '../../sql/by-hand.ts'
import type { Stream } from '../../stream.ts'

/** Looks only. Fails where the store is not in the database. */
export function previewZoneChange(
  connection: Sqlite.Database,
  { store, zone }: { store: string; zone: string },
  streams: readonly Stream[],
): ZoneChange {
  const was = connection
    .prepare<[string], string>('SELECT time_zone FROM stores WHERE store_id = ?')
    .pluck()
    .get(store)
  if (was === undefined)
    throw new UsageError(`there is no store ${store} in the database`, 'tillage store list')
  const proven = connection.prepare<[string, string], ZoneChange['windows'][number]>(
    `SELECT stream, count(*) AS windows, min(window_start) AS "from", max(window_end) AS "to"
     FROM windows WHERE store_id = ? AND stream = ? AND status = 'proven' GROUP BY stream`,
  )
  const windows = streams
    .filter(({ windowing }) => windowing === 'days')
    .flatMap(({ name }) => proven.get(store, name) ?? [])
  return { store, was, zone, windows, bookedDays: countBookedDays(connection, store) }
}

/** The tables of what was given out are made by the first export. */
function countBookedDays(connection: Sqlite.Database, store: string): number {
  const tables = connection
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE name IN ('booked_days', 'journal_entries')",
    )
    .pluck()
    .all()
  const days = tables
    .map(table => `SELECT day FROM ${table} WHERE store_id = @store`)
    .join(' UNION ')
  return connection
    .prepare<[object], number>(`SELECT count(*) FROM (${days})`)
    .pluck()
    .get({ store })!
}

/** Does it; inside a transaction. Rows stay: what a reading finds the same is not touched. */
export function applyZone(
  connection: Sqlite.Database,
  { store, zone, was, windows }: ZoneChange,
): void {
  connection.prepare('UPDATE stores SET time_zone = ? WHERE store_id = ?').run(zone, store)
  const evidence = JSON.stringify({
    reason: 'STORE_ZONE',
    detail: `read as of ${was}; the zone is ${zone}`,
  })
  const doubt = connection.prepare(
    "UPDATE windows SET status = 'unproven', evidence = ? WHERE store_id = ? AND stream = ?",
  )
  for (const { stream } of windows) doubt.run(evidence, store, stream)
}
