import { closing } from '../closing.ts'
import type { Closing } from '../closing.ts'
import { openGivenOut } from '../connectors/database-for-exports.ts'
import type { GivenOut } from '../connectors/destination/given-out.ts'
import type { JournalEntry } from './journal/entry.ts'
import type { AccountingSettings } from './journal/settings.ts'

/** An entry as it was posted, and the settings it was made by. */
export interface PostedEntry extends JournalEntry {
  settings: AccountingSettings | undefined
}

export interface JournalPosting {
  entries: readonly PostedEntry[]
  files: readonly { format: string; revision: number }[]
  reason?: string | undefined
  reissued?: string | undefined
  at: string
}

/** An entry as it was posted, and the business day that it is about. */
export interface DatedEntry extends JournalEntry {
  day: string
}

/** What was given out, with journal entries as they were posted instead of texts of them. */
export interface PostingHistory extends Omit<
  GivenOut,
  'posted' | 'postedOn' | 'entriesOf' | 'post'
> {
  /** Oldest first; undefined where no journal was posted. */
  posted: (store: string, day: string) => Promise<PostedEntry[] | undefined>
  /** Entries that are dated in this range of days, whichever day they are about. */
  postedOn: (store: string, dates: { from: string; to: string }) => Promise<JournalEntry[]>
  /** Entries about these business days, by day and oldest first. */
  entriesOf: (store: string, days: { from: string; to: string }) => Promise<DatedEntry[]>
  /** All of a posting or nothing. */
  post: (store: string, day: string, posting: JournalPosting) => Promise<void>
}

/** Amounts are whole numbers beyond what JSON's numbers hold: they are texts there. */
const entryText = (entry: PostedEntry): string =>
  JSON.stringify({ ...entry, settings: undefined }, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )

/** Without a reviver: pages read hundreds of entries, and it is called for each name in them. */
export function entryOf(text: string): JournalEntry {
  const entry = JSON.parse(text) as JournalEntry
  for (const line of entry.lines) line.amount = amountOf(line.amount)
  return entry
}

const amountOf = (written: unknown): bigint => BigInt(String(written).slice(0, -1))

/** Fails where the database cannot be written, unless it is only read. */
export async function openPostingHistory(
  path: string,
  options: { readonly?: boolean } = {},
): Promise<Closing<PostingHistory>> {
  return closing(postingHistoryOf(await openGivenOut(path, options)))
}

/** The same of what is open already; closing it closes that. */
export function postingHistoryOf(kept: GivenOut): PostingHistory {
  return {
    ...kept,
    async posted(store, day) {
      const entries = await kept.posted(store, day)
      if (entries.length === 0) return undefined
      return entries.map(({ entry, settings }) => ({
        ...entryOf(entry),
        settings: settings === null ? undefined : (JSON.parse(settings) as AccountingSettings),
      }))
    },
    postedOn: async (store, dates) => (await kept.postedOn(store, dates)).map(entryOf),
    entriesOf: async (store, days) =>
      (await kept.entriesOf(store, days)).map(({ day, entry }) => ({ ...entryOf(entry), day })),
    post: (store, day, { entries, ...posting }) =>
      kept.post(store, day, {
        ...posting,
        entries: entries.map(entry => ({
          number: entry.number,
          revision: entry.revision,
          entry: entryText(entry),
          settings: entry.settings === undefined ? null : JSON.stringify(entry.settings),
        })),
      }),
  }
}
