import type { Act } from './audit-chain.ts'

/** What somebody asks of a database by hand, and what it answers: the same of every kind. */

/** Whose rows go, as the rows themselves say. */
export interface EvictOrder {
  store: string
  field: 'shopId' | 'companyId'
  owner: string
  nowMs: number
  /** Only says what would go. */
  dryRun: boolean
}

export interface Evicted {
  store: string
  /** Of each stream that had some. */
  streams: { stream: string; rows: number; versions: number; deadLetters: number }[]
  /** Windows that held them, which count as unproven: `from` and `to` are ISO. */
  windows: { stream: string; windows: number; from: string; to: string }[]
  /** When what was booked of them was booked: epoch milliseconds, one for each minute. */
  bookedMinutes: number[]
  /** Of the store. */
  timeZone: string
  /** Ranges of days, `to` exclusive, of which files or journals were given out. */
  givenOut: { from: string; to: string }[]
  /** Streams with rows of the store that do not say whose they are. */
  silent: string[]
}

/** What follows from another time zone of a store. */
export interface ZoneChange {
  store: string
  was: string
  zone: string
  /** Proven windows of lists that are asked for by calendar days: they count as unproven. */
  windows: { stream: string; windows: number; from: string; to: string }[]
  /** Business days with files or postings: cut anew, they may get revisions. */
  bookedDays: number
}

/** Whom to forget: the id of the API, and in which store. */
export interface Forgetting {
  store: string
  member: string
  /** What stands for an id in the books, where anything was ever made of them. */
  keyOf: ((id: string) => string) | undefined
}

/**
 * What became of one table: records that were removed whole, and out of which somebody was taken.
 */
export interface TableForgotten {
  table: string
  removed: number
  changed: number
}

/** What a transaction of forgetting has done. */
export interface ForgottenTraces {
  /**
   * The ids that this person has: of the member, and of the consumer that the member is known as.
   */
  ids: string[]
  tables: TableForgotten[]
  /** Where the id stood, as `transactions memberId`; `members id` of a record of its own. */
  places: string[]
  /** Rows that hold the id and stay as they are: evidence with hashes over it. */
  left: { table: string; rows: number }[]
}

/** Whom nobody knows any more. */
export interface Forgotten {
  store: string
  /** As they were: they are kept as hashes. */
  ids: readonly string[]
  /** ISO, UTC. */
  at: string
  /** Names nobody. */
  certificate: string
}

/** What forgetting somebody does, inside one transaction. */
export interface PeopleToForget {
  /** Takes every trace of a member's identity out of a store. */
  forget(order: Forgetting): Promise<ForgottenTraces>
  /** So that a later reading does not bring them back. */
  remember(forgotten: Forgotten): Promise<void>
  note(act: Act): Promise<void>
}

/** A stream of a store with rows that are not what their own record says. */
export interface InconsistentRows {
  store: string
  stream: string
  ids: string[]
}

/** What is not in a database though it was: no page is damaged for that. */
export interface Missing {
  /** Tables, columns, indexes, triggers and views, each with what is wrong with it. */
  parts: string[]
  /** Lists of which rows were stored, and no row is there. */
  emptied: { store: string; stream: string; stored: number }[]
}

/** What one completed sale or refund came to, as the API wrote it, and when. */
export interface SaleTotal {
  total: string
  isRefund: boolean
  /** Epoch milliseconds. */
  atMs: number
}
