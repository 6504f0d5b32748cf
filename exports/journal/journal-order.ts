import type { Figures } from './closing.ts'
import type { PlaceOfDay } from './given-journals.ts'
import type { AccountingSettings, JournalFormat } from './settings.ts'

/** What a journal needs to know besides its transactions. Survives being sent to a thread. */
export interface JournalOrder {
  settings: AccountingSettings
  formats: readonly JournalFormat[]
  storeKey: string
  /** Of the store's amounts. */
  currency: string
  /** The business day on which this runs. */
  today: string
  deadLetters: number
  withoutDay?: readonly string[]
  closing?: Figures | undefined
  suspenseReason?: string | undefined
  /** Why a day that stands is posted again by today's settings. */
  restateReason?: string | undefined
  /** Who says that nothing was imported yet: the same posting is written with today's texts. */
  reissuedBy?: string | undefined
}

/** The day that an order is about, and where its journal stands. */
export interface JournalDay extends PlaceOfDay {
  /** The folder where files are prepared. */
  workFolder: string
  /** The number of the day's state. */
  revision: number
}
