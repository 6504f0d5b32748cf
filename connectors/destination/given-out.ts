import type { NewFinding } from './windows.ts'
import type { NumberedManifest, WrittenManifest } from './written-evidence.ts'

/** The numbers of a range are those of its states, whatever folder they are written to. */
export interface KnownState {
  revision: number
  /** Undefined where only a manifest tells of it that knew no states. */
  state: string | undefined
}

/** A store and a range of its days, the second exclusive. */
export interface GivenRange {
  store: string
  days: { from: string; to: string }
}

/** A journal entry as it was posted; its texts are for whoever wrote them to read again. */
export interface KeptEntry {
  number: string
  revision: number
  entry: string
  /** What it was made by. */
  settings: string | null
}

/** The text of an entry, and the business day that it is about. */
export interface DatedEntry extends Pick<KeptEntry, 'entry'> {
  day: string
}

/** A later entry of a day whose journal was posted before. */
export interface RevisedEntry extends Pick<KeptEntry, 'number' | 'entry'> {
  day: string
  at: string
}

/** What is remembered of a posting, all of it or nothing. */
export interface KeptPosting {
  entries: readonly KeptEntry[]
  files: readonly { format: string; revision: number }[]
  /** Why a day that stood was posted again. */
  reason?: string | undefined
  /** Entries of the same number are replaced: this person says that nothing was imported yet. */
  reissued?: string | undefined
  at: string
}

/** Up to which reading a day's journal says what the rows say, and how the day was cut then. */
export interface PostedDay {
  day: string
  batch: number
  /** Null: it was posted before this was remembered. */
  timeZone: string | null
  dayStartsAt: string | null
}

/** The format of a manifest that has to come: what it lists was posted, and is in no file yet. */
export const PROMISED = 'promised'

/** A file that was given out, as `tillage files` tells of it. */
export interface GivenFile {
  store: string
  from: string
  to: string
  /** `manifest` of a manifest. */
  dataset: string
  /** Of a manifest that has to come `PROMISED`. */
  format: string
  revision: number
  addition: number
  rows: number
  sha256: string
  /** Absolute; of what lies in a bucket its address. */
  path: string
}

/** Somebody closed or reopened the books of a month. Events are added and never changed. */
export interface PeriodEvent {
  store: string
  /** `yyyy-MM`. */
  month: string
  event: 'closed' | 'reopened'
  by: string
  /** Of what was reopened. */
  reason: string | null
  at: string
}

/**
 * Somebody said that the file of a journal's revision was imported, under which number the other
 * program has it; or took that back. Acts are added and never changed.
 */
export interface PostingAct {
  store: string
  /** The business day that the journal is about. */
  day: string
  revision: number
  event: 'posted' | 'withdrawn'
  ref: string | null
  by: string
  /** Why it was withdrawn. */
  reason: string | null
  at: string
}

/** Somebody accepted differences of a day, with a reason. */
export interface AcceptedDifference {
  /** As the exceptions of the day tell of it. */
  transactionId: string
  detail: string
}

/** A range that nobody else gives out meanwhile. */
export interface HeldRange {
  release(): Promise<void>
}

/**
 * What was given out of the books, remembered beside the rows: folders may be moved, deleted or be
 * others (`--out`), and numbers, posted entries and closed months must hold nevertheless (INV-9).
 */
export interface GivenOut {
  /**
   * Waits until nobody gives a range out of the database, on whichever machine; `waiting` is called
   * meanwhile, and may throw. Until it is released whatever is written here fails with
   * EXPORT_TAKEN_OVER where somebody else holds the range: this machine slept. Undefined: one
   * machine alone works with the database, and a lock on its disk does.
   */
  readonly lock: ((range: string, waiting: () => void) => Promise<HeldRange>) | undefined
  newestState(range: GivenRange, stream: string): Promise<KnownState | undefined>
  /** The newest number of each of these business days, where there is one. */
  newestRevisions(
    store: string,
    days: { from: string; to: string },
    stream: string,
  ): Promise<Map<string, number>>
  rememberState(
    range: GivenRange,
    stream: string,
    known: { revision: number; state: string },
  ): Promise<void>
  /** Oldest first; none where no journal was posted. */
  posted(store: string, day: string): Promise<KeptEntry[]>
  /** The same of these business days at once, by day. */
  entriesOf(store: string, days: { from: string; to: string }): Promise<DatedEntry[]>
  /** What the newest entry of the last day of a store was made by; undefined: that is not known. */
  newestSettings(store: string): Promise<string | undefined>
  /** What the newest entry of each day of a store was made by, where that is known; by day. */
  settingsByDay(store: string): Promise<Map<string, string>>
  /** The days of entries of this number, of all stores; capitals and small letters are one. */
  entriesNumbered(number: string): Promise<{ store: string; day: string; number: string }[]>
  /** Entries of revisions that were posted since an instant, oldest first. */
  revisedSince(store: string, since: string): Promise<RevisedEntry[]>
  /** Texts of the entries that are dated in these days, whichever day they are about. */
  postedOn(store: string, dates: { from: string; to: string }): Promise<string[]>
  /** The formats and revisions of these days for which a file was written, oldest first. */
  journalFiles(
    store: string,
    days: { from: string; to: string },
  ): Promise<{ day: string; format: string; revision: number }[]>
  post(store: string, day: string, posting: KeptPosting): Promise<void>
  /** A journal was made of the day, whether there was anything to post or not. */
  rememberPosted(store: string, posted: PostedDay): Promise<void>
  /** Days with a journal that is remembered so, oldest first: of a range, or all. */
  postedDays(store: string, days?: { from: string; to: string }): Promise<PostedDay[]>
  /** Differences of a day that somebody accepted when it was posted; replaced by each posting. */
  accepted(store: string, day: string): Promise<AcceptedDifference[]>
  accept(store: string, day: string, differences: readonly AcceptedDifference[]): Promise<void>
  /** Manifests among them, under the dataset `manifest`. */
  rememberFiles(files: readonly GivenFile[]): Promise<void>
  /** A manifest that was given out, in the audit log. The same again changes nothing. */
  keepManifest(manifest: WrittenManifest): Promise<void>
  /** Manifests in the audit log after the entry of this number, oldest first. */
  manifests(after: number): Promise<NumberedManifest[]>
  /** What was remembered and could not be given out after all. */
  forgetFiles(paths: readonly string[]): Promise<void>
  /** A journal of the range was given out, and with it what was posted before. */
  keepPromises(range: GivenRange): Promise<void>
  /**
   * Of these business days, those of which something was posted that was not given out: what is
   * remembered of it nobody has yet.
   */
  unfinished(store: string, days: { from: string; to: string }): Promise<string[]>
  /** Every file that was given out, of one store or of all, without manifests. */
  files(store?: string): Promise<GivenFile[]>
  /** The sha256 of everything that was ever given out in a folder, or below an address, by name. */
  givenIn(folder: string): Promise<Map<string, string>>
  /** The same of some datasets of a range, whatever folder they were given out in. */
  givenOf(range: GivenRange, datasets: readonly string[]): Promise<Map<string, string>>
  recordPeriod(event: PeriodEvent): Promise<void>
  /** Who closed and reopened which months of a store, or of all, oldest first. */
  periods(store?: string): Promise<PeriodEvent[]>
  recordPostingAct(act: PostingAct): Promise<void>
  /** Of a store, oldest first. */
  postingActs(store: string): Promise<PostingAct[]>
  /** Keeps what an export found out about the API's data; answers the findings' ids. */
  noteFindings(
    about: { store: string; stream: string; readAt: string },
    findings: readonly NewFinding[],
  ): Promise<string[]>
  close(): Promise<void>
}
