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

/** What was given out, with journal entries as they were posted instead of texts of them. */
export interface PostingHistory extends Omit<GivenOut, 'posted' | 'postedOn' | 'post'> {
  /** Oldest first; undefined where no journal was posted. */
  posted: (store: string, day: string) => Promise<PostedEntry[] | undefined>
  /** Entries that are dated in this range of days, whichever day they are about. */
  postedOn: (store: string, dates: { from: string; to: string }) => Promise<JournalEntry[]>
  /** All of a posting or nothing. */
  post: (store: string, day: string, posting: JournalPosting) => Promise<void>
}

/** Amounts are whole numbers beyond what JSON's numbers hold: they are texts there. */
const entryText = (entry: PostedEntry): string =>
  JSON.stringify({ ...entry, settings: undefined }, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )

export const entryOf = (text: string): JournalEntry =>
  JSON.parse(text, (key, value: unknown) =>
    key === 'amount' && typeof value === 'string' ? BigInt(value.slice(0, -1)) : value,
  ) as JournalEntry

/** Fails where the database cannot be written, unless it is only read. */
export async function openPostingHistory(
  path: string,
  options: { readonly?: boolean } = {},
): Promise<PostingHistory> {
  const kept = await openGivenOut(path, options)
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
