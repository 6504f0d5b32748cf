import { addDays, daysBetween } from '../calendar/days.ts'
import { readDayFolder } from '../exports/journal/day-folder.ts'
import type { JournalEntry } from '../exports/journal/entry.ts'
import { rememberedAndInFiles } from '../exports/journal/given-journals.ts'
import type { GivenJournals } from '../exports/journal/given-journals.ts'
import type { HeldBack } from '../exports/journal/held.ts'
import { settingsOfStore } from '../exports/journal/store-settings.ts'
import type { DatedEntry, PostingHistory } from '../exports/posting-history.ts'
import { newestManifest } from '../exports/revisions/manifest.ts'
import type { HistoryPlace } from './books-place.ts'
import { bookedStream } from './order-journal.ts'

/** What was given out of a business day. */
export interface GivenDay {
  day: string
  /** The newest that was given out, or null. */
  revision: number | null
  /** Its newest checks hold its journal, or a change of it, back. */
  held: boolean
  heldBy: HeldBack | undefined
  booked: boolean
  /** Oldest first. */
  posted: JournalEntry[]
  /** Of these, what the database does not know, and files tell. */
  inFiles: readonly JournalEntry[]
}

/** What is remembered of one day. */
interface RememberedDay {
  entries: readonly DatedEntry[]
  files: Awaited<ReturnType<PostingHistory['journalFiles']>>
  revision: number | undefined
}

/** What of a day's last export nobody has yet. */
const IN_NO_BOOKS = { revision: null, booked: false, posted: [] }

/**
 * Each of these days as the database and the exports folder remember it. The database is asked once
 * for all of them, a folder only where it changed since it was read.
 */
export async function givenDays(
  place: HistoryPlace,
  store: string,
  { from, to }: { from: string; to: string },
): Promise<GivenDay[]> {
  const { history } = place
  const days = { from, to }
  const entries = Map.groupBy(await history.entriesOf(store, days), ({ day }) => day)
  const files = Map.groupBy(await history.journalFiles(store, days), ({ day }) => day)
  const revisions = await history.newestRevisions(store, days, bookedStream().name)
  const unfinished = await history.unfinished(store, days)
  return Array.from({ length: daysBetween(from, to) }, (_, index) => {
    const day = addDays(from, index)
    const remembered = {
      entries: entries.get(day) ?? [],
      files: files.get(day) ?? [],
      revision: revisions.get(day),
    }
    const given = givenDay(place, { store, day }, remembered)
    return unfinished.includes(day) ? { ...given, ...IN_NO_BOOKS } : given
  })
}

function givenDay(
  place: HistoryPlace,
  { store, day }: { store: string; day: string },
  remembered: RememberedDay,
): GivenDay {
  const folder = readDayFolder(place.config.exports, store, day)
  const journals = journalsOf(place, { store, day }, remembered, folder?.journalRevision)
  const posted = journals.posted ?? []
  // A manifest counts the states of other lists, too.
  const inFolder = folder?.states.find(({ stream }) => stream === bookedStream().name)
  return {
    day,
    revision: newestOf([remembered.revision, inFolder?.revision, posted.at(-1)?.revision]),
    held: folder?.heldBy !== undefined,
    heldBy: folder?.heldBy,
    // The file of a journal from before entries were remembered may hold none.
    booked: posted.length > 0 || journals.revisionsOf('generic').length > 0,
    posted,
    inFiles: journals.inFiles.entries,
  }
}

/** The folder is read again only where it has a journal that the database does not know. */
function journalsOf(
  { config }: HistoryPlace,
  { store, day }: { store: string; day: string },
  remembered: RememberedDay,
  inFolder: number | undefined,
): GivenJournals<JournalEntry> {
  const isNewer = (inFolder ?? -1) > (remembered.entries.at(-1)?.revision ?? -1)
  const days = { from: day, to: addDays(day, 1) }
  const newest = isNewer ? newestManifest(config.exports, { store, days }) : undefined
  return rememberedAndInFiles(
    remembered,
    { store, businessDate: day, newest },
    settingsOfStore(config.accounting, store),
  )
}

function newestOf(revisions: readonly (number | undefined)[]): number | null {
  const known = revisions.filter(one => one !== undefined)
  return known.length === 0 ? null : Math.max(...known)
}
