import type Database from 'better-sqlite3'
import type { SentError } from '../../../errors.ts'
import type { LettersToDiscard, LettersToReplay, Replayed } from '../../destination/dead-letters.ts'
import type { DifferentRow } from '../../destination/rows.ts'
import type { PurgeOrder, Purged } from '../../destination/upkeep.ts'
import type { CommittedWindow } from '../../destination/windows.ts'
import type { Statement } from '../../sql/connection.ts'
import { repairRows } from '../../sql/rows/compare-rows.ts'
import { sameContent } from '../../sql/rows/same-content.ts'
import type { Steps } from '../../sql/steps.ts'
import type { MergeDialect } from '../../sql/window/merge-statements.ts'
import { createWindowWork } from '../../sql/window/window-work.ts'
import type { StagedWindow } from '../../staged/files-beside.ts'
import type { Stream } from '../../stream.ts'
import { stepsOn } from '../connection/sql-connection.ts'
import { createBulkRows } from '../pages/bulk-rows.ts'
import { recordStaging } from '../rows/staged-rows.ts'
import { purgeOn } from '../upkeep/acts-by-hand.ts'
import { closeChecked, emptyLog } from './checkpoints.ts'

/** What the writing thread can do. Every call is synchronous and atomic. */
export interface WindowStore {
  commit(window: StagedWindow): CommittedWindow
  /** Merges dead letters again. */
  replay(letters: LettersToReplay): Replayed
  /** Gives dead letters up, with a trace; answers how many. */
  discardLetters(letters: LettersToDiscard): number
  /** Removes what is old, and overwrites it. */
  purge(order: PurgeOrder): Purged[]
  /** Makes rows right again: `Rows.repair`. */
  repair(rows: RowsToRepair): void
  execute(statement: Statement): number
  /** All of them or none. */
  executeAll(statements: readonly Statement[]): void
  close(): void
}

export interface RowsToRepair {
  store: string
  stream: string
  different: readonly DifferentRow[]
}

/** What is asked of the thread that writes. */
export interface WriterRequest {
  id: number
  call: keyof WindowStore
  input: unknown
}

/**
 * An error without a code is none that we know: a mistake of ours, more often than the database's.
 */
export type WriterAnswer =
  | { id: number; output: unknown }
  | { id: number; error: SentError | { code: undefined; message: string } }

/** The writing side of the database, on one connection; each call is one transaction (INV-2). */
export function createWindowStore(
  database: Database.Database,
  streams: readonly Stream[],
): WindowStore {
  const execute = ({ sql, parameters }: Statement): number =>
    database.prepare(sql).run(...parameters).changes
  const executeAll = database.transaction((statements: readonly Statement[]) =>
    statements.forEach(execute),
  )
  return {
    ...createPageStore(database, streams),
    purge: order => purgeWithLog(database, order, streams),
    execute,
    executeAll: statements => executeAll.immediate(statements),
    close: () => closeChecked(database),
  }
}

/**
 * `OR FAIL`: SQLite keeps no copy of what a statement changes; the transaction is given up. A row
 * that is updated by an insert gets no number of the page: it could be that of a row that has just
 * been inserted. CROSS JOIN holds the order, whatever the planner assumes about sizes.
 */
const DIALECT: MergeDialect = {
  insert: 'INSERT OR FAIL INTO',
  join: 'CROSS JOIN',
  rowOf: (rows, id) => `CROSS JOIN ${rows} r ON r.store_id = @store AND r.id = ${id}`,
  unguessed: condition => condition,
  update({ rows, columns, page, cursor, givesWay }) {
    const names = columns.map(([name]) => name)
    return `
      INSERT OR FAIL INTO ${rows} (rid, store_id, batch, first_batch, ${names.join(', ')})
      SELECT NULL, @store, @batch, @batch, ${columns.map(([, value]) => value).join(', ')}
      FROM ${page.from} WHERE ${page.where}
      ON CONFLICT (store_id, id) DO UPDATE SET
        batch = excluded.batch, gone_at = NULL,
        ${names.map(name => `${name} = excluded.${name}`).join(', ')}
      WHERE ${givesWay(rows, `excluded.${cursor}`, 'excluded.raw')}`
  },
}

/**
 * What brings records into the tables. Their rows are written before the transaction that takes
 * them over begins; where something has changed meanwhile that they follow from, they are written
 * anew.
 */
function createPageStore(
  database: Database.Database,
  streams: readonly Stream[],
): Pick<WindowStore, 'commit' | 'replay' | 'discardLetters' | 'repair'> {
  addContentFunction(database)
  const rows = createBulkRows(database, streams)
  const staging = recordStaging(database)
  const work = createWindowWork(streams, DIALECT)
  const run = stepsOn(database)
  const inTransaction = database.transaction(run)
  const merge = <Answer>(steps: () => Steps<Answer>): Answer =>
    withoutChecks(database, () => inTransaction.immediate(steps()) as Answer)
  return {
    commit: window =>
      untilUnchanged(() => {
        const people = run(work.people(window.store))
        const stream = work.streamOf(window.stream)
        return rows.during(stream, work.pages(window, people), filled =>
          merge(() => work.commit(window, filled, people)),
        )
      }),
    replay: chosen =>
      untilUnchanged(() => {
        const letters = run(work.kept(chosen))
        const pages = work.pagesOfLetters(chosen.stream, letters)
        return rows.during(work.streamOf(chosen.stream), pages, filled =>
          merge(() => work.replay(chosen, letters, filled)),
        )
      }),
    discardLetters: letters => inTransaction.immediate(work.discard(letters)) as number,
    repair({ store, stream, different }) {
      const steps = repairRows(staging, store, work.streamOf(stream), different)
      inTransaction.immediate(steps)
    },
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

/** Older states of pages stand in the log, too. */
function purgeWithLog(
  database: Database.Database,
  order: PurgeOrder,
  streams: readonly Stream[],
): Purged[] {
  try {
    return purgeOn(database, order, streams, { dryRun: false })
  } finally {
    emptyLog(database)
  }
}

/** `same_content(ours, theirs)` in SQL. */
const addContentFunction = (database: Database.Database): void =>
  void database.function(
    'same_content',
    { deterministic: true },
    (ours: unknown, theirs: unknown) => (sameContent(String(ours), String(theirs)) ? 1 : 0),
  )
