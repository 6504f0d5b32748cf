/** What people and exports read: SQL of the views of a stream, derived from its declaration. */
import { rowTable } from '../../stream-sql.ts'
import { saysDeleted } from '../../stream.ts'
import type { Stream } from '../../stream.ts'
import { literal, quote } from '../connection/sql-text.ts'

/** Epoch milliseconds out of an ISO text. */
const epochMs = (iso: string): string =>
  `CAST(round(unixepoch(${iso}, 'subsec') * 1000) AS INTEGER)`

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
  const saidAt = said(`coalesce(${cursor}, 0)`)
  return {
    deletedAt: `CASE WHEN r.gone_at IS NOT NULL THEN r.gone_at${saidAt} END`,
    because: `CASE WHEN r.gone_at IS NOT NULL THEN 'absent'${said("'said'")} END`,
  }
}

/** The columns of the public view. */
function publicColumns(stream: Stream): string {
  const valueOf = (name: string): string => `r.${quote(name)}`
  const said = saysDeleted(stream) ? valueOf('deleted') : undefined
  const { deletedAt, because } = tombstone(said, valueOf(stream.cursor))
  const columns = Object.keys(stream.columns).map(name => {
    const value = name === 'deleted' && said !== undefined ? isDeleted(said) : valueOf(name)
    return `${value} AS ${quote(name)}`
  })
  return `
    r.store_id,
    ${columns.join(',\n    ')},
    ${deletedAt} AS deleted_at,
    ${because} AS deleted_because,
    r.raw`
}

const isDeleted = (said: string): string => `CASE WHEN r.gone_at IS NULL THEN ${said} ELSE 1 END`

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
  return [
    [name, `CREATE VIEW ${name} AS SELECT ${publicColumns(stream)} FROM ${rows} r`],
    ...Object.entries(stream.children).map(([child, { columns }]): [string, string] => [
      child,
      childView(stream, child, Object.keys(columns)),
    ]),
    [`${name}_seen`, seenView(stream)],
    [`${name}_versions`, versionsView(stream)],
  ]
}

const childView = (stream: Stream, child: string, columns: readonly string[]): string =>
  `
  CREATE VIEW ${child} AS
  SELECT
    r.store_id,
    r.id AS ${stream.singular}_id,
    c.line_no,
    ${columns.map(column => `c.${quote(column)}`).join(', ')}
  FROM ${rowTable(child)} c
  JOIN ${rowTable(stream.name)} r ON r.rid = c.rid`.trim()

const seenView = ({ name }: Stream): string =>
  `
  CREATE VIEW ${name}_seen AS
  SELECT
    r.store_id,
    r.id,
    ${epochMs('f.read_at')} AS first_seen_at,
    ${epochMs('c.read_at')} AS changed_at,
    r.batch
  FROM ${rowTable(name)} r
  LEFT JOIN readings f ON f.batch = r.first_batch
  LEFT JOIN readings c ON c.batch = r.batch`.trim()

const versionsView = ({ name, cursor }: Stream): string =>
  `
  CREATE VIEW ${name}_versions AS
  SELECT
    r.store_id,
    r.id,
    r.from_batch,
    r.to_batch,
    ${epochMs('f.read_at')} AS seen_from,
    ${epochMs('t.read_at')} AS seen_to,
    r.modified,
    r.gone_at,
    r.raw
  FROM versions r
  LEFT JOIN readings f ON f.batch = r.from_batch
  LEFT JOIN readings t ON t.batch = r.to_batch
  WHERE r.stream = ${literal(name)}
  UNION ALL
  SELECT
    r.store_id,
    r.id,
    r.batch,
    NULL,
    ${epochMs('f.read_at')},
    NULL,
    r.${quote(cursor)},
    r.gone_at,
    r.raw
  FROM ${rowTable(name)} r
  LEFT JOIN readings f ON f.batch = r.batch`.trim()
