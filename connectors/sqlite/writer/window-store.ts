import { isDeepStrictEqual } from 'node:util'
import type Database from 'better-sqlite3'
import type { LettersToReplay } from '../../destination/dead-letters.ts'
import type { Purged, PurgeOrder } from '../../destination/upkeep.ts'
import type { WindowToCommit } from '../../destination/windows.ts'
import type { Statement } from '../../sql/statements.ts'
import type { Stream } from '../../stream.ts'
import { createBulkRows } from '../pages/bulk-rows.ts'
import type { BulkPage, PageOfRecords } from '../pages/bulk-rows.ts'
import { createForgottenPeople } from '../people/forgotten.ts'
import type { Recognition } from '../people/forgotten.ts'
import { createDeadLetterTable } from '../tables/dead-letters.ts'
import type { DeadLetterTable, KeptRecord } from '../tables/dead-letters.ts'
import { purge } from '../upkeep/purge.ts'
import { commitWindow, createCommitTables } from '../window/commit-window.ts'
import { createMerger } from '../window/merge.ts'
import { stagedPages } from '../window/page-files.ts'
import type { StagedWindow } from '../window/page-files.ts'
import { pagesOfLetters, replayDeadLetters } from '../window/replay-dead-letters.ts'
import { closeChecked, emptyLog } from './close-checked.ts'
import type { WindowStore } from './writer-calls.ts'

/** The writing side of the database, on one connection; each call is one transaction (INV-2). */
export function createWindowStore(
  database: Database.Database,
  streams: readonly Stream[],
): WindowStore {
  const deadLetters = createDeadLetterTable(database)
  const execute = ({ sql, parameters }: Statement): number =>
    database.prepare(sql).run(...parameters).changes
  const discardLetters = database.transaction(deadLetters.discard)
  const executeAll = database.transaction((statements: readonly Statement[]) =>
    statements.forEach(execute),
  )
  return {
    ...createPageStore(database, streams, deadLetters),
    discardLetters: letters => discardLetters.immediate(letters),
    purge: order => purgeWithLog(database, order, streams),
    execute,
    executeAll: statements => executeAll.immediate(statements),
    close: () => closeChecked(database),
  }
}

/**
 * What brings records into the tables. Their rows are written before the transaction that takes
 * them over begins; where something has changed meanwhile that they follow from, they are written
 * anew.
 */
function createPageStore(
  database: Database.Database,
  streams: readonly Stream[],
  deadLetters: DeadLetterTable,
): Pick<WindowStore, 'commit' | 'replay'> {
  const rows = createBulkRows(database, streams)
  const forgotten = createForgottenPeople(database)
  const streamOf = streamsByName(streams)
  // Their statements name the rows' database, which is attached for the first page.
  const tables = once(() => createCommitTables(database))
  const mergerOf = remembered((name: string) => createMerger(database, streamOf(name)))

  const commit = database.transaction(
    (window: WindowToCommit, pages: readonly BulkPage[], people: Recognition | undefined) =>
      forgotten.of(window.store) === people
        ? commitWindow(tables(), mergerOf(window.stream), window, pages)
        : undefined,
  )
  const replay = database.transaction(
    (chosen: LettersToReplay, letters: readonly KeptRecord[], pages: readonly BulkPage[]) =>
      isDeepStrictEqual(deadLetters.kept(chosen), letters)
        ? replayDeadLetters(
            { ...tables(), deadLetters, merger: mergerOf(chosen.stream) },
            chosen,
            letters,
            pages,
          )
        : undefined,
  )
  return {
    commit: window =>
      untilUnchanged(() => {
        const people = forgotten.of(window.store)
        const stream = streamOf(window.stream)
        const pages = pagesOfWindow(window, page => forgotten.takeOut(people, stream, page))
        return rows.during(stream, pages, filled =>
          withoutChecks(database, () => commit.immediate(window, filled, people)),
        )
      }),
    replay: chosen =>
      untilUnchanged(() => {
        const letters = deadLetters.kept(chosen)
        const stream = streamOf(chosen.stream)
        const pages = pagesOfLetters(stream, letters)
        return rows.during(stream, pages, filled =>
          withoutChecks(database, () => replay.immediate(chosen, letters, filled)),
        )
      }),
  }
}

/**
 * The CHECKs of the tables look at every decimal and time of every row, which is a third of the
 * cost of a line, and every record was judged by the reader. Types, keys and NOT NULL always hold.
 */
function withoutChecks<Result>(database: Database.Database, work: () => Result): Result {
  database.pragma('ignore_check_constraints = ON')
  try {
    return work()
  } finally {
    database.pragma('ignore_check_constraints = OFF')
  }
}

function untilUnchanged<Result>(attempt: () => Result | undefined): Result {
  for (;;) {
    const result = attempt()
    if (result !== undefined) return result
  }
}

/** The pages of a window, without people who were forgotten. */
function* pagesOfWindow(
  { pages, superseded }: StagedWindow,
  takeOut: (page: PageOfRecords) => PageOfRecords,
): Generator<PageOfRecords> {
  for (const { number, ...page } of stagedPages(pages))
    yield takeOut({ ...page, superseded: superseded[number] ?? [] })
}

const streamsByName =
  (streams: readonly Stream[]) =>
  (name: string): Stream => {
    const stream = streams.find(candidate => candidate.name === name)
    if (stream === undefined) throw new Error(`no stream ${name}`)
    return stream
  }

function remembered<Made>(make: (name: string) => Made): (name: string) => Made {
  const made = new Map<string, Made>()
  return name => {
    const known = made.get(name) ?? make(name)
    made.set(name, known)
    return known
  }
}

const once = <Made>(make: () => Made): (() => Made) => {
  const made = remembered(make)
  return () => made('')
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
