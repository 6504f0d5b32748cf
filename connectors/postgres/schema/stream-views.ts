/** What people and exports read of a stream: SQL of its views, derived from its declaration. */
import { quoteName as quote, quoteText as literal } from '../../quote.ts'
import { rowTable } from '../../stream-sql.ts'
import { saysDeleted } from '../../stream.ts'
import type { ColumnKind, Columns, Stream } from '../../stream.ts'

/** The view that shows everything as it is kept: what our own program reads. */
export const storedView = (name: string): string => `${STORED}${name}`

export const STORED = 'stored_'

/** A view, and the statement that makes it. */
type ViewStatement = readonly [name: string, sql: string]

/** A column of a view: its name, its value, and as which type people see it. */
type ViewColumn = readonly [name: string, value: string, kind: ColumnKind]

/**
 * Each view twice, as everything is kept and, under its own name, as the types that it means.
 * `<name>`, its lists of lines, `<name>_seen` and `<name>_versions` hold what SQLite's hold.
 */
export function streamViews(stream: Stream): ViewStatement[] {
  const { name, children } = stream
  const rows = rowTable(name)
  return [
    ...twice(name, recordColumns(stream), `${rows} r`),
    ...Object.entries(children).flatMap(([child, { columns }]) =>
      twice(child, lineColumns(stream, columns), `${rowTable(child)} c JOIN ${rows} r USING (rid)`),
    ),
    ...twice(
      `${name}_seen`,
      [
        ...KEY,
        ['first_seen_at', epochMs('f.read_at'), 'timestamp'],
        ['changed_at', epochMs('c.read_at'), 'timestamp'],
        ['batch', 'r.batch', 'integer'],
      ],
      `${rows} r LEFT JOIN readings f ON f.batch = r.first_batch
       LEFT JOIN readings c ON c.batch = r.batch`,
    ),
    ...twice(`${name}_versions`, VERSION_COLUMNS, versions(stream)),
  ]
}

function twice(name: string, columns: readonly ViewColumn[], from: string): ViewStatement[] {
  const stored = columns.map(([column, value]) => `${value} AS ${quote(column)}`)
  const shown = columns.map(
    ([column, , kind]) => `${shownAs(kind, quote(column))} AS ${quote(column)}`,
  )
  return [
    [
      storedView(name),
      `CREATE VIEW ${storedView(name)} AS SELECT ${stored.join(', ')} FROM ${from}`,
    ],
    [name, `CREATE VIEW ${name} AS SELECT ${shown.join(', ')} FROM ${storedView(name)}`],
  ]
}

/** What is kept, as the type that it means. */
export const shownAs = (kind: ColumnKind, value: string): string => SHOWN[kind](value)

const SHOWN: Readonly<Record<ColumnKind, (value: string) => string>> = {
  text: value => value,
  integer: value => value,
  boolean: value => value,
  decimal: value => `${value}::numeric`,
  timestamp: value => `(timestamptz 'epoch' + ${value} * interval '1 millisecond')`,
  json: value => `${value}::json`,
}

const KEY: readonly ViewColumn[] = [
  ['store_id', 'r.store_id', 'text'],
  ['id', 'r.id', 'text'],
]

const columnsOf = (columns: Columns, of: string): ViewColumn[] =>
  Object.entries(columns).map(([name, { kind }]) => [name, `${of}.${quote(name)}`, kind])

/** Both kinds of tombstones (INV-5): what the API said, and what was missed in a proven reading. */
function recordColumns({ columns, cursor }: Stream): ViewColumn[] {
  const isSaid = saysDeleted({ columns })
  const said = (value: string): string => (isSaid ? ` WHEN r."deleted" THEN ${value}` : '')
  const own = columnsOf(columns, 'r').map(([name, value, kind]): ViewColumn =>
    name === 'deleted' && isSaid
      ? [name, `CASE WHEN r.gone_at IS NULL THEN ${value} ELSE true END`, kind]
      : [name, value, kind],
  )
  const saidAt = said(`coalesce(r.${quote(cursor)}, 0)`)
  return [
    KEY[0]!,
    ...own,
    ['deleted_at', `CASE WHEN r.gone_at IS NOT NULL THEN r.gone_at${saidAt} END`, 'timestamp'],
    [
      'deleted_because',
      `CASE WHEN r.gone_at IS NOT NULL THEN 'absent'${said("'said'")} END`,
      'text',
    ],
    ['raw', 'r.raw', 'json'],
  ]
}

const lineColumns = ({ singular }: Stream, columns: Columns): ViewColumn[] => [
  KEY[0]!,
  [`${singular}_id`, 'r.id', 'text'],
  ['line_no', 'c.line_no', 'integer'],
  ...columnsOf(columns, 'c'),
]

const VERSION_COLUMNS: readonly ViewColumn[] = [
  ...KEY,
  ['from_batch', 'r.from_batch', 'integer'],
  ['to_batch', 'r.to_batch', 'integer'],
  ['seen_from', epochMs('f.read_at'), 'timestamp'],
  ['seen_to', epochMs('t.read_at'), 'timestamp'],
  ['modified', 'r.modified', 'timestamp'],
  ['gone_at', 'r.gone_at', 'timestamp'],
  ['raw', 'r.raw', 'json'],
]

const versions = ({ name, cursor }: Stream): string => `(
    SELECT store_id, id, from_batch, to_batch, modified, gone_at, raw
    FROM versions WHERE stream = ${literal(name)}
    UNION ALL
    SELECT store_id, id, batch, NULL, ${quote(cursor)}, gone_at, raw FROM ${rowTable(name)}
  ) r
  LEFT JOIN readings f ON f.batch = r.from_batch
  LEFT JOIN readings t ON t.batch = r.to_batch`

function epochMs(iso: string): string {
  return `(extract(epoch FROM ${iso}::timestamptz) * 1000)::bigint`
}
