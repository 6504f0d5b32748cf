import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { addDays, fromIso, isDay } from '../calendar/days.ts'
import type { BookedDay, BookedDays } from '../connectors/destination/booked-days.ts'
import { newestManifest } from '../exports/revisions/manifest.ts'
import type { Manifest } from '../exports/revisions/manifest.ts'
import { correctedDays, newestByDay } from './changes-since.ts'
import { bookedStream } from './order-journal.ts'

/** Costs that are missing for longer than this do not come by themselves. */
const COSTS_COME_WITHIN_DAYS = 60

/** A store's books that were given out, and what tells whether they still hold. */
export interface ClosedBooks {
  bookedDays: Pick<BookedDays, 'hasChanged'>
  /** The exports folder. */
  out: string
  store: string
  /** What nights have remembered of each day. */
  booked: ReadonlyMap<string, BookedDay>
  /** Days of which a lot or a product was corrected, each with the newest reading that did it. */
  corrected: ReadonlyMap<string, number>
}

const NUMBERED = /^(\d{4}-\d{2}-\d{2})_r\d+(?:-\d+)?\.json$/

/** Days that have a manifest of their own, oldest first; in either layout of folders. */
export function closedDays(out: string, store: string): string[] {
  const prefix = `manifest_${store}_`
  const flat = namesIn(out)
    .filter(name => name.startsWith(prefix))
    .map(name => NUMBERED.exec(name.slice(prefix.length))?.[1] ?? '')
    .filter(isDay)
  const nested = namedDays(out, store).filter(day =>
    namesIn(join(out, store, day)).some(file => file.startsWith(`${prefix}${day}_r`)),
  )
  return [...new Set([...flat, ...nested])].toSorted()
}

/** Days of a store that have a folder, oldest first; so many of the newest. It may be empty. */
export const namedDays = (out: string, store: string, newest?: number): string[] => {
  const named = namesIn(join(out, store)).toSorted()
  return named
    .filter(name => name.length === '2026-01-01'.length)
    .slice(newest === undefined ? 0 : -newest)
    .filter(isDay)
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** The books of these closed days, as nights have left them. */
export async function closedBooks(
  bookedDays: Pick<BookedDays, 'all' | 'hasChanged' | 'correctedSince'>,
  out: string,
  store: string,
  days: readonly string[],
): Promise<ClosedBooks> {
  const booked = (await bookedDays.all(store)).filter(({ day }) => days.includes(day))
  const since = Math.min(...booked.map(({ batch }) => batch))
  const changes = booked.length === 0 ? [] : await correctedDays(bookedDays, store, since)
  return {
    bookedDays,
    out,
    store,
    booked: new Map(booked.map(one => [one.day, one])),
    corrected: newestByDay(changes),
  }
}

/**
 * The newest manifest of a closed day that a night of the day `before` has to look at again: no
 * night has looked at that manifest yet, since somebody else wrote it; or since then a record of
 * the day was stored as it is now, or left it for another, or what a line names was corrected; or
 * its journal is missing something, such as the cost of a lot that is read later. Whether a figure
 * changed is for the export to find out.
 *
 * It goes by the numbers of readings and the manifest's hash, by no clock: a reading that commits
 * while files are written is newer than they are, and neither a copied folder nor a new database
 * makes a changed day look as if nothing had happened.
 */
export async function changedManifest(
  { bookedDays, out, store, booked, corrected }: ClosedBooks,
  day: string,
  before: string,
): Promise<Manifest | undefined> {
  const newest = newestManifest(out, { store, days: { from: day, to: addDays(day, 1) } })
  const books = newest?.manifest.books
  if (books === undefined) return undefined
  const isRecent = day >= addDays(before, -COSTS_COME_WITHIN_DAYS)
  if (isRecent && isIncomplete(newest!.manifest)) return newest!.manifest
  const known = booked.get(day)
  const range = { startMs: fromIso(books.start), endMs: fromIso(books.end) }
  const isKnown =
    known?.manifest === newest!.sha256 &&
    (corrected.get(day) ?? 0) <= known.batch &&
    !(await bookedDays.hasChanged(store, bookedStream(), range, known.batch))
  return isKnown ? undefined : newest!.manifest
}

/** Its journal was written, or held back, with exceptions beside it: costs may have come since. */
const isIncomplete = ({ files }: Manifest): boolean =>
  files.some(({ dataset, rows }) => dataset === 'exceptions' && rows > 0)
