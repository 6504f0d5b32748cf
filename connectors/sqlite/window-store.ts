import type Database from 'better-sqlite3'
import type {
  CommittedWindow,
  PageToStage,
  WindowCounts,
  WindowToCommit,
} from '../destination/windows.ts'
import type { Stream } from '../stream.ts'
import { createLedgerWriter } from './ledger-writer.ts'
import { createLetterWriter } from './letters.ts'
import type { LettersToDiscard, LettersToReplay, Replayed } from './letters.ts'
import { createMerger } from './merge.ts'
import type { Merger, StagedPage } from './merge.ts'
import { createShapeWriter } from './shape-writer.ts'

export interface Statement {
  sql: string
  parameters: readonly unknown[]
}

/** What the writing thread can do. Every call is synchronous and atomic. */
export interface WindowStore {
  stage(page: PageToStage): void
  discard(reading: string): void
  commit(window: WindowToCommit): CommittedWindow
  /** Merges dead letters again, in one transaction. */
  replay(letters: LettersToReplay): Replayed
  /** Gives dead letters up, with a trace; answers how many. */
  discardLetters(letters: LettersToDiscard): number
  execute(statement: Statement): number
  /** All of them or none. */
  executeAll(statements: readonly Statement[]): void
  close(): void
}

const FEW_PAGES = 10

/**
 * Pages wait in a temporary table, which SQLite keeps in memory while they are few and on disk when
 * they are many, so memory stays flat; a crash leaves nothing of it behind. Judged, they are merged
 * with their ledger row in one transaction (INV-2).
 */
export function createWindowStore(
  database: Database.Database,
  streams: readonly Stream[],
): WindowStore {
  database.exec(
    'CREATE TEMP TABLE staged (reading TEXT NOT NULL, page INTEGER NOT NULL, list_path TEXT NOT NULL, row_count INTEGER NOT NULL, body BLOB NOT NULL)',
  )
  database.exec('CREATE UNIQUE INDEX temp.staged_key ON staged (reading, page)')
  const stage = database.prepare(
    'INSERT OR REPLACE INTO staged (reading, page, list_path, row_count, body) VALUES (?, ?, ?, ?, ?)',
  )
  const discard = database.prepare('DELETE FROM staged WHERE reading = ?')
  const stagedPages = database.prepare<[string], { page: number }>(
    'SELECT page FROM staged WHERE reading = ? ORDER BY page',
  )
  const stagedPage = database.prepare<
    [string, number],
    { list_path: string; row_count: number; body: Buffer }
  >('SELECT list_path, row_count, body FROM staged WHERE reading = ? AND page = ?')
  const mergers = new Map<string, Merger>()
  const mergerOf = (name: string): Merger => {
    const stream = streams.find(candidate => candidate.name === name)
    if (stream === undefined) throw new Error(`no stream ${name}`)
    const merger = mergers.get(name) ?? createMerger(database, stream)
    mergers.set(name, merger)
    return merger
  }
  const ledger = createLedgerWriter(database)
  const learnShape = createShapeWriter(database)

  const pageOf = (window: WindowToCommit, page: number): StagedPage => {
    const { body, list_path: listPath, row_count: rows } = stagedPage.get(window.reading, page)!
    return { body, listPath, rows, skip: window.superseded[page] ?? [] }
  }

  const commit = (window: WindowToCommit): CommittedWindow => {
    const merger = mergerOf(window.stream)
    const batch = ledger.openReading(window)
    const counts: WindowCounts = {
      fetched: window.fetched,
      inserted: 0,
      updated: 0,
      unchanged: 0,
      duplicate: 0,
      deadLettered: 0,
    }
    const buried: string[] = []
    const pages = stagedPages.all(window.reading)
    for (const { page } of pages) {
      const staged = pageOf(window, page)
      const merged = merger.mergePage(staged, window.store, batch, letter => {
        ledger.bury(window, letter)
        buried.push(letter.key)
      })
      counts.duplicate += staged.skip.length
      counts.inserted += merged.inserted
      counts.updated += merged.updated
      counts.unchanged += merged.unchanged
      counts.deadLettered += merged.deadLettered
    }
    for (const { page } of ledger.hasDeadLetters(window) ? pages : []) {
      ledger.settleDeadLetters(window, merger.keysOf(pageOf(window, page)), buried)
    }
    // Where a page lost one row, it is the seam with its neighbour, which agreed; reading all pages
    // anew for that would cost 3 %.
    const lost = pages.filter(
      ({ page }) => (window.superseded[page]?.length ?? 0) > (pages.length < FEW_PAGES ? 0 : 1),
    )
    for (const { page } of lost) merger.keepSuperseded(pageOf(window, page), window.store, batch)
    if (window.gone !== undefined && window.gone.length > 0)
      merger.markGone(window.gone, window.store, batch, Date.parse(window.readAt))
    if (counts.inserted + counts.updated > 0)
      for (const interval of ledger.provenBefore(window))
        ledger.noteLateness(window, merger.arrived(window.store, batch, interval))
    return {
      counts,
      findingIds: ledger.closeReading(
        { ...window, findings: [...window.findings, ...learnShape(window)] },
        batch,
        counts,
      ),
    }
  }
  const commitAtomically = database.transaction(commit)
  const letters = createLetterWriter(database, ledger)
  const replay = database.transaction((chosen: LettersToReplay) =>
    letters.replay(chosen, mergerOf(chosen.stream)),
  )
  const discardLetters = database.transaction(letters.discard)

  const execute = ({ sql, parameters }: Statement): number =>
    database.prepare(sql).run(...parameters).changes
  const executeAll = database.transaction((statements: readonly Statement[]) =>
    statements.forEach(execute),
  )

  return {
    stage: ({ reading, page, listPath, rows, body }) =>
      void stage.run(reading, page, listPath, rows, body),
    discard: reading => void discard.run(reading),
    commit(window) {
      const committed = commitAtomically.immediate(window)
      discard.run(window.reading)
      return committed
    },
    replay: chosen => replay.immediate(chosen),
    discardLetters: chosen => discardLetters.immediate(chosen),
    execute,
    executeAll: statements => executeAll.immediate(statements),
    close: () => void database.close(),
  }
}
