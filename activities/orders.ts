import type { Retention } from '../connectors/destination/upkeep.ts'
import type { FileFormat } from '../exports/formats/formats.ts'
import type { JournalFormat } from '../exports/journal/settings.ts'
import type { ScheduledFile } from '../push/plan-file.ts'

/** The files of a business day. */
export interface BooksOrder {
  datasets: readonly string[]
  formats: readonly FileFormat[]
  /** Formats of the journal; none = no journal. */
  journal: readonly JournalFormat[]
}

/** What a night of a store does. */
export interface NightOrder {
  /** Everything that is read each night. */
  streams: string[]
  /** What must be proven before books are written. */
  needed: string[]
  /** The cut-off of its business day, and when its books must be ready; `HH:mm`. */
  dayStartsAt: string
  deadline?: string | undefined
  books: BooksOrder
  /** A day that is not proven is tried again for this long. */
  giveUpAfterMs: number
  /** Between two tries: this long at first, then twice as long each time. */
  pauses?: { firstMs: number; longestMs: number } | undefined
}

/** Reads far more than the lookback again. */
export interface SweepOrder {
  streams: string[]
  /** How far back everything is read again. */
  days: number
}

/** What a check draws and compares. */
export interface CheckOrder {
  streams: string[]
  /** How many windows are drawn. */
  windows: number
  /** How many records of each stream are asked for by their id. */
  records: number
  /** Read again what is found to be wrong; ordinary merging keeps the wrong state as a version. */
  heal: boolean
  /** The same seed draws the same windows and records. */
  seed?: number | undefined
}

/** What the schedules of a store do, by their kind. */
export interface Orders {
  nightly: NightOrder
  sweep: SweepOrder
  check: CheckOrder
  /** What a snapshot is follows from the store alone. */
  audit: object
  push: { files: Omit<ScheduledFile, 'store'>[] }
  upkeep: { retention: Retention }
  /** Where to, and how many: the settings say it, and `Dependencies.makeBackup` knows them. */
  backup: object
}

export type OrderKind = keyof Orders

/**
 * What tillage.yaml wants of a schedule; undefined: nothing. Asked when it fires, so that no
 * message brings anything else. A night is known where none is scheduled: people backfill them.
 */
export type FindOrder = <Kind extends OrderKind>(
  kind: Kind,
  store: string,
) => Orders[Kind] | undefined

/** Where there is no configuration of schedules. */
export const noOrders: FindOrder = () => undefined
