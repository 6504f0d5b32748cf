import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Stream } from '../connectors/stream.ts'
import { bookedAtSql } from '../connectors/stream.ts'
import { rowTable } from '../connectors/sqlite/views.ts'
import { addDays, fromIso, isDay, toIso } from '../connectors/window.ts'
import { newestManifest, type Manifest } from '../exports/manifest.ts'
import type { OpenLedger } from './open-ledger.ts'

/** A business day whose books were given out, and which holds something that was seen to change since. */
export interface ChangedDay {
  day: string
  manifest: Manifest
}

/** Costs that are missing for longer than this do not come by themselves. */
const COSTS_COME_WITHIN_DAYS = 60

/**
 * Closed days before `before` that have to be looked at again: since the manifest was written (by the file's own time) a record
 * of theirs was stored as it is now, or left the day for another; or their journal lacks something, such as the cost of a lot
 * that is read later. Whether a figure changed is for the export to find out.
 */
export async function changedDays(ledger: Pick<OpenLedger, 'db'>, out: string, store: string, stream: Stream, before: string): Promise<ChangedDay[]> {
  const changed: ChangedDay[] = []
  for (const day of closedDays(out, store).filter((candidate) => candidate < before)) {
    const newest = newestManifest(out, store, { from: day, to: addDays(day, 1) })
    if (newest?.manifest.books === undefined) continue
    const incomplete = day >= addDays(before, -COSTS_COME_WITHIN_DAYS) && isIncomplete(newest.manifest)
    if (incomplete || (await hasChanged(ledger, store, stream, newest.manifest.books, statSync(join(out, newest.name)).mtimeMs))) changed.push({ day, manifest: newest.manifest })
  }
  return changed
}

/** Days that have a manifest of their own, oldest first. */
function closedDays(out: string, store: string): string[] {
  const prefix = `manifest_${store}_`
  const days = (existsSync(out) ? readdirSync(out) : []).filter((name) => name.startsWith(prefix)).map((name) => /^(\d{4}-\d{2}-\d{2})_r\d+\.json$/.exec(name.slice(prefix.length))?.[1])
  return [...new Set(days.filter((day): day is string => day !== undefined && isDay(day)))].toSorted()
}

/** Its journal was written, with exceptions beside it. (One that is held back is for a person.) */
function isIncomplete({ files }: Manifest): boolean {
  return files.some(({ dataset }) => dataset === 'daily_sales_journal') && files.some(({ dataset, rows }) => dataset === 'exceptions' && rows > 0)
}

async function hasChanged({ db }: Pick<OpenLedger, 'db'>, store: string, stream: Stream, books: NonNullable<Manifest['books']>, writtenMs: number): Promise<boolean> {
  const since = toIso(writtenMs)
  const inDay = (bookedAt: string) => sql`${sql.raw(bookedAt)} >= ${fromIso(books.start)} AND ${sql.raw(bookedAt)} < ${fromIso(books.end)}`
  const stood = `coalesce(${stream.bookedAt!.map((path) => `nullif(r.raw ->> '$.${path}', 0)`).join(', ')})`
  const found = await sql`SELECT 1 FROM ${sql.table(rowTable(stream.name))} r JOIN readings c ON c.batch = r.batch
    WHERE r.store_id = ${store} AND ${inDay(bookedAtSql(stream.bookedAt!))} AND c.read_at > ${since}
    UNION ALL SELECT 1 FROM versions r JOIN readings c ON c.batch = r.to_batch
    WHERE r.stream = ${stream.name} AND r.store_id = ${store} AND ${inDay(stood)} AND c.read_at > ${since} LIMIT 1`.execute(db)
  return found.rows.length > 0
}
