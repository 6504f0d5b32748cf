import type { PlacedDatabase } from '../connectors/destination/place.ts'
import type { Stream } from '../connectors/stream.ts'
import { UsageError } from '../errors.ts'
import type { ObjectPlace } from '../objects/place.ts'
import { FILE_FORMATS } from './formats/formats.ts'
import type { FileFormat } from './formats/formats.ts'
import type { JournalOrder } from './journal/journal-order.ts'
import type { JournalOutcome } from './journal/journal-outcome.ts'
import type { PublishedFormat } from './revisions/manifest.ts'
import type { BooksOrder } from './sales/books-order.ts'

/**
 * One store, one range of store days, some datasets, some formats. The database has one view for
 * each stream and child, with the columns that the streams declare. Must survive being sent to a
 * thread.
 */
export interface ExportOrder extends PlacedDatabase {
  /** Every stream there is; datasets derive from them. */
  streams: readonly Stream[]
  store: string
  /** Store-local days `yyyy-MM-dd`; `to` is exclusive, in file names as well. */
  days: { from: string; to: string }
  /** The same range as instants, half-open. */
  range: { startMs: number; endMs: number }
  datasets: readonly string[]
  formats: readonly FileFormat[]
  out: string
  /** The bucket that `out` mirrors, where that is what it is given out into. */
  objects?: ObjectPlace | undefined
  /** Needed for datasets of streams that are booked: their days are business days. */
  books?: BooksOrder
  /**
   * Makes the day's journal too, from the same state of the database and in the same revision. One
   * day only.
   */
  journal?: JournalOrder
  /**
   * What proves the rows: windows of each stream. Goes into the manifest as it is, so it must be
   * JSON.
   */
  proof: unknown
  /** Name and version of the program, for the manifest. */
  tool: string
  /** Makes everything and leaves no trace: no files, and nothing in the history of postings. */
  dryRun?: boolean
  /**
   * Of files without people, for others on this machine:
   * `0o640`. Default: as the process makes them.
   */
  mode?: number | undefined
  /** Whether CSV begins with a byte order mark, as Excel needs it. Default: it does. */
  bom?: boolean
  /** Of the store's amounts, for the manifest. */
  currency?: string
  /** In which XLSX shows times. Default: that of the books, else UTC. */
  timeZone?: string
  /** Write columns that tell who somebody is. Default: their cells stay empty (INV-10). */
  includePeople?: boolean
}

export const zoneOfSheets = ({ timeZone, books }: ExportOrder): string =>
  timeZone ?? books?.clock.timeZone ?? 'UTC'

export interface ExportProgress {
  phase: 'waiting' | 'asking the bucket' | 'reading' | 'writing' | 'publishing'
  dataset?: string
  rows?: number
}

export interface ExportedFile {
  path: string
  format: PublishedFormat
  dataset: string
  rows: number
  bytes: number
  sha256: string
}

export interface BeyondType {
  dataset: string
  column: string
  type: string
  /** How many of its values. */
  values: number
}

/** `2 values of products.cbd do not fit DECIMAL(18,6)`. */
export const describeBeyondType = ({ dataset, column, type, values }: BeyondType): string =>
  `${values} ${values === 1 ? 'value' : 'values'} of ${dataset}.${column} ` +
  `${values === 1 ? 'does' : 'do'} not fit ${type}`

export interface ExportResult {
  /**
   * The files that were asked for, in the order of the streams' declarations and of the formats.
   */
  files: ExportedFile[]
  manifest: string
  revision: number
  /** Decimals that Parquet's declared types do not hold, and that stand exactly beside them. */
  beyondType: BeyondType[]
  /** False if the newest revision already held all of this. */
  published: boolean
  /** How the journal went, if one was asked for. */
  journal?: JournalOutcome
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Refuses an order that makes no sense, before anything is started. */
export function checkOrder(order: ExportOrder): void {
  const { days, range, store, formats } = order
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(store))
    throw new UsageError(
      'a store id becomes part of file names: letters, digits, dot, dash and underscore only',
    )
  for (const day of [days.from, days.to]) {
    if (!DAY.test(day) || Number.isNaN(Date.parse(day)))
      throw new UsageError(`${JSON.stringify(day)} is not a day`, 'write days as yyyy-MM-dd')
  }
  if (days.from >= days.to)
    throw new UsageError(
      `the range ${days.from} to ${days.to} is empty`,
      'the second day is exclusive: one day is from D to D + 1',
    )
  if (
    !Number.isSafeInteger(range.startMs) ||
    !Number.isSafeInteger(range.endMs) ||
    range.startMs >= range.endMs
  )
    throw new UsageError('the range in milliseconds is empty')
  if (formats.length === 0)
    throw new UsageError('no format was asked for', `use one of: ${FILE_FORMATS.join(', ')}`)
  refusePeopleInBucket(order)
}

function refusePeopleInBucket({ objects, includePeople }: ExportOrder): void {
  if (objects === undefined || includePeople !== true) return
  throw new UsageError(
    `files with people are not given out into ${objects.url}`,
    'Give them a folder of their own (--out), which nobody else can read.',
  )
}
