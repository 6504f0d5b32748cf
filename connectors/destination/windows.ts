import type { ErrorCode } from '../../errors.ts'
import type { AnswerText, UnfitRecord } from '../cells.ts'
import type { FindingCode } from '../findings.ts'
import type { Shape } from '../shape.ts'
import type { WindowStatus } from './coverage.ts'

/** A page of a reading, kept until the window is judged. */
export interface PageToStage {
  /** Which reading: an id that no other reading has, not even a later one of the same window. */
  reading: string
  /** Place of the page within the reading, from 0, in the order in which pages arrived. */
  page: number
  /** Rows in the list, by the reader's count. */
  rows: number
  /** The whole answer, without secret fields. */
  body: AnswerText
  /**
   * Records that do not fit their declaration: dead letters. Every other one goes into the tables,
   * whose own checks it passes.
   */
  unfit: readonly UnfitRecord[]
}

/** A finding of one window: what the API did that the documentation does not say. */
export interface NewFinding {
  /** Of an error, where the window could not be read. */
  code: FindingCode | ErrorCode
  /** What it is about, where one stream can have several of a code: a place in its records. */
  path?: string
  detail: string
}

export interface WindowToCommit {
  reading: string
  store: string
  stream: string
  /** ISO texts in UTC, half-open. */
  window: { start: string; end: string }
  status: WindowStatus
  /** Its records were asked for by their ids: that proves no part of a list, so no ledger row. */
  byId?: true
  /** Becomes the ledger's evidence, as JSON. */
  evidence: Readonly<Record<string, unknown>>
  /** Positions of staged rows of which another copy in this reading counts instead, per page. */
  superseded: Readonly<Record<number, readonly number[]>>
  /**
   * The reading that was committed last before its first page was asked for (`Rows.lastReading`): a
   * row that a later one found to be gone stays gone, for these pages are older. None: they are
   * newer than everything that is there.
   */
  since?: number | undefined
  /** Ids of rows that are known to be gone from the API (INV-5). */
  gone?: readonly string[]
  /** Rows in all staged pages, by the reader's count. */
  fetched: number
  findings: readonly NewFinding[]
  /** ISO, UTC. */
  readAt: string
  /** Fields and kinds that its records showed, and the workflow run that read them. */
  seen?: { shape: Shape; run: string }
}

export interface MergeCounts {
  inserted: number
  updated: number
  unchanged: number
  deadLettered: number
}

/** fetched = inserted + updated + unchanged + duplicate + deadLettered (INV-3). */
export interface WindowCounts extends MergeCounts {
  fetched: number
  duplicate: number
}

export interface CommittedWindow {
  counts: WindowCounts
  findingIds: string[]
}

/** The way of a window's rows into the destination: staged page by page, committed at once. */
export interface WindowWriter {
  /**
   * Keeps a page, outside every table, until its reading is committed or discarded. Resolves when
   * it is kept; rejects where it is not, and then it counts for nothing. The same page of the same
   * reading again replaces what was kept. A crash forgets all staged pages: whoever comes back
   * begins a reading of its own.
   */
  stage(page: PageToStage): Promise<void>

  /** Forgets the pages of a reading. Safe to call again, and for a reading that has none. */
  discard(reading: string): Promise<void>

  /**
   * Merges the staged pages and writes ledger, findings, dead letters and counts in one
   * transaction (INV-2), then forgets the pages. Fails with COUNTS_DIFFER where the counts do not
   * add up (INV-3), with WINDOW_TAKEN_OVER where another reading of the very window was committed
   * `since`. A failed call has changed nothing and may be made again. A call that committed and
   * whose answer was lost in a crash is made up for by reading the window again: merging the same
   * rows anew leaves them as they are, and the newest ledger row replaces the one before it.
   */
  commit(window: WindowToCommit): Promise<CommittedWindow>
}
