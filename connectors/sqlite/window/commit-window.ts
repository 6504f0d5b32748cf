import type Database from 'better-sqlite3'
import type { CommittedWindow, WindowCounts, WindowToCommit } from '../../destination/windows.ts'
import type { BulkPage } from '../pages/bulk-rows.ts'
import { createNoteFindings } from '../tables/findings.ts'
import type { NoteFindings } from '../tables/findings.ts'
import { createLedgerTable } from '../tables/ledger.ts'
import type { LedgerTable } from '../tables/ledger.ts'
import { createNoteLateness } from './lateness.ts'
import type { NoteLateness } from './lateness.ts'
import type { Merger } from './merge.ts'
import { createReadings, noCounts } from './readings.ts'
import type { Batch, Readings } from './readings.ts'
import { createShapeWriter } from './shape-writer.ts'
import type { ShapeWriter } from './shape-writer.ts'
import { createUnfitRecords } from './unfit-records.ts'
import type { UnfitRecords } from './unfit-records.ts'

/** The tables that a commit writes, one writer each. */
export interface CommitTables {
  readings: Readings
  unfit: UnfitRecords
  ledger: LedgerTable
  noteLateness: NoteLateness
  noteFindings: NoteFindings
  learnShape: ShapeWriter
}

export const createCommitTables = (database: Database.Database): CommitTables => ({
  readings: createReadings(database),
  unfit: createUnfitRecords(database),
  ledger: createLedgerTable(database),
  noteLateness: createNoteLateness(database),
  noteFindings: createNoteFindings(database),
  learnShape: createShapeWriter(database),
})

/**
 * Merges the pages of a window and writes everything that is remembered of it: call inside a
 * transaction, which makes them one (INV-2).
 */
export function commitWindow(
  tables: CommitTables,
  merger: Merger,
  window: WindowToCommit,
  pages: readonly BulkPage[],
): CommittedWindow {
  const { store, stream } = window
  const batch: Batch = { store, batch: openBatch(tables, window), since: window.since }
  const counts = mergePages(merger, pages, batch, window.fetched)
  if (counts.deadLettered > 0) {
    tables.unfit.save(window)
    merger.markThere(batch)
  }
  tables.unfit.resolve(window, merger)
  if (counts.duplicate > 0) merger.keepSuperseded(batch)
  if (window.gone !== undefined && window.gone.length > 0)
    merger.markGone(window.gone, batch, Date.parse(window.readAt))
  if (window.byId !== true && counts.inserted + counts.updated > 0)
    for (const proven of tables.ledger.provenAround(window))
      tables.noteLateness(window, merger.arrived(batch, proven))
  const drift = tables.learnShape(window)
  tables.readings.close(`${stream} ${window.window.start}`, batch.batch, counts)
  if (window.byId !== true) tables.ledger.record(window)
  return { counts, findingIds: tables.noteFindings(window, [...window.findings, ...drift]) }
}

const openBatch = ({ readings }: CommitTables, window: WindowToCommit): number =>
  readings.open(window.byId === true ? { ...window, status: 'looked_up' } : window)

/** Page by page: where all records of one are new, its statements are the simple ones. */
export function mergePages(
  merger: Merger,
  pages: readonly BulkPage[],
  batch: Batch,
  fetched: number,
): WindowCounts {
  const counts = noCounts(fetched)
  for (const page of pages) {
    const merged = merger.mergePage(page, batch)
    counts.duplicate += page.duplicate
    counts.inserted += merged.inserted
    counts.updated += merged.updated
    counts.unchanged += merged.unchanged
    counts.deadLettered += merged.deadLettered
  }
  return counts
}
