import type { Shape } from '../shape.ts'
import type { WindowStatus } from './ledger.ts'
import type { MergeCounts } from './merge.ts'

/** A page of a reading, kept until the window is judged. */
export interface PageToStage {
  reading: string
  page: number
  listPath: string
  rows: number
  body: Uint8Array
}

/** A finding of one window: what the API did that the documentation does not say. */
export interface NewFinding {
  code: string
  /** What it is about, where one stream can have several of a code: a place in its records. */
  path?: string
  detail: string
}

export interface WindowToCommit {
  reading: string
  store: string
  stream: string
  window: { start: string; end: string }
  status: WindowStatus
  evidence: Readonly<Record<string, unknown>>
  /** Positions of staged rows that lose against another copy, per page. */
  losers: Readonly<Record<number, readonly number[]>>
  /** Ids of rows that are known to be gone from the API (INV-5). */
  gone?: readonly string[]
  fetched: number
  findings: readonly NewFinding[]
  /** ISO, UTC. */
  readAt: string
  /** Fields and kinds that its records showed, and the workflow run that read them. */
  seen?: { shape: Shape; run: string }
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
