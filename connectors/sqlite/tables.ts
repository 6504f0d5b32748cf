/**
 * SQL derived from stream declarations. Rows live in `rows_<name>` with an integer key, which keeps inserts of random
 * ids fast and children small; people read the views `<name>`, which show text keys and no bookkeeping.
 */
import type { ChildTable, Column, Stream } from '../stream.ts'

export const rowTable = (name: string): string => `rows_${name}`
export const quote = (name: string): string => `"${name}"`
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

const SQLITE_TYPE: Record<Column['kind'], string> = { text: 'TEXT', integer: 'INTEGER', decimal: 'TEXT', timestamp: 'INTEGER', boolean: 'INTEGER', json: 'TEXT' }

/** What STRICT does not check: a decimal is digits, and a boolean is one. A record that breaks this is a dead letter. */
function check(name: string, kind: Column['kind']): string {
  const column = quote(name)
  if (kind === 'boolean') return ` CHECK (${column} IN (0, 1))`
  if (kind !== 'decimal') return ''
  const exponent = `${column} NOT GLOB '[eE]*' AND ${column} NOT GLOB '*[-+.][eE]*' AND ${column} NOT GLOB '*[eE]*[.eE]*'`
  return ` CHECK (${column} GLOB '*[0-9]' AND ${column} NOT GLOB '*[^-+.0-9eE]*' AND ${column} NOT GLOB '*[-+.0-9][-+]*' AND ${column} NOT GLOB '*.*.*' AND (${column} NOT GLOB '*[eE]*' OR (${exponent})))`
}

const definition = (name: string, column: Column): string => `${quote(name)} ${SQLITE_TYPE[column.kind]}${check(name, column.kind)}`

/** Reads one column out of a JSONB value. `->` keeps the digits of a number token; `->>` would go through a double. */
export function extract(column: Column, value: string): string {
  const path = literal(`$.${column.path}`)
  if (column.kind === 'decimal') return `nullif(trim(${value} -> ${path}, '"'), 'null')`
  if (column.kind === 'json') return `nullif(${value} -> ${path}, 'null')`
  return `${value} ->> ${path}`
}

/** Tables and views of a stream, to run where they are missing. */
export function createStatements(stream: Stream): string[] {
  const rows = rowTable(stream.name)
  const columns = Object.entries(stream.columns).map(([name, column]) => (name === 'id' ? `"id" TEXT NOT NULL CHECK ("id" <> '')` : definition(name, column)))
  return [
    `CREATE TABLE IF NOT EXISTS ${rows} (rid INTEGER PRIMARY KEY, store_id TEXT NOT NULL, batch INTEGER NOT NULL, ${columns.join(', ')}, raw TEXT NOT NULL) STRICT`,
    `CREATE UNIQUE INDEX IF NOT EXISTS ${rows}_key ON ${rows} (store_id, id)`,
    // An export of a day must not read years: rows are wide.
    ...(stream.window === 'whole' ? [] : [`CREATE INDEX IF NOT EXISTS ${rows}_${stream.cursor} ON ${rows} (store_id, ${quote(stream.cursor)})`]),
    ...Object.entries(stream.children).map(
      ([name, child]) =>
        `CREATE TABLE IF NOT EXISTS ${rowTable(name)} (rid INTEGER NOT NULL, line_no INTEGER NOT NULL, ${Object.entries(child.columns).map(([column, spec]) => definition(column, spec)).join(', ')}, PRIMARY KEY (rid, line_no)) STRICT, WITHOUT ROWID`,
    ),
  ]
}

/** Views are made anew at each start, so that they always show the declared columns. */
export function viewStatements(stream: Stream): string[] {
  const rows = rowTable(stream.name)
  const names = Object.keys(stream.columns).map((name) => `r.${quote(name)}`)
  return [
    `DROP VIEW IF EXISTS ${stream.name}`,
    `CREATE VIEW ${stream.name} AS SELECT r.store_id, ${names.join(', ')}, r.raw FROM ${rows} r`,
    ...Object.entries(stream.children).flatMap(([name, child]) => [
      `DROP VIEW IF EXISTS ${name}`,
      `CREATE VIEW ${name} AS SELECT r.store_id, r.id AS ${stream.singular}_id, c.line_no, ${Object.keys(child.columns).map((column) => `c.${quote(column)}`).join(', ')} FROM ${rowTable(name)} c JOIN ${rows} r ON r.rid = c.rid`,
    ]),
  ]
}

/** A column that the table does not have yet is added and filled for all history from `raw`, without asking the API. */
export function addColumnStatements(stream: Stream, existing: (table: string) => ReadonlySet<string>): string[] {
  const rows = rowTable(stream.name)
  const missing = Object.entries(stream.columns).filter(([name]) => !existing(rows).has(name))
  const added = missing.map(([name, column]) => `ALTER TABLE ${rows} ADD COLUMN ${definition(name, column)}`)
  // One by one: a value that does not fit one column must not empty the others.
  const filled = missing.map(([name, column]) => `UPDATE OR IGNORE ${rows} SET ${quote(name)} = ${extract(column, 'jsonb(raw)')}`)
  const children = Object.entries(stream.children).flatMap(([name, child]) => {
    const absent = Object.entries(child.columns).filter(([column]) => !existing(rowTable(name)).has(column))
    if (absent.length === 0) return []
    return [
      ...absent.map(([column, spec]) => `ALTER TABLE ${rowTable(name)} ADD COLUMN ${definition(column, spec)}`),
      `DELETE FROM ${rowTable(name)}`,
      `${insertChild(name, child)} SELECT r.rid, c.key + 1, ${childValues(child)} FROM ${rows} r, json_each(r.raw, ${literal(`$.${child.path}`)}) c WHERE typeof(c.key) = 'integer'`,
    ]
  })
  return [...added, ...filled, ...children]
}

const insertChild = (name: string, child: ChildTable): string => `INSERT INTO ${rowTable(name)} (rid, line_no, ${Object.keys(child.columns).map(quote).join(', ')})`
const childValues = (child: ChildTable): string => Object.values(child.columns).map((column) => extract(column, 'c.value')).join(', ')

/** Parameters of every merge statement: the page, the place of its list, and the positions that are not to be merged. */
const FROM_PAGE = `FROM jsonb_each(@body, @listPath) p`
const NOT_SKIPPED = `p.key NOT IN (SELECT value FROM json_each(@skip))`

export interface MergeStatements {
  /**
   * Insert or update by key; newest `modified` wins, and at equal times the later reading. Rows that are there already,
   * letter for letter, are passed over before any column is computed: windows overlap and lookbacks re-read.
   */
  upsert: string
  /** Children of the rows that this batch has touched: removed, then inserted anew. */
  children: readonly { remove: string; insert: string }[]
  /** Rows of the page that were there already, as they are or newer. */
  countUntouched: string
  maxKey: string
}

/** One set-based statement per table and page. JavaScript touches no field. */
export function mergeStatements(stream: Stream): MergeStatements {
  const rows = rowTable(stream.name)
  const names = Object.keys(stream.columns).map(quote)
  // CROSS JOIN keeps the page outside and the index lookup inside, whatever the planner believes of their sizes.
  const joined = `CROSS JOIN ${rows} r ON r.store_id = @store AND r.id = p.value ->> '$.id'`
  const cursor = quote(stream.cursor)
  return {
    upsert: `INSERT INTO ${rows} (store_id, batch, ${names.join(', ')}, raw)
      SELECT @store, @batch, ${Object.values(stream.columns).map((column) => extract(column, 'p.value')).join(', ')}, json(p.value) ${FROM_PAGE} WHERE ${NOT_SKIPPED}
      AND NOT EXISTS (SELECT 1 FROM ${rows} same WHERE same.store_id = @store AND same.id = p.value ->> '$.id' AND same.raw = json(p.value))
      ON CONFLICT (store_id, id) DO UPDATE SET batch = excluded.batch, ${names.map((name) => `${name} = excluded.${name}`).join(', ')}, raw = excluded.raw
      WHERE coalesce(excluded.${cursor}, 0) > coalesce(${rows}.${cursor}, 0) OR (coalesce(excluded.${cursor}, 0) = coalesce(${rows}.${cursor}, 0) AND excluded.raw <> ${rows}.raw)`,
    children: Object.entries(stream.children).map(([name, child]) => ({
      remove: `DELETE FROM ${rowTable(name)} WHERE rid IN (SELECT r.rid ${FROM_PAGE} ${joined} WHERE r.batch = @batch AND ${NOT_SKIPPED})`,
      insert: `${insertChild(name, child)} SELECT r.rid, c.key + 1, ${childValues(child)} ${FROM_PAGE} ${joined} CROSS JOIN jsonb_each(p.value, ${literal(`$.${child.path}`)}) c
        WHERE r.batch = @batch AND ${NOT_SKIPPED} AND typeof(c.key) = 'integer'`,
    })),
    countUntouched: `SELECT count(*) ${FROM_PAGE} ${joined} WHERE r.batch <> @batch AND ${NOT_SKIPPED}`,
    maxKey: `SELECT coalesce(max(rid), 0) FROM ${rows}`,
  }
}
