import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { CompiledQuery, Kysely } from 'kysely'
import { addDays, fromIso, isDay } from '../calendar/days.ts'
import type { Schema } from '../connectors/sqlite/schema.ts'
import { rowTable } from '../connectors/sqlite/sql-text.ts'
import { bookedAtSql } from '../connectors/stream-sql.ts'
import type { Stream } from '../connectors/stream.ts'
import { newestManifest } from '../exports/manifest.ts'
import type { Manifest } from '../exports/manifest.ts'

/** Costs that are missing for longer than this do not come by themselves. */
const COSTS_COME_WITHIN_DAYS = 60

/** Days that have a manifest of their own, oldest first; in either layout of folders. */
export function closedDays(out: string, store: string): string[] {
  const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])
  const prefix = `manifest_${store}_`
  const flat = namesIn(out)
    .filter(name => name.startsWith(prefix))
    .map(name => /^(\d{4}-\d{2}-\d{2})_r\d+(?:-\d+)?\.json$/.exec(name.slice(prefix.length))?.[1])
  const nested = namesIn(join(out, store)).filter(name =>
    namesIn(join(out, store, name)).some(file => file.startsWith(`${prefix}${name}_r`)),
  )
  return [
    ...new Set(
      [...flat, ...nested].filter((day): day is string => day !== undefined && isDay(day)),
    ),
  ].toSorted()
}

/**
 * The newest manifest of a closed day that a night of the day `before` has to look at again: no
 * night has looked at that manifest yet, since somebody else wrote it; or since then a record of
 * the day was stored as it is now, or left it for another; or its journal is missing something,
 * such as the cost of a lot that is read later. Whether a figure changed is for the export to find out.
 *
 * It goes by the numbers of readings and the manifest's hash, by no clock: a reading that commits
 * while files are written is newer than they are, and neither a copied folder nor a new database
 * makes a changed day look as if nothing had happened.
 */
export async function changedManifest(
  db: Kysely<Schema>,
  out: string,
  store: string,
  stream: Stream,
  day: string,
  before: string,
): Promise<Manifest | undefined> {
  const newest = newestManifest(out, { store, days: { from: day, to: addDays(day, 1) } })
  if (newest?.manifest.books === undefined) return undefined
  const looked = await db
    .selectFrom('booked_days')
    .selectAll()
    .where('store_id', '=', store)
    .where('day', '=', day)
    .executeTakeFirst()
  const incomplete =
    day >= addDays(before, -COSTS_COME_WITHIN_DAYS) && isIncomplete(newest.manifest)
  return incomplete ||
    looked?.manifest !== newest.sha256 ||
    (await hasChanged(db, store, stream, newest.manifest.books, looked.batch))
    ? newest.manifest
    : undefined
}

/**
 * The newest reading; to be asked before the files are made, so that what commits meanwhile is
 * newer.
 */
export async function newestBatch(db: Kysely<Schema>): Promise<number> {
  return (
    (
      await db
        .selectFrom('readings')
        .select(({ fn }) => fn.max('batch').as('batch'))
        .executeTakeFirst()
    )?.batch ?? 0
  )
}

/** A night has looked at a day: its newest manifest holds what was read up to this batch. */
export function rememberLook(db: Kysely<Schema>, look: Schema['booked_days']): CompiledQuery {
  const { manifest, batch } = look
  return db
    .insertInto('booked_days')
    .values(look)
    .onConflict(conflict => conflict.columns(['store_id', 'day']).doUpdateSet({ manifest, batch }))
    .compile()
}

/** Its journal was written, with exceptions beside it. (One that is held back is for a person.) */
function isIncomplete({ files }: Manifest): boolean {
  return (
    files.some(({ dataset }) => dataset === 'daily_sales_journal') &&
    files.some(({ dataset, rows }) => dataset === 'exceptions' && rows > 0)
  )
}

async function hasChanged(
  db: Kysely<Schema>,
  store: string,
  stream: Stream,
  books: NonNullable<Manifest['books']>,
  batch: number,
): Promise<boolean> {
  const inDay = (bookedAt: string) =>
    sql`${sql.raw(bookedAt)} >= ${fromIso(books.start)} AND ${sql.raw(bookedAt)} < ${fromIso(books.end)}`
  const stood = `coalesce(${stream.bookedAt!.map(path => `nullif(r.raw ->> '$.${path}', 0)`).join(', ')})`
  const found =
    await sql`SELECT 1 FROM ${sql.table(rowTable(stream.name))} r WHERE r.store_id = ${store} AND ${inDay(bookedAtSql(stream.bookedAt!))} AND r.batch > ${batch}
    UNION ALL SELECT 1 FROM versions r WHERE r.stream = ${stream.name} AND r.store_id = ${store} AND ${inDay(stood)} AND r.to_batch > ${batch} LIMIT 1`.execute(
      db,
    )
  return found.rows.length > 0
}
