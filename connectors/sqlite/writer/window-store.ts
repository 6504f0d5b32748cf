import type Database from 'better-sqlite3'
import type { LettersToReplay } from '../../destination/dead-letters.ts'
import type { Purged, PurgeOrder } from '../../destination/upkeep.ts'
import type { CommittedWindow } from '../../destination/windows.ts'
import type { Statement } from '../../sql/statements.ts'
import type { Stream } from '../../stream.ts'
import { createForgottenPeople } from '../people/forgotten.ts'
import { createDeadLetterTable } from '../tables/dead-letters.ts'
import { purge } from '../upkeep/purge.ts'
import { commitWindow, createCommitTables, pagesOfRecords } from '../window/commit-window.ts'
import type { WindowOfRows } from '../window/commit-window.ts'
import { createMerger } from '../window/merge.ts'
import type { Merger } from '../window/merge.ts'
import type { StagedWindow } from '../window/page-files.ts'
import { createReadings } from '../window/readings.ts'
import { replayDeadLetters } from '../window/replay-dead-letters.ts'
import { createStagedPages } from '../window/staged-pages.ts'
import { createStagedRows } from '../window/staged-rows.ts'
import { createTableChecks } from '../window/table-checks.ts'
import type { TableChecks } from '../window/table-checks.ts'
import { closeChecked, emptyLog } from './close-checked.ts'
import type { WindowStore } from './writer-calls.ts'

/** The writing side of the database, on one connection; each call is one transaction (INV-2). */
export function createWindowStore(
  database: Database.Database,
  streams: readonly Stream[],
): WindowStore {
  const pages = createStagedPages(database)
  const stagedRows = createStagedRows(database, streams)
  const readings = createReadings(database)
  const deadLetters = createDeadLetterTable(database)
  const forgotten = createForgottenPeople(database)
  const tables = createCommitTables(database, { pages, readings, deadLetters, forgotten })
  const checks = createTableChecks(database)
  const streamOf = streamsByName(streams)
  const mergerOf = createMergers(database, streamOf, checks)
  const execute = ({ sql, parameters }: Statement): number =>
    database.prepare(sql).run(...parameters).changes

  const commit = database.transaction((window: WindowOfRows) =>
    commitWindow(tables, mergerOf(window.stream), window),
  )
  const commitStaged = (window: StagedWindow): CommittedWindow => {
    const records = pagesOfRecords(pages, window)
    return stagedRows.during(streamOf(window.stream), records, rows =>
      commit.immediate({ ...window, rows }),
    )
  }
  const replay = database.transaction((letters: LettersToReplay) =>
    replayDeadLetters({ readings, deadLetters, merger: mergerOf(letters.stream) }, letters),
  )
  const discardLetters = database.transaction(deadLetters.discard)
  const executeAll = database.transaction((statements: readonly Statement[]) =>
    statements.forEach(execute),
  )
  return {
    commit(window) {
      try {
        return commitStaged(window)
      } finally {
        checks.on()
      }
    },
    replay: letters => replay.immediate(letters),
    discardLetters: letters => discardLetters.immediate(letters),
    purge: order => purgeWithLog(database, order, streams),
    execute,
    executeAll: statements => executeAll.immediate(statements),
    close: () => closeChecked(database),
  }
}

const streamsByName =
  (streams: readonly Stream[]) =>
  (name: string): Stream => {
    const stream = streams.find(candidate => candidate.name === name)
    if (stream === undefined) throw new Error(`no stream ${name}`)
    return stream
  }

/** One merger for each stream, made when it is needed first. */
function createMergers(
  database: Database.Database,
  streamOf: (name: string) => Stream,
  checks: TableChecks,
): (name: string) => Merger {
  const mergers = new Map<string, Merger>()
  return name => {
    const known = mergers.get(name)
    if (known !== undefined) return known
    const merger = createMerger(database, streamOf(name), checks)
    mergers.set(name, merger)
    return merger
  }
}

/** Older states of pages stand in the log, too. */
function purgeWithLog(
  database: Database.Database,
  order: PurgeOrder,
  streams: readonly Stream[],
): Purged[] {
  try {
    return purge(database, order, streams)
  } finally {
    emptyLog(database)
  }
}
