import { addDays } from '../../calendar/days.ts'
import type { PostingHistory, PostedEntry } from '../posting-history.ts'
import type { ManifestFile, StoredManifest } from '../revisions/manifest.ts'
import { isPresent } from '../revisions/publish.ts'
import { accountsIn } from './accounts-in.ts'
import type { JournalEntry, StoreTexts } from './entry.ts'
import { readPosted } from './posted.ts'
import { JOURNAL_FORMATS } from './settings.ts'
import type { AccountingSettings, JournalFormat } from './settings.ts'
import { datasetOf, partsOf } from './write-formats.ts'

/** Where a day's journal stands: what was posted, and which files hold it. */
export interface GivenJournals<Entry extends JournalEntry = PostedEntry> {
  /** Oldest first; undefined where no journal was posted. */
  posted: Entry[] | undefined
  /**
   * What of it only files tell: given out before the database remembered postings, or after the
   * backup that it was restored from.
   */
  inFiles: InFiles
  /** The revisions for which a format's file was written, oldest first. */
  revisionsOf: (format: JournalFormat) => number[]
}

export interface InFiles {
  entries: readonly PostedEntry[]
  files: readonly JournalFile[]
}

export interface JournalFile {
  format: string
  revision: number
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
  const remembered = (await history.posted(store, businessDate)) ?? []
  const day = { from: businessDate, to: addDays(businessDate, 1) }
  const files = await history.journalFiles(store, day)
  return rememberedAndInFiles({ entries: remembered, files }, place, settings)
}

/** An entry that is remembered; not everybody who reads many of them asks what it was made by. */
type Remembered = JournalEntry & { settings?: AccountingSettings | undefined }

/** What the database remembers of a day, and what files tell beyond that. */
export function rememberedAndInFiles<Entry extends Remembered>(
  known: { entries: readonly Entry[]; files: readonly JournalFile[] },
  place: Omit<PlaceOfDay, 'history'>,
  settings: AccountingSettings,
): GivenJournals<Entry | PostedEntry> {
  const inFiles = newerInFiles(known, place, settings)
  const files = [...known.files, ...(inFiles?.files ?? [])]
  return {
    posted:
      known.entries.length === 0 && inFiles === undefined
        ? undefined
        : [...known.entries, ...(inFiles?.entries ?? [])],
    inFiles: inFiles ?? { entries: [], files: [] },
    revisionsOf: format =>
      files
        .filter(file => file.format === format)
        .map(({ revision }) => revision)
        .toSorted((one, other) => one - other),
  }
}

/**
 * What was posted after the last entry that is remembered: the database came back from a backup of
 * before that, or did not remember postings yet. It is taken to have been posted as that one was.
 */
function newerInFiles(
  known: { entries: readonly Remembered[]; files: readonly JournalFile[] },
  { store, businessDate, newest }: Omit<PlaceOfDay, 'history'>,
  settings: AccountingSettings,
): InFiles | undefined {
  const last = known.entries.at(-1)
  const isNewer = ({ revision }: { revision: number }): boolean => revision > (last?.revision ?? -1)
  const isKnown = ({ format, revision }: JournalFile): boolean =>
    known.files.some(file => file.format === format && file.revision === revision)
  const files = filesIn(newest).filter(file => !isKnown(file))
  if (!files.some(file => file.format === 'generic' && isNewer(file))) return undefined
  const texts = last?.store ?? storeTexts(store, settings)
  const entries = (readPosted(newest, businessDate) ?? []).filter(isNewer).map(entry => ({
    ...withTexts(entry, last?.settings ?? settings, texts),
    settings: last?.settings,
  }))
  return { entries, files }
}

const filesIn = (newest: StoredManifest | undefined): JournalFile[] =>
  JOURNAL_FORMATS.flatMap(format =>
    (newest?.manifest.files ?? [])
      .filter(({ dataset }) => dataset === datasetOf(format))
      .map(({ revision }) => ({ format, revision })),
  )

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
