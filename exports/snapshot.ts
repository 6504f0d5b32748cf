import Database from 'better-sqlite3'
import { BUSY_TIMEOUT_MS } from '../connectors/destination/busy-timeout.ts'
import { quoteName } from '../connectors/quote.ts'
import { DatabaseError } from '../errors.ts'
import type { Dataset } from './dataset.ts'
import { fitDecimal, plainDecimal } from './decimal.ts'

/**
 * Which rows of a dataset an export takes: one store, and the half-open range in which the cursor
 * lies, or the first of the other times where there is no cursor.
 */
export interface Selection {
  store: string
  startMs: number
  endMs: number
}

/** One state of the database for everything that a request reads. */
export interface Snapshot {
  database: Database.Database
  /** Runs `select` for the rows of a dataset in key order, one at a time. `r` is the row. */
  rows: (
    dataset: Dataset,
    expressions: readonly string[],
    inOrder: boolean,
  ) => IterableIterator<unknown[]>
  /** The same for a single expression. */
  values: (dataset: Dataset, expression: string) => IterableIterator<string>
  /** Sees the database as it is now, if nothing is being read. */
  renew: () => void
  close: () => void
}

/** What the scratch file of this number is attached as. */
export const scratchName = (number: number): string => `books${number}`

/**
 * Opens the database read-only and holds one read transaction until it is closed (WAL: writers go
 * on meanwhile). Scratch files are attached as `books0` and so on, empty as they are: what another
 * connection writes into them later, this one sees.
 */
export function openSnapshot(
  databasePath: string,
  selection: Selection,
  scratchPaths: readonly string[] = [],
): Snapshot {
  const database = open(databasePath, scratchPaths)
  const parameters = { store: selection.store, start: selection.startMs, end: selection.endMs }
  const prepare = (
    dataset: Dataset,
    expressions: readonly string[],
    inOrder: boolean,
  ): Database.Statement =>
    database.prepare(
      `SELECT ${expressions.join(', ')} ${sourceOf(dataset)} ` +
        (inOrder ? `ORDER BY ${orderOf(dataset)}` : ''),
    )
  const bound = (dataset: Dataset): object =>
    dataset.windowing === 'full-refresh' || dataset.relation !== undefined
      ? { store: parameters.store }
      : parameters
  return {
    database,
    rows: (dataset, expressions, inOrder) =>
      prepare(dataset, expressions, inOrder).raw().iterate(bound(dataset)) as IterableIterator<
        unknown[]
      >,
    values: (dataset, expression) =>
      prepare(dataset, [expression], true)
        .pluck()
        .iterate(bound(dataset)) as IterableIterator<string>,
    renew() {
      database.exec('COMMIT')
      beginReading(database)
    },
    close: () => database.close(),
  }
}

function open(databasePath: string, scratchPaths: readonly string[]): Database.Database {
  try {
    const database = new Database(databasePath, {
      readonly: true,
      fileMustExist: true,
      timeout: BUSY_TIMEOUT_MS,
    })
    addFunctions(database)
    for (const [number, path] of scratchPaths.entries())
      database.prepare(`ATTACH ? AS ${scratchName(number)}`).run(path)
    beginReading(database)
    return database
  } catch (error) {
    throw new DatabaseError(
      'DATABASE_BROKEN',
      `the database ${databasePath} cannot be read: ` +
        (error instanceof Error ? error.message : 'unknown reason'),
      {
        remedy: 'check the path in tillage.yaml; a sync creates the database',
        cause: error,
      },
    )
  }
}

function beginReading(database: Database.Database): void {
  database.exec('BEGIN')
  // BEGIN alone takes no snapshot, the first read does.
  database.prepare('SELECT count(*) FROM main.sqlite_schema').get()
}

/** For the rare cells that are not written as they are; see cells.ts and parquet.ts. */
function addFunctions(database: Database.Database): void {
  const textFunction = (name: string, of: (text: string, places: number) => string | null): void =>
    void database.function(name, { deterministic: true, varargs: true }, (...args: unknown[]) =>
      typeof args[0] === 'string' ? of(args[0], Number(args[1])) : null,
    )
  textFunction('plain_decimal', token => plainDecimal(token) ?? null)
  textFunction('without_nul', text => text.replaceAll('\0', ''))
  textFunction('fit_decimal', (token, places) => fitDecimal(token, places)?.text ?? null)
  textFunction('beyond_decimal', (token, places) =>
    fitDecimal(token, places)?.exact === false ? (plainDecimal(token) ?? null) : null,
  )
}

/**
 * Children follow their parent: an item belongs to the range in which its transaction was modified.
 * A record without the cursor must not fall out of every export: another of its times stands in. As
 * two searches, each uses the cursor's index. Tombstones are in no file: a record that is gone
 * makes the next revision (INV-5).
 */
function sourceOf(dataset: Dataset): string {
  if (dataset.relation !== undefined)
    return `FROM ${quoteName(dataset.relation)} AS r WHERE r.store_id = @store`
  const within = (time: string): string => `${time} >= @start AND ${time} < @end`
  const cursor = quoteName(dataset.cursor)
  const otherTime = `coalesce(${['NULL', ...dataset.otherTimes.map(quoteName), 'NULL'].join(', ')})`
  const { view = dataset.name, key = 'id' } = dataset.parent ?? {}
  const pick = `SELECT id FROM ${quoteName(view)} WHERE store_id = @store AND deleted_at IS NULL`
  const picked =
    dataset.windowing === 'full-refresh'
      ? pick
      : `${pick} AND ${within(cursor)}
         UNION ALL
         ${pick} AND ${cursor} IS NULL AND ${within(otherTime)}`
  return `FROM ${quoteName(dataset.name)} AS r
          WHERE r.store_id = @store AND r.${quoteName(key)} IN (${picked})`
}

/**
 * Made rows are numbered in their order already; a list inside a record follows by its own number.
 */
function orderOf({ relation, order }: Dataset): string {
  const names =
    relation === undefined ? order : ['seq', ...order.filter(name => name === 'line_no')]
  return names.map(name => `r.${quoteName(name)}`).join(', ')
}
