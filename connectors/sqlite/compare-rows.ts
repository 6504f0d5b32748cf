import { CompiledQuery } from 'kysely'
import type { Kysely } from 'kysely'
import { keySql } from '../stream.ts'
import type { Stream } from '../stream.ts'
import type { Schema } from './schema.ts'
import { lineValue, linesFromRaw } from './tables.ts'
import { extractOrNull, literal, quote, rowTable } from './views.ts'
import type { Statement } from './window-store.ts'

/**
 * How a row of ours stands against the same record at the API: `inconsistent`: its columns or lines
 * are not what its own record says; `differs`: the record is another one; `missing`: we lack what
 * was there when we read; `gone`: we hold it as gone, and the API has it, not changed since;
 * `changed`: the API has a newer state than ours, which is no mistake.
 */
export type Difference = 'inconsistent' | 'differs' | 'missing' | 'gone' | 'changed'

export interface DifferentRow {
  id: string
  difference: Difference
  /** The API's `modified`, where it says one. */
  modified: number | null
}

interface Found extends DifferentRow {
  ours: string | null
  theirs: string
}

/**
 * Compares each record of a page with what the database holds of it. Rows that are dead letters are
 * known to be missing, and a record without a key can be nothing else. `same` judges two records
 * whose JSON is not the same letter for letter.
 */
export async function compareRows(
  db: Kysely<Schema>,
  stream: Stream,
  store: string,
  page: { body: Uint8Array; listPath: string },
  readAtMs: number,
  same = sameContent,
): Promise<DifferentRow[]> {
  const { rows } = await db.executeQuery<Found>(
    CompiledQuery.raw(comparison(stream), [page.body, page.listPath, store, readAtMs]),
  )
  return rows
    .filter(
      ({ difference, ours, theirs }) =>
        difference !== 'differs' || ours === null || !same(ours, theirs),
    )
    .map(({ id, difference, modified }) => ({ id, difference, modified }))
}

function comparison(stream: Stream): string {
  const rows = rowTable(stream.name)
  const key = `CAST(${keySql(stream, 'p.value')} AS TEXT)`
  const cursor = `p.value ->> ${literal(`$.${stream.columns[stream.cursor]!.path}`)}`
  const ownColumns = Object.entries(stream.columns).map(
    ([name, column]) =>
      `r.${quote(name)} IS NOT (${name === 'id' ? `CAST(${keySql(stream, 'r.raw')} AS TEXT)` : extractOrNull(column, 'r.raw')})`,
  )
  const ownLines = Object.entries(stream.children).flatMap(([name, child]) => {
    const lines = `json_each(r.raw, ${literal(`$.${child.path}`)}) c`
    const values = Object.entries(child.columns).map(
      ([column, spec]) => `k.${quote(column)} IS NOT (${lineValue(spec)})`,
    )
    return [
      `EXISTS (SELECT 1 FROM ${lines} LEFT JOIN ${rowTable(name)} k ON k.rid = r.rid AND k.line_no = c.key + 1 WHERE typeof(c.key) = 'integer' AND (k.rid IS NULL OR ${values.join(' OR ')}))`,
      `(SELECT count(*) FROM ${rowTable(name)} k WHERE k.rid = r.rid) <> (SELECT count(*) FROM ${lines} WHERE typeof(c.key) = 'integer')`,
    ]
  })
  return `WITH input (body, list_path, store, read_at) AS (SELECT ?, ?, ?, ?), compared AS (
    SELECT ${key} AS id, ${cursor} AS modified, r.raw AS ours, json(p.value) AS theirs, CASE
      WHEN r.rid IS NULL THEN CASE WHEN coalesce(${cursor}, 0) > i.read_at THEN 'changed' WHEN d.record_key IS NOT NULL THEN 'same' ELSE 'missing' END
      WHEN r.gone_at IS NOT NULL THEN CASE WHEN coalesce(${cursor}, 0) > r.gone_at THEN 'changed' ELSE 'gone' END
      WHEN NOT json_valid(r.raw) THEN 'differs'
      WHEN ${[...ownColumns, ...ownLines].join(' OR ')} THEN 'inconsistent'
      WHEN r.raw = json(p.value) THEN 'same'
      WHEN coalesce(${cursor}, 0) > coalesce(r.${quote(stream.cursor)}, 0) THEN 'changed'
      ELSE 'differs' END AS difference
    FROM input i CROSS JOIN jsonb_each(i.body, i.list_path) p
    LEFT JOIN ${rows} r ON r.store_id = i.store AND r.id = ${key}
    LEFT JOIN dead_letters d ON d.store_id = i.store AND d.stream = ${literal(stream.name)} AND d.record_key = ${key} WHERE coalesce(${key}, '') <> '')
  SELECT id, modified, difference, CASE WHEN difference = 'differs' AND json_valid(ours) THEN ours END AS ours, CASE difference WHEN 'differs' THEN theirs ELSE '' END AS theirs FROM compared WHERE difference <> 'same'`
}

/**
 * Makes rows right again as far as we can by ourselves, in one transaction: columns and lines are
 * read anew out of the kept record, and a record that differs forgets its `modified`, so that the
 * next reading of its window replaces it and keeps it as a version.
 */
export function mendRows(
  stream: Stream,
  store: string,
  found: readonly DifferentRow[],
): Statement[] {
  const rows = rowTable(stream.name)
  const idsOf = (difference: Difference): string =>
    JSON.stringify(found.filter(row => row.difference === difference).map(({ id }) => id))
  const chosen = `store_id = ? AND id IN (SELECT value FROM json_each(?))`
  const parameters = [store, idsOf('inconsistent')]
  const columns = Object.entries(stream.columns).filter(([name]) => name !== 'id')
  return [
    {
      sql: `UPDATE ${rows} SET ${columns.map(([name, column]) => `${quote(name)} = ${extractOrNull(column, 'raw')}`).join(', ')} WHERE ${chosen}`,
      parameters,
    },
    ...Object.entries(stream.children).flatMap(([name, child]) => [
      {
        sql: `DELETE FROM ${rowTable(name)} WHERE rid IN (SELECT rid FROM ${rows} WHERE ${chosen})`,
        parameters,
      },
      {
        sql: `${linesFromRaw(stream, name, child)} AND ${chosen.replace('id IN', 'r.id IN')}`,
        parameters,
      },
    ]),
    {
      sql: `UPDATE ${rows} SET ${quote(stream.cursor)} = NULL WHERE ${chosen}`,
      parameters: [store, idsOf('differs')],
    },
  ]
}

/** The same content may be spelled in another order of keys; other digits are other content. */
export const sameContent = (ours: string, theirs: string): boolean =>
  canonicalJson(ours) === canonicalJson(theirs)

/**
 * Asked for by its id, a record may carry more or less than in a list: what both carry must be the
 * same.
 */
export function sameWhereBoth(ours: string, theirs: string): boolean {
  const both = (one: unknown, other: unknown): boolean => {
    if (Array.isArray(one) && Array.isArray(other))
      return one.length === other.length && one.every((item, index) => both(item, other[index]))
    if (!isObject(one) || !isObject(other)) return one === other
    return Object.keys(one).every(key => !Object.hasOwn(other, key) || both(one[key], other[key]))
  }
  return both(JSON.parse(ours, keepDigits), JSON.parse(theirs, keepDigits))
}

/** The same text for the same content: keys sorted, numbers with the digits that they came with. */
export function canonicalJson(text: string): string {
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : isObject(value)
        ? Object.fromEntries(
            Object.entries(value)
              .toSorted(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, inner]) => [key, sorted(inner)]),
          )
        : value
  try {
    return JSON.stringify(sorted(JSON.parse(text, keepDigits)))
  } catch {
    return text
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A number becomes a text with its own digits, which no text of a record begins like. */
const keepDigits = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? `\u0000${context?.source ?? String(value)}` : value
