/**
 * SQL derived from stream declarations. Rows live in `rows_<name>` with an integer key, which keeps
 * inserts of random ids fast and children small; people read the views (`stream-views.ts`), which
 * show text keys and no bookkeeping.
 */
import { fillFromKept } from '../../sql/rows/kept-records.ts'
import type { RecordStaging } from '../../sql/rows/kept-records.ts'
import type { Steps } from '../../sql/steps.ts'
import { bookedAtSql, rowTable } from '../../stream-sql.ts'
import type { ChildTable, Column, Columns, Stream } from '../../stream.ts'
import { isDecimal, isTimestamp, literal, quote } from '../connection/sql-text.ts'
import { views } from './stream-views.ts'

const SQLITE_TYPE: Record<Column['kind'], string> = {
  text: 'TEXT',
  integer: 'INTEGER',
  decimal: 'TEXT',
  timestamp: 'INTEGER',
  boolean: 'INTEGER',
  json: 'TEXT',
}

/**
 * What STRICT does not check: a decimal, a boolean and a time are one. What the files could not
 * hold does not get into the tables: a record that breaks this is a dead letter.
 */
function check(name: string, kind: Column['kind']): string {
  const column = quote(name)
  if (kind === 'boolean') return ` CHECK (${column} IN (0, 1))`
  if (kind === 'timestamp') return ` CHECK (${isTimestamp(column)})`
  // SQLite before 3.45 says that NULL is no valid JSON: its integrity check would name every row.
  return kind === 'decimal' ? ` CHECK (${column} IS NULL OR ${isDecimal(column)})` : ''
}

const definition = (name: string, column: Column): string =>
  `${quote(name)} ${SQLITE_TYPE[column.kind]}${check(name, column.kind)}`

/** What a database has now. */
export interface ExistingSchema {
  /** Columns of a table; none if there is no such table. */
  columns(table: string): ReadonlySet<string>
  /** The statement that made a view or an index. */
  sqlOf(name: string): string | undefined
}

/** A statement, or what is more than one. */
export type Work = string | ((staging: RecordStaging) => Steps<void>)

/**
 * What is missing for a stream, in order; nothing where all is there, so that commands that only
 * look take no lock. A column or child table that is new is filled for all history from `raw`,
 * without asking the API.
 */
export function missingWork(stream: Stream, existing: ExistingSchema): Work[] {
  // Every command asks this, and nearly always all is there.
  if (parts(stream).every(([name, sql]) => existing.sqlOf(name) === sql)) return []
  const isNew = existing.columns(rowTable(stream.name)).size === 0
  // A kind that changed is a column made anew: `raw` still has what the old one refused or bent.
  const changed = isNew ? [] : changedColumns(stream, existing)
  const remake = changed.length > 0
  const columns = isNew ? [] : addColumns(rowTable(stream.name), stream.columns, existing, changed)
  const lists = Object.entries(stream.children).map(
    ([name, child]) => [name, missingLines(rowTable(name), child, existing)] as const,
  )
  return [
    ...(remake ? dropDependents(stream) : []),
    ...(isNew ? [createRows(stream)] : changedTable(stream, changed, columns)),
    ...lists.flatMap(([, statements]) => statements),
    ...(isNew ? [] : filling(stream, columns, lists)),
    ...indexes(stream).flatMap(([name, sql]) =>
      existing.sqlOf(name) === undefined || remake ? [sql] : [],
    ),
    ...keptVersions(stream).flatMap(([name, sql]) =>
      existing.sqlOf(name) === sql && !remake ? [] : [`DROP TRIGGER IF EXISTS ${name}`, sql],
    ),
    ...views(stream).flatMap(([name, sql]) =>
      existing.sqlOf(name) === sql && !remake ? [] : [`DROP VIEW IF EXISTS ${name}`, sql],
    ),
  ]
}

const partsOf = new WeakMap<Stream, readonly [string, string][]>()

/** All that a database has of a stream: names, and the statements that make them, in order. */
function parts(stream: Stream): readonly [string, string][] {
  const known = partsOf.get(stream)
  if (known !== undefined) return known
  const children = Object.entries(stream.children).map<[string, string]>(([name, child]) => {
    const table = rowTable(name)
    return [table, createChild(table, child)]
  })
  const all: [string, string][] = [
    [rowTable(stream.name), createRows(stream)],
    ...indexes(stream),
    ...children,
    ...keptVersions(stream),
    ...views(stream),
  ]
  partsOf.set(stream, all)
  return all
}

/** The whole schema of a stream, for a database that has nothing of it. */
export const allStatements = (stream: Stream): string[] => parts(stream).map(([, sql]) => sql)

/** Views, indexes and triggers hold on to a column that is made anew. */
const dropDependents = (stream: Stream): string[] => [
  ...views(stream).map(([name]) => `DROP VIEW IF EXISTS ${name}`),
  ...indexes(stream).map(([name]) => `DROP INDEX IF EXISTS ${name}`),
  ...keptVersions(stream).map(([name]) => `DROP TRIGGER IF EXISTS ${name}`),
]

const createRows = (stream: Stream): string => {
  const columns = Object.entries(stream.columns).map(([name, column]) =>
    name === 'id' ? `"id" TEXT NOT NULL CHECK ("id" <> '')` : definition(name, column),
  )
  return `CREATE TABLE ${rowTable(stream.name)} (
    rid INTEGER PRIMARY KEY,
    store_id TEXT NOT NULL,
    batch INTEGER NOT NULL,
    first_batch INTEGER NOT NULL,
    gone_at INTEGER,
    ${columns.join(', ')},
    raw TEXT NOT NULL
  ) STRICT`
}

const changedColumns = (stream: Stream, existing: ExistingSchema): string[] =>
  Object.entries(stream.columns).flatMap(([name, column]) =>
    hasChanged(existing, rowTable(stream.name), name, column) ? [name] : [],
  )

/** With columns that came later or whose kind changed. */
const changedTable = (
  stream: Stream,
  changed: readonly string[],
  missing: readonly MissingColumn[],
): string[] => [
  ...changed.map(name => `ALTER TABLE ${rowTable(stream.name)} DROP COLUMN ${quote(name)}`),
  ...missing.map(({ statement }) => statement),
]

/** All at once: it goes through the whole table. */
function filling(
  stream: Stream,
  columns: readonly MissingColumn[],
  lists: readonly (readonly [name: string, statements: readonly string[]])[],
): Work[] {
  const parts = {
    columns: columns.map(({ name }) => name),
    lists: lists.flatMap(([name, { length }]) => (length === 0 ? [] : [name])),
  }
  if (parts.columns.length + parts.lists.length === 0) return []
  return [staging => fillFromKept(staging, stream, parts)]
}

/** The statement that made a table holds the definition of each column, letter for letter. */
function hasChanged(
  existing: ExistingSchema,
  table: string,
  name: string,
  column: Column,
): boolean {
  const sql = existing.sqlOf(table)
  const now = definition(name, column)
  return (
    name !== 'id' &&
    existing.columns(table).has(name) &&
    sql !== undefined &&
    !sql.includes(`${now},`) &&
    !sql.includes(`${now})`)
  )
}

/**
 * Whatever replaces a row, its state before is kept: a trigger cannot be forgotten, and inserts do
 * not pay for it.
 */
const keptVersions = (stream: Stream): [string, string][] => {
  const rows = rowTable(stream.name)
  const trigger = `${rows}_kept`
  return [
    [
      trigger,
      `CREATE TRIGGER ${trigger} AFTER UPDATE OF raw, gone_at ON ${rows}
      WHEN OLD.raw <> NEW.raw OR OLD.gone_at IS NOT NEW.gone_at
      BEGIN
        INSERT INTO versions (stream, store_id, id, from_batch, to_batch, modified, gone_at, raw)
        VALUES (
          ${literal(stream.name)}, OLD.store_id, OLD.id, OLD.batch, NEW.batch,
          OLD.${quote(stream.cursor)}, OLD.gone_at, OLD.raw
        );
      END`,
    ],
  ]
}

/**
 * The key, and the times by which exports pick rows: a day must not cost the reading of years, rows
 * are wide.
 */
const indexes = (stream: Stream): [string, string][] => {
  const rows = rowTable(stream.name)
  const key: [string, string] = [
    `${rows}_key`,
    `CREATE UNIQUE INDEX ${rows}_key ON ${rows} (store_id, id)`,
  ]
  const cursor: [string, string][] =
    stream.windowing === 'full-refresh'
      ? []
      : [
          [
            `${rows}_cursor`,
            `CREATE INDEX ${rows}_cursor ON ${rows} (store_id, ${quote(stream.cursor)})`,
          ],
        ]
  const booked: [string, string][] =
    stream.bookedAt === undefined
      ? []
      : [
          [
            `${rows}_booked`,
            `CREATE INDEX ${rows}_booked ON ${rows} (store_id, ${bookedAtSql(stream.bookedAt)})`,
          ],
        ]
  return [key, ...cursor, ...booked]
}

function missingLines(table: string, child: ChildTable, existing: ExistingSchema): string[] {
  const changed = Object.entries(child.columns).some(([column, spec]) =>
    hasChanged(existing, table, column, spec),
  )
  return existing.columns(table).size === 0 || changed
    ? [`DROP TABLE IF EXISTS ${table}`, createChild(table, child)]
    : addColumns(table, child.columns, existing).map(({ statement }) => statement)
}

const createChild = (table: string, child: ChildTable): string => {
  const columns = Object.entries(child.columns).map(([name, column]) => definition(name, column))
  return `CREATE TABLE ${table} (
    rid INTEGER NOT NULL,
    line_no INTEGER NOT NULL,
    ${columns.join(', ')},
    PRIMARY KEY (rid, line_no)
  ) STRICT, WITHOUT ROWID`
}

interface MissingColumn {
  name: string
  statement: string
}

const addColumns = (
  table: string,
  columns: Columns,
  existing: ExistingSchema,
  remade: readonly string[] = [],
): MissingColumn[] =>
  Object.entries(columns)
    .filter(([name]) => remade.includes(name) || !existing.columns(table).has(name))
    .map(([name, column]) => ({
      name,
      statement: `ALTER TABLE ${table} ADD COLUMN ${definition(name, column)}`,
    }))
