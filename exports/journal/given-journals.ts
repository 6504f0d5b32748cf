import { addDays } from '../../calendar/days.ts'
import type { PostingHistory, PostedEntry } from '../posting-history.ts'
import type { ManifestFile, StoredManifest } from '../revisions/manifest.ts'
import { isPresent } from '../revisions/publish.ts'
import { accountsIn } from './accounts-in.ts'
import type { JournalEntry, StoreTexts } from './entry.ts'
import { readPosted } from './posted.ts'
import type { AccountingSettings, JournalFormat } from './settings.ts'
import { datasetOf, partsOf } from './write-formats.ts'

/** Where a day's journal stands: what was posted, and which files hold it. */
export interface GivenJournals<Entry extends JournalEntry = PostedEntry> {
  /** Oldest first; undefined where no journal was posted. */
  posted: Entry[] | undefined
  /** Read from files of before the database remembered postings. */
  fromFiles: boolean
  /** The revisions for which a format's file was written, oldest first. */
  revisionsOf: (format: JournalFormat) => number[]
}

export interface PlaceOfDay {
  store: string
  businessDate: string
  newest: StoredManifest | undefined
  history: PostingHistory
}

/**
 * The database remembers what was posted; what it does not know yet, the files in the folder say.
 */
export async function givenJournals(
  place: PlaceOfDay,
  settings: AccountingSettings,
): Promise<GivenJournals> {
  const { store, businessDate, history } = place
  const posted = await history.posted(store, businessDate)
  if (posted === undefined) return journalsInFiles(place, settings)
  const day = { from: businessDate, to: addDays(businessDate, 1) }
  return rememberedJournals(posted, await history.journalFiles(store, day))
}

/** Of a day that the database knows. */
export const rememberedJournals = <Entry extends JournalEntry>(
  posted: readonly Entry[],
  files: readonly { format: string; revision: number }[],
): GivenJournals<Entry> => ({
  posted: [...posted],
  fromFiles: false,
  revisionsOf: format =>
    files.filter(file => file.format === format).map(({ revision }) => revision),
})

/** Of a day that the database does not know. */
export const journalsInFiles = (
  { store, businessDate, newest }: Omit<PlaceOfDay, 'history'>,
  settings: AccountingSettings,
): GivenJournals => ({
  posted: readPosted(newest, businessDate)?.map(entry => ({
    ...withTexts(entry, settings, storeTexts(store, settings)),
    settings: undefined,
  })),
  fromFiles: true,
  revisionsOf: format =>
    (newest?.manifest.files ?? [])
      .filter(({ dataset }) => dataset === datasetOf(format))
      .map(({ revision }) => revision),
})

/** How importers call a store, as far as tillage.yaml says nothing else, and its currency. */
export function storeTexts(
  store: string,
  settings: AccountingSettings,
  currency?: string,
): StoreTexts {
  const own = settings.stores[store]
  return {
    code: own?.code ?? store,
    location: own?.location ?? store,
    subsidiary: own?.subsidiary ?? '',
    xeroTaxRate: settings.xeroTaxRate,
    currency,
    xeroDates: settings.xero.dates,
  }
}

/** An entry with what importers call its accounts and its store by these settings. */
export function withTexts(
  entry: JournalEntry,
  settings: AccountingSettings,
  store: StoreTexts,
): JournalEntry {
  const accounts = new Map(accountsIn(settings).map(({ account }) => [account.code, account]))
  return {
    ...entry,
    store,
    lines: entry.lines.map(line => ({
      ...line,
      account: accounts.get(line.account.code) ?? line.account,
    })),
  }
}

/** The files of a format that the newest manifest lists: those in its folder, and the lost ones. */
export function filesOfFormat(
  newest: StoredManifest | undefined,
  format: JournalFormat,
): { present: ManifestFile[]; lost: ManifestFile[] } {
  const parts = partsOf(format)
  const listed = (newest?.manifest.files ?? []).filter(({ dataset }) => parts.includes(dataset))
  const { present = [], lost = [] } = Object.groupBy(listed, file =>
    isPresent(newest!.folder, file) ? 'present' : 'lost',
  )
  return { present, lost }
}
