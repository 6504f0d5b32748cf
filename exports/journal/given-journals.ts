import type { PostingHistory, PostedEntry } from '../posting-history.ts'
import type { ManifestFile, StoredManifest } from '../revisions/manifest.ts'
import { isPresent } from '../revisions/publish.ts'
import { accountsIn } from './accounts-in.ts'
import type { JournalEntry, StoreTexts } from './entry.ts'
import { readPosted } from './posted.ts'
import type { AccountingSettings, JournalFormat } from './settings.ts'
import { datasetOf, partsOf } from './write-formats.ts'

/** Where a day's journal stands: what was posted, and which files hold it. */
export interface GivenJournals {
  /** Oldest first; undefined where no journal was posted. */
  posted: PostedEntry[] | undefined
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
  { store, businessDate, newest, history }: PlaceOfDay,
  settings: AccountingSettings,
): Promise<GivenJournals> {
  const posted = await history.posted(store, businessDate)
  if (posted !== undefined) {
    const files = await history.journalFiles(store, businessDate)
    return {
      posted,
      fromFiles: false,
      revisionsOf: format =>
        files.filter(file => file.format === format).map(({ revision }) => revision),
    }
  }
  return {
    posted: readPosted(newest, businessDate)?.map(entry => ({
      ...withTexts(entry, settings, storeTexts(store, settings)),
      settings: undefined,
    })),
    fromFiles: true,
    revisionsOf: format =>
      (newest?.manifest.files ?? [])
        .filter(({ dataset }) => dataset === datasetOf(format))
        .map(({ revision }) => revision),
  }
}

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
export function filesOf(
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
