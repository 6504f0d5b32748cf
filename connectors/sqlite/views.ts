/** What people and exports read: SQL of the views of a stream, derived from its declaration. */
import type { Column, Stream } from '../stream.ts'

export const rowTable = (name: string): string => `rows_${name}`
export const quote = (name: string): string => `"${name}"`
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * Reads one column out of a JSONB value. `->` keeps the digits of a number token; `->>` would go
 * through a double.
 */
export function extract(column: Column, value: string): string {
  const path = literal(`$.${column.path}`)
  if (column.kind === 'decimal') return `nullif(trim(${value} -> ${path}, '"'), 'null')`
  if (column.kind === 'json') return `nullif(${value} -> ${path}, 'null')`
  return `${value} ->> ${path}`
}

/**
 * A decimal is spelled as JSON spells numbers, also where it came as a text. `json_valid` is one
 * quick parse where patterns would need six.
 */
export const isDecimal = (value: string): string =>
  `${value} GLOB '[-0-9]*' AND ${value} GLOB '*[0-9]' AND json_valid(${value})`

/**
 * The same out of a record that is in the tables already, whose field may not fit a column that was
 * declared later: what the loader would have stored, and nothing where it would have refused the
 * record.
 */
export function extractOrNull(column: Column, value: string): string {
  const found = extract(column, value)
  if (column.kind === 'text' || column.kind === 'json') return found
  if (column.kind === 'decimal') return `CASE WHEN ${isDecimal(found)} THEN ${found} END`
  // A text that is a number counts, as it does on the way into the table: compared with a number it
  // becomes one.
  const number = `CAST(CAST(${found} AS NUMERIC) AS INTEGER)`
  return `CASE WHEN ${number} = (${found})${column.kind === 'boolean' ? ` AND ${number} IN (0, 1)` : ''} THEN ${number} END`
}

/** Epoch milliseconds out of an ISO text. */
const epochMs = (iso: string): string =>
  `CAST(round(unixepoch(${iso}, 'subsec') * 1000) AS INTEGER)`

/** The column in which the API itself says that a record is deleted. */
const saysDeleted = (stream: Stream): boolean => stream.columns['deleted']?.kind === 'boolean'

/**
 * `deleted` is true, and `deleted_at` (epoch milliseconds) is set, for both kinds of tombstones
 * (INV-5): `said`, the API's own word, dated by that version's `modified`, and `absent`, missed in
 * a proven reading, dated by that reading.
 */
function tombstone(
  deleted: string | undefined,
  cursor: string,
): { deletedAt: string; because: string } {
  const said = (value: string): string =>
    deleted === undefined ? '' : ` WHEN ${deleted} = 1 THEN ${value}`
  return {
    deletedAt: `CASE WHEN r.gone_at IS NOT NULL THEN r.gone_at${said(`coalesce(${cursor}, 0)`)} END`,
    because: `CASE WHEN r.gone_at IS NOT NULL THEN 'absent'${said("'said'")} END`,
  }
}

/**
 * The columns of the public view: of the stored row, or read out of `raw` where only that was kept.
 */
function publicColumns(stream: Stream, from: 'columns' | 'raw'): string {
  const valueOf = (name: string): string =>
    from === 'columns' || name === 'id'
      ? `r.${quote(name)}`
      : extractOrNull(stream.columns[name]!, 'r.raw')
  const { deletedAt, because } = tombstone(
    saysDeleted(stream) ? valueOf('deleted') : undefined,
    valueOf(stream.cursor),
  )
  const columns = Object.keys(stream.columns).map(
    name =>
      `${name === 'deleted' && saysDeleted(stream) ? `CASE WHEN r.gone_at IS NULL THEN ${valueOf(name)} ELSE 1 END` : valueOf(name)} AS ${quote(name)}`,
  )
  return `r.store_id, ${columns.join(', ')}, ${deletedAt} AS deleted_at, ${because} AS deleted_because, r.raw`
}

/**
 * - `<name>`: one row for each record, tombstones included; nothing in it depends on when something
 *   was read.
 * - `<child>`: the lines, with the parent's key.
 * - `<name>_seen`: when a record was first seen and last changed, epoch milliseconds.
 * - `<name>_versions`: every state of every record that was seen; the one that stands has no
 *   `to_batch`.
 */
export function views(stream: Stream): [string, string][] {
  const { name } = stream
  const rows = rowTable(name)
  const versions = (columns: string, from: string, until: string): string =>
    `SELECT ${columns} FROM ${from} LEFT JOIN readings f ON f.batch = ${until}`
  return [
    [name, `CREATE VIEW ${name} AS SELECT ${publicColumns(stream, 'columns')} FROM ${rows} r`],
    ...Object.entries(stream.children).map(([child, { columns }]): [string, string] => [
      child,
      `CREATE VIEW ${child} AS SELECT r.store_id, r.id AS ${stream.singular}_id, c.line_no, ${Object.keys(
        columns,
      )
        .map(column => `c.${quote(column)}`)
        .join(', ')} FROM ${rowTable(child)} c JOIN ${rows} r ON r.rid = c.rid`,
    ]),
    [
      `${name}_seen`,
      `CREATE VIEW ${name}_seen AS SELECT r.store_id, r.id, ${epochMs('f.read_at')} AS first_seen_at, ${epochMs('c.read_at')} AS changed_at, r.batch FROM ${rows} r LEFT JOIN readings f ON f.batch = r.first_batch LEFT JOIN readings c ON c.batch = r.batch`,
    ],
    [
      `${name}_versions`,
      `CREATE VIEW ${name}_versions AS ${versions(`r.store_id, r.id, r.from_batch, r.to_batch, ${epochMs('f.read_at')} AS seen_from, ${epochMs('t.read_at')} AS seen_to, r.modified, r.gone_at, r.raw`, 'versions r', 'r.from_batch')} LEFT JOIN readings t ON t.batch = r.to_batch WHERE r.stream = ${literal(name)} UNION ALL ` +
        versions(
          `r.store_id, r.id, r.batch, NULL, ${epochMs('f.read_at')}, NULL, r.${quote(stream.cursor)}, r.gone_at, r.raw`,
          `${rows} r`,
          'r.batch',
        ),
    ],
  ]
}

/**
 * The public view as it was after batch `@batch`, as a query for `(...)`: records that came later
 * are not in it, and those that changed later are as they were. Batches are the numbers of
 * `readings`.
 */
export const rowsAsOf = (stream: Stream): string =>
  `SELECT ${publicColumns(stream, 'columns')} FROM ${rowTable(stream.name)} r WHERE r.batch <= @batch UNION ALL ` +
  `SELECT ${publicColumns(stream, 'raw')} FROM versions r WHERE r.stream = ${literal(stream.name)} AND r.from_batch <= @batch AND r.to_batch > @batch`
