import type Database from 'better-sqlite3'
import type { CommittedWindow, WindowCounts, WindowToCommit } from '../../destination/windows.ts'
import type { ForgottenPeople } from '../people/forgotten.ts'
import type { DeadLetterTable } from '../tables/dead-letters.ts'
import { createNoteFindings } from '../tables/findings.ts'
import type { NoteFindings } from '../tables/findings.ts'
import { createLedgerTable } from '../tables/ledger.ts'
import type { LedgerTable } from '../tables/ledger.ts'
import { createNoteLateness } from './lateness.ts'
import type { NoteLateness } from './lateness.ts'
import type { Merger } from './merge.ts'
import type { StagedWindow } from './page-files.ts'
import type { PageToMerge } from './page-parts.ts'
import { noCounts } from './readings.ts'
import type { Batch, Readings } from './readings.ts'
import { createShapeWriter } from './shape-writer.ts'
import type { ShapeWriter } from './shape-writer.ts'
import type { StagedPages } from './staged-pages.ts'
import type { PageOfRecords, RowsOfPage } from './staged-rows.ts'

/** With fewer pages than this, every superseded row is looked at. */
const FEW_PAGES = 10

/** The tables that a commit writes, one writer each. */
export interface CommitTables {
  pages: StagedPages
  readings: Readings
  deadLetters: DeadLetterTable
  forgotten: ForgottenPeople
  ledger: LedgerTable
  noteLateness: NoteLateness
  noteFindings: NoteFindings
  learnShape: ShapeWriter
}

export const createCommitTables = (
  database: Database.Database,
  shared: Pick<CommitTables, 'pages' | 'readings' | 'deadLetters' | 'forgotten'>,
): CommitTables => ({
  ...shared,
  ledger: createLedgerTable(database),
  noteLateness: createNoteLateness(database),
  noteFindings: createNoteFindings(database),
  learnShape: createShapeWriter(database),
})

/** A window whose pages are staged, and their rows where they are, too, by page. */
export interface WindowOfRows extends StagedWindow {
  rows: ReadonlyMap<number, RowsOfPage>
}

/** The pages of a window that are to be staged as rows. */
export function* pagesOfRecords(
  pages: StagedPages,
  { pages: staged, superseded }: StagedWindow,
): Generator<[number, PageOfRecords]> {
  for (const number of pages.numbers(staged)) {
    const { text, examined } = pages.page(staged!, number)
    if (text === undefined || examined === undefined) continue
    yield [number, { text, skip: [...(superseded[number] ?? []), ...examined.doubtful] }]
  }
}

/**
 * Merges the staged pages of a reading and writes everything that is remembered of it: call inside
 * a transaction, which makes them one (INV-2).
 */
export function commitWindow(
  tables: CommitTables,
  merger: Merger,
  window: WindowOfRows,
): CommittedWindow {
  const { store, stream } = window
  const batch: Batch = { store, batch: openBatch(tables, window), since: window.since }
  const pages = tables.pages.numbers(window.pages)
  const { counts, refused } = mergePages(tables, merger, window, batch)
  if (refused.length > 0) merger.markThere(refused, batch)
  if (tables.deadLetters.hasAny(store, stream))
    for (const page of pages)
      tables.deadLetters.resolve(window, merger.keysOf(pageOf(tables, window, page)), refused)
  keepSuperseded(tables, merger, window, batch)
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

function pageOf(
  { pages, forgotten }: CommitTables,
  window: WindowOfRows,
  page: number,
): PageToMerge {
  return forgotten.takeOut(window.store, {
    ...pages.page(window.pages!, page),
    skip: window.superseded[page] ?? [],
    staged: window.rows.get(page),
  })
}

/** Page by page, so that memory stays flat; what the tables refuse becomes a dead letter. */
function mergePages(
  tables: CommitTables,
  merger: Merger,
  window: WindowOfRows,
  batch: Batch,
): { counts: WindowCounts; refused: string[] } {
  const counts = noCounts(window.fetched)
  const refused: string[] = []
  for (const number of tables.pages.numbers(window.pages)) {
    const page = pageOf(tables, window, number)
    const merged = merger.mergePage(page, batch, record => {
      tables.deadLetters.save(window, record)
      refused.push(record.key)
    })
    counts.duplicate += page.skip.length
    counts.inserted += merged.inserted
    counts.updated += merged.updated
    counts.unchanged += merged.unchanged
    counts.deadLettered += merged.deadLettered
  }
  return { counts, refused }
}

/**
 * Copies that were superseded within the reading are kept as versions. Where a page of many lost
 * one row, it is the seam with its neighbour, which agreed; reading all pages anew for that would
 * cost 3 %.
 */
function keepSuperseded(
  tables: CommitTables,
  merger: Merger,
  window: WindowOfRows,
  batch: Batch,
): void {
  const pages = tables.pages.numbers(window.pages)
  const expected = pages.length < FEW_PAGES ? 0 : 1
  for (const page of pages)
    if ((window.superseded[page]?.length ?? 0) > expected)
      merger.keepSuperseded(pageOf(tables, window, page), batch)
}
