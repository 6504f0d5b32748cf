import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { addDays, fromIso, isDay } from '../calendar/days.ts'
import type { BookedDays } from '../connectors/destination/booked-days.ts'
import type { Stream } from '../connectors/stream.ts'
import { newestManifest } from '../exports/revisions/manifest.ts'
import type { Manifest } from '../exports/revisions/manifest.ts'

/** Costs that are missing for longer than this do not come by themselves. */
const COSTS_COME_WITHIN_DAYS = 60

/** A store's books that were given out, and what tells whether they still hold. */
export interface ClosedBooks {
  bookedDays: Pick<BookedDays, 'lookedAt' | 'hasChanged'>
  /** The exports folder. */
  out: string
  store: string
  stream: Stream
}

/**
 * Days that have a manifest of their own, oldest first; in either layout of folders. So many of the
 * newest where that is all that is asked for: each day's folder is looked into.
 */
export function closedDays(out: string, store: string, newest = Infinity): string[] {
  const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])
  const prefix = `manifest_${store}_`
  const flat = new Set(
    namesIn(out)
      .filter(name => name.startsWith(prefix))
      .map(
        name => /^(\d{4}-\d{2}-\d{2})_r\d+(?:-\d+)?\.json$/.exec(name.slice(prefix.length))?.[1],
      ),
  )
  const isClosed = (day: string): boolean =>
    flat.has(day) ||
    namesIn(join(out, store, day)).some(file => file.startsWith(`${prefix}${day}_r`))
  const closed: string[] = []
  const named = [...flat, ...namesIn(join(out, store))].filter(day => day !== undefined)
  for (const day of [...new Set(named)].filter(isDay).toSorted().toReversed()) {
    if (closed.length >= newest) break
    if (isClosed(day)) closed.push(day)
  }
  return closed.toReversed()
}

/**
 * The newest manifest of a closed day that a night of the day `before` has to look at again: no
 * night has looked at that manifest yet, since somebody else wrote it; or since then a record of
 * the day was stored as it is now, or left it for another; or its journal is missing something,
 * such as the cost of a lot that is read later. Whether a figure changed is for the export to find
 * out.
 *
 * It goes by the numbers of readings and the manifest's hash, by no clock: a reading that commits
 * while files are written is newer than they are, and neither a copied folder nor a new database
 * makes a changed day look as if nothing had happened.
 */
export async function changedManifest(
  { bookedDays, out, store, stream }: ClosedBooks,
  day: string,
  before: string,
): Promise<Manifest | undefined> {
  const newest = newestManifest(out, { store, days: { from: day, to: addDays(day, 1) } })
  const books = newest?.manifest.books
  if (books === undefined) return undefined
  const isRecent = day >= addDays(before, -COSTS_COME_WITHIN_DAYS)
  if (isRecent && isIncomplete(newest!.manifest)) return newest!.manifest
  const looked = await bookedDays.lookedAt(store, day)
  const range = { startMs: fromIso(books.start), endMs: fromIso(books.end) }
  const isKnown =
    looked?.manifest === newest!.sha256 &&
    !(await bookedDays.hasChanged(store, stream, range, looked.batch))
  return isKnown ? undefined : newest!.manifest
}

/** Its journal was written, or held back, with exceptions beside it: costs may have come since. */
const isIncomplete = ({ files }: Manifest): boolean =>
  files.some(({ dataset, rows }) => dataset === 'exceptions' && rows > 0)
