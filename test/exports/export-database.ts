import Database from 'better-sqlite3'
import {
  boolean,
  decimal,
  defineStream,
  integer,
  json,
  person,
  text,
  timestamp,
} from '../../connectors/stream.ts'
import type { Columns, Stream } from '../../connectors/stream.ts'
import { salesStream } from '../connectors/sqlite/sales-stream.ts'
import { addGivenOut } from './history-at.ts'

/** A small stream with a column of every kind, and one child. */
export const sales = salesStream(
  {
    ...text('id', 'name'),
    ...timestamp('modified', 'paidAt'),
    ...decimal('total', 'tax'),
    ...boolean('deleted'),
    ...integer('counter'),
    ...json('tags'),
    ...person.text('buyer'),
  },
  { sale_items: { path: 'items', columns: { ...text('product'), ...decimal('price') } } },
)

/** A stream that is always read whole. */
export const sellers = defineStream({
  ...sales,
  name: 'sellers',
  singular: 'seller',
  windowing: 'full-refresh',
  columns: { ...text('id', 'name'), ...timestamp('modified') },
  children: {},
})

export const testStreams: readonly Stream[] = [sales, sellers]

export type Row = Record<string, string | number | bigint | null>

export interface StoredRecord {
  row: Row
  children?: Record<string, Row[]>
}

const SQL_TYPE = {
  text: 'TEXT',
  integer: 'INTEGER',
  decimal: 'TEXT',
  timestamp: 'INTEGER',
  boolean: 'INTEGER',
  json: 'TEXT',
} as const

/**
 * A database as exports expect it, made from declarations alone: hidden tables, and the views that
 * the contract names. Children are keyed by their parent's row number inside, so that insertion
 * order differs from key order.
 */
export function createDatabase(
  path: string,
  streams: readonly Stream[] = testStreams,
): Database.Database {
  const database = new Database(path)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = OFF')
  addGivenOut(database)
  for (const stream of streams) {
    database.exec(`
      CREATE TABLE _${stream.name} (
        rid INTEGER PRIMARY KEY, store_id TEXT NOT NULL, ${typed(stream.columns)}, raw TEXT,
        UNIQUE (store_id, id));
      CREATE INDEX _${stream.name}_modified ON _${stream.name} (store_id, modified);
      CREATE VIEW "${stream.name}" AS
        SELECT store_id, ${names(stream.columns)}, NULL AS deleted_at, raw FROM _${stream.name}`)
    for (const [name, child] of Object.entries(stream.children))
      database.exec(`
        CREATE TABLE _${name} (
          rid INTEGER, line_no INTEGER, ${typed(child.columns)},
          PRIMARY KEY (rid, line_no)) WITHOUT ROWID;
        CREATE VIEW "${name}" AS
          SELECT parent.store_id, parent.id AS ${stream.singular}_id, line_no,
            ${names(child.columns, 'child.')}
          FROM _${name} AS child JOIN _${stream.name} AS parent USING (rid)`)
  }
  return database
}

/** Columns that a record does not give are NULL. */
export function insertRecords(
  database: Database.Database,
  stream: Stream,
  store: string,
  records: Iterable<StoredRecord>,
): void {
  const insert = (table: string, keys: string[], columns: Columns): Database.Statement => {
    const all = [...keys, ...Object.keys(columns)]
    const quoted = all.map(name => `"${name}"`).join(', ')
    const values = all.map(name => `@${name}`).join(', ')
    return database.prepare(`INSERT INTO _${table} (${quoted}) VALUES (${values})`)
  }
  const blank = (columns: Columns): Row =>
    Object.fromEntries(Object.keys(columns).map(name => [name, null]))
  const parent = insert(stream.name, ['store_id', 'raw'], stream.columns)
  const children = Object.entries(stream.children).map(([name, child]) => ({
    name,
    blank: blank(child.columns),
    statement: insert(name, ['rid', 'line_no'], child.columns),
  }))
  const blankParent = blank(stream.columns)
  database.transaction(() => {
    for (const record of records) {
      const { lastInsertRowid } = parent.run({
        ...blankParent,
        store_id: store,
        raw: '{"secret":"raw"}',
        ...record.row,
      })
      for (const child of children) {
        record.children?.[child.name]?.forEach((row, index) =>
          child.statement.run({ ...child.blank, rid: lastInsertRowid, line_no: index + 1, ...row }),
        )
      }
    }
  })()
}

function typed(columns: Columns): string {
  return Object.entries(columns)
    .map(([name, column]) => `"${name}" ${SQL_TYPE[column.kind]}`)
    .join(', ')
}

function names(columns: Columns, alias = ''): string {
  return Object.keys(columns)
    .map(name => `${alias}"${name}"`)
    .join(', ')
}
