import type { CellTable } from '../../cells.ts'
import { quoteName as quote, quoteText as literal } from '../../quote.ts'
import { bookedAtSql, rowTable } from '../../stream-sql.ts'
import type { Column, ColumnKind, Columns, Stream } from '../../stream.ts'
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

/**
 * A record of a few kilobytes is compressed and stays in its row. By itself the server would try to
 * compress every other column, too, and then keep `raw` in pieces in a table of its own.
 */
export const RECORDS_IN_ROWS = 'WITH (toast_tuple_target = 4096)'

/** A column as a table has it. */
export const definition = (name: string, { kind }: Column): string =>
  `${quote(name)} ${TYPE_OF[kind]}`

const definitions = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, column]) => definition(name, column))
    .join(', ')

/** What the comment of a table says of its columns: as which kind each was declared. */
export const declarationOf = ({ columns }: CellTable): string =>
  Object.entries(columns)
    .map(([name, { kind }]) => `${name} ${kind}`)
    .join(', ')

export const kindsDeclared = (said: string): ReadonlyMap<string, string> =>
  new Map(said.split(', ').map(column => column.split(' ') as [name: string, kind: string]))

/** Rows have a number, which is what lines point at. */
export const createRows = ({ name, columns }: Stream): string =>
  `CREATE TABLE ${rowTable(name)} (
    rid bigint PRIMARY KEY, store_id ${TEXT} NOT NULL, batch bigint NOT NULL,
    first_batch bigint NOT NULL, gone_at bigint, ${definitions(columns)},
    raw ${TEXT} NOT NULL, CHECK (id <> ''))
    ${RECORDS_IN_ROWS}`

export const createLines = ({ name, columns }: CellTable): string =>
  `CREATE TABLE ${rowTable(name)} (
    rid bigint NOT NULL, line_no bigint NOT NULL, ${definitions(columns)},
    PRIMARY KEY (rid, line_no))`

/** The key, and the times by which rows are picked. */
export function indexes(stream: Stream): [name: string, sql: string][] {
  const rows = rowTable(stream.name)
  const on: [name: string, value: string][] = [
    ...(stream.windowing === 'full-refresh'
      ? []
      : [['cursor', quote(stream.cursor)] satisfies [string, string]]),
    ...(stream.bookedAt === undefined
      ? []
      : [['booked', `(${bookedAtSql(stream.bookedAt)})`] satisfies [string, string]]),
  ]
  const key = `${rows}_key`
  return [
    [key, `CREATE UNIQUE INDEX IF NOT EXISTS ${key} ON ${rows} (store_id, id)`],
    ...on.map(([name, value]): [string, string] => [
      `${rows}_${name}`,
      `CREATE INDEX IF NOT EXISTS ${rows}_${name} ON ${rows} (store_id, ${value})`,
    ]),
  ]
}

export function trigger({ name }: Stream): [name: string, sql: string] {
  const rows = rowTable(name)
  return [
    `${rows}_kept`,
    `CREATE OR REPLACE TRIGGER ${rows}_kept AFTER UPDATE OF raw, gone_at ON ${rows} FOR EACH ROW
     WHEN (OLD.raw <> NEW.raw OR OLD.gone_at IS DISTINCT FROM NEW.gone_at)
     EXECUTE FUNCTION keep_version(${literal(name)})`,
  ]
}
