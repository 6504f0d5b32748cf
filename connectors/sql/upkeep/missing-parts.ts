import { rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import type { Missing } from '../by-hand.ts'
import { all } from '../steps.ts'
import type { Steps } from '../steps.ts'

/** A table, an index, a trigger or a view, as the database keeps it. */
export interface SchemaPart {
  type: string
  name: string
  /** The statement that made it; of a table nobody compares it. */
  sql: string
  /** Of a table; types included. */
  columns: ReadonlyMap<string, string>
}

/** What is missing of a schema that was made so, and of the rows that the readings brought. */
export function* missingIn(
  { actual, expected }: { actual: readonly SchemaPart[]; expected: readonly SchemaPart[] },
  streams: readonly Stream[],
): Steps<Missing> {
  const has = (table: string): boolean => actual.some(({ name }) => name === table)
  const isReadable = has('readings') && has('forgotten_members')
  const kept = isReadable ? streams.filter(({ name }) => has(rowTable(name))) : []
  return { parts: missingParts(actual, expected), emptied: yield* emptiedLists(kept) }
}

/** What is not there, or not as it was made. What somebody has added is their own. */
function missingParts(actual: readonly SchemaPart[], expected: readonly SchemaPart[]): string[] {
  const found = new Map(actual.map(part => [part.name, part]))
  return expected.flatMap(part => comparePart(found.get(part.name), part))
}

function comparePart(
  found: SchemaPart | undefined,
  { type, name, sql, columns }: SchemaPart,
): string[] {
  if (found?.type !== type) return [`${type} ${name} is missing`]
  if (type === 'table') return [...columns].flatMap(column => compareColumn(found, column))
  return plain(found.sql) === plain(sql)
    ? []
    : [`${type} ${name} differs from the schema of this version`]
}

function compareColumn(
  { name: table, columns }: SchemaPart,
  [name, type]: readonly [name: string, type: string],
): string[] {
  const found = columns.get(name)
  if (found === undefined) return [`column ${name} of table ${table} is missing`]
  return found === type ? [] : [`column ${name} of table ${table} is ${found}, not ${type}`]
}

const plain = (sql: string): string => sql.replaceAll(/\s+/g, ' ').trim()

/**
 * Lists of which rows were stored, and none is there. Deleted records stay as tombstones; only who
 * asks to be forgotten leaves no row.
 */
function* emptiedLists(streams: readonly Stream[]): Steps<Missing['emptied']> {
  const emptied: Missing['emptied'] = []
  for (const { name: stream } of streams) {
    const found = yield* all<{ store: string; stored: number }>(emptiedSql(rowTable(stream)), {
      stream,
    })
    emptied.push(...found.map(({ store, stored }) => ({ store, stream, stored })))
  }
  return emptied
}

const STORED = `sum(CAST(counts ->> 'inserted' AS bigint))`

const emptiedSql = (rows: string): string => `
  SELECT store_id AS store, CAST(${STORED} AS bigint) AS stored
  FROM readings r
  WHERE stream = @stream
    AND NOT EXISTS (SELECT 1 FROM ${rows} t WHERE t.store_id = r.store_id)
    AND NOT EXISTS (SELECT 1 FROM forgotten_members f WHERE f.store_id = r.store_id)
  GROUP BY store_id HAVING ${STORED} > 0`
