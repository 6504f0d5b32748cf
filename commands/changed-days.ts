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

/**
 * Closed days before `before` that have to be looked at again: a record of theirs was stored as it is now after the manifest was
 * written, by the file's own time. Whether a figure changed is for the export to find out.
 */
export async function changedDays(ledger: OpenLedger, out: string, store: string, stream: Stream, before: string): Promise<ChangedDay[]> {
  const changed: ChangedDay[] = []
  for (const day of closedDays(out, store).filter((candidate) => candidate < before)) {
    const newest = newestManifest(out, store, { from: day, to: addDays(day, 1) })
    if (newest?.manifest.books === undefined) continue
    if (await hasChanged(ledger, store, stream, newest.manifest.books, statSync(join(out, newest.name)).mtimeMs)) changed.push({ day, manifest: newest.manifest })
  }
  return changed
}

/** Days that have a manifest of their own, oldest first. */
function closedDays(out: string, store: string): string[] {
  const prefix = `manifest_${store}_`
  const days = (existsSync(out) ? readdirSync(out) : []).filter((name) => name.startsWith(prefix)).map((name) => /^(\d{4}-\d{2}-\d{2})_r\d+\.json$/.exec(name.slice(prefix.length))?.[1])
  return [...new Set(days.filter((day): day is string => day !== undefined && isDay(day)))].toSorted()
}

async function hasChanged({ db }: OpenLedger, store: string, stream: Stream, books: NonNullable<Manifest['books']>, writtenMs: number): Promise<boolean> {
  const bookedAt = sql.raw(bookedAtSql(stream.bookedAt!))
  const found = await sql`SELECT 1 FROM ${sql.table(rowTable(stream.name))} r JOIN readings c ON c.batch = r.batch
    WHERE r.store_id = ${store} AND ${bookedAt} >= ${fromIso(books.start)} AND ${bookedAt} < ${fromIso(books.end)} AND c.read_at > ${toIso(writtenMs)} LIMIT 1`.execute(db)
  return found.rows.length > 0
}
