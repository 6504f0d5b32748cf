import { cellTables } from '../../cells.ts'
import { quoteName as quote, quoteText as literal } from '../../quote.ts'
import { rowTable } from '../../sql/row-table.ts'
import { bookedAtSql } from '../../stream-sql.ts'
import type { ColumnKind, Columns, Stream } from '../../stream.ts'
import { TEXT } from './bookkeeping.ts'

/** Decimals are kept as they were spelled, with every digit; the views make numbers of them. */
export const TYPE_OF: Readonly<Record<ColumnKind, string>> = {
  text: TEXT,
  decimal: TEXT,
  json: TEXT,
  integer: 'bigint',
  timestamp: 'bigint',
  boolean: 'boolean',
}

export const definitions = (columns: Columns): string[] =>
  Object.entries(columns).map(([name, { kind }]) => `${quote(name)} ${TYPE_OF[kind]}`)

/** What a stream has in a new database: rows by a number, which is what lines point at. */
export function streamTables(stream: Stream): string[] {
  const [own, ...lists] = cellTables(stream)
  const rows = rowTable(stream.name)
  return [
    `CREATE TABLE ${rows} (
      rid bigint PRIMARY KEY, store_id ${TEXT} NOT NULL, batch bigint NOT NULL,
      first_batch bigint NOT NULL, gone_at bigint, ${definitions(own!.columns).join(', ')},
      raw ${TEXT} NOT NULL, CHECK (id <> ''))`,
    `CREATE UNIQUE INDEX ${rows}_key ON ${rows} (store_id, id)`,
    ...indexes(stream).map(
      ([name, value]) => `CREATE INDEX ${rows}_${name} ON ${rows} (store_id, ${value})`,
    ),
    ...lists.map(
      ({ name, columns }) =>
        `CREATE TABLE ${rowTable(name)} (
          rid bigint NOT NULL, line_no bigint NOT NULL, ${definitions(columns).join(', ')},
          PRIMARY KEY (rid, line_no))`,
    ),
    `CREATE TRIGGER ${rows}_kept AFTER UPDATE OF raw, gone_at ON ${rows} FOR EACH ROW
     WHEN (OLD.raw <> NEW.raw OR OLD.gone_at IS DISTINCT FROM NEW.gone_at)
     EXECUTE FUNCTION keep_version(${literal(stream.name)})`,
  ]
}

/** The times by which rows are picked. */
const indexes = (stream: Stream): [name: string, value: string][] => [
  ...(stream.windowing === 'full-refresh'
    ? []
    : [['cursor', quote(stream.cursor)] satisfies [string, string]]),
  ...(stream.bookedAt === undefined
    ? []
    : [['booked', `(${bookedAtSql(stream.bookedAt)})`] satisfies [string, string]]),
]
