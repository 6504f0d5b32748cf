import { CompiledQuery } from 'kysely'
import type { Kysely } from 'kysely'
import type { Difference, DifferentRow, RecordsToCompare } from '../../destination/rows.ts'
import { createRecognition } from '../../people/forgotten.ts'
import { scrubRecord } from '../../people/scrub-record.ts'
import type { Statement } from '../../sql/connection.ts'
import { sameContent, sameWhereBoth } from '../../sql/rows/same-content.ts'
import type { Schema } from '../../sql/schema.ts'
import { keySql, rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import { extractOrNull, instant, literal, quote } from '../connection/sql-text.ts'
import { lineValue, linesFromRaw } from '../schema/stream-tables.ts'

interface ComparedRow extends DifferentRow {
  /** Both JSON texts where they are not the same letter for letter. */
  ours: string | null
  theirs: string
}

/** Compares records of the API with what the database holds of them: `Rows.compare`. */
export async function compareRows(
  db: Kysely<Schema>,
  store: string,
  stream: Stream,
  { records, readAtMs, fields }: RecordsToCompare,
): Promise<DifferentRow[]> {
  const isSame = fields === 'all' ? sameContent : sameWhereBoth
  const isForgotten = await readForgotten(db, store)
  const { rows } = await db.executeQuery<ComparedRow>(
    CompiledQuery.raw(comparison(stream), [`[${records.join(',')}]`, store, readAtMs]),
  )
  return rows
    .filter(({ difference, ours, theirs, id }) => {
      if (difference === 'missing') return isForgotten?.(id) !== true
      if (difference !== 'differs' || ours === null) return true
      return !isSame(
        ours,
        isForgotten === undefined ? theirs : (scrubRecord(theirs, isForgotten) ?? ''),
      )
    })
    .map(({ id, difference, modified }) => ({ id, difference, modified }))
}

/** People who were forgotten are missing on purpose; undefined where nobody was. */
async function readForgotten(
  db: Kysely<Schema>,
  store: string,
): Promise<((id: string) => boolean) | undefined> {
  const all = await db
    .selectFrom('forgotten_members')
    .select(['hash', 'salt', 'length'])
    .where('store_id', '=', store)
    .execute()
  return all.length === 0 ? undefined : createRecognition(all).isForgotten
}

function comparison(stream: Stream): string {
  const key = `CAST(${keySql(stream, 'p.value')} AS TEXT)`
  const modified = instant(stream, 'p.value')
  return `
  WITH input (records, store, read_at) AS (SELECT jsonb(?), ?, ?),
  compared AS MATERIALIZED (
    SELECT
      ${key} AS id,
      ${modified} AS modified,
      r.raw AS ours,
      json(p.value) AS theirs,
      ${differenceOf(stream, modified)} AS difference
    FROM input i
    CROSS JOIN jsonb_each(i.records) p
    LEFT JOIN ${rowTable(stream.name)} r ON r.store_id = i.store AND r.id = ${key}
    LEFT JOIN dead_letters d
      ON d.store_id = i.store AND d.stream = ${literal(stream.name)} AND d.record_key = ${key}
    WHERE coalesce(${key}, '') <> ''
  )
  SELECT
    id,
    modified,
    difference,
    CASE WHEN difference = 'differs' AND json_valid(ours) THEN ours END AS ours,
    CASE difference WHEN 'differs' THEN theirs ELSE '' END AS theirs
  FROM compared WHERE difference <> 'same'`
}

/** A `Difference`, or `same`, of the row `r` and the record `p` that was modified at that time. */
const differenceOf = (stream: Stream, modified: string): string => `
      CASE
        WHEN r.rid IS NULL THEN
          CASE
            WHEN coalesce(${modified}, 0) > i.read_at THEN 'changed'
            WHEN d.record_key IS NOT NULL THEN 'same'
            ELSE 'missing'
          END
        WHEN r.gone_at IS NOT NULL THEN
          CASE WHEN coalesce(${modified}, 0) > r.gone_at THEN 'changed' ELSE 'gone' END
        WHEN NOT json_valid(r.raw) THEN 'differs'
        WHEN ${[...columnDifferences(stream), ...lineDifferences(stream)].join(' OR ')}
          THEN 'inconsistent'
        WHEN r.raw = json(p.value) THEN 'same'
        WHEN coalesce(${modified}, 0) > coalesce(r.${quote(stream.cursor)}, 0) THEN 'changed'
        ELSE 'differs'
      END`

/**
 * Rows whose columns or lines are not what their own record says, of all stores: somebody, or a
 * disk, has changed a digit in the one or the other. No page has to be damaged for that.
 */
export const inconsistentRows = (stream: Stream): string => `
  SELECT r.store_id AS store, r.id
  FROM ${rowTable(stream.name)} r
  WHERE CASE
    WHEN NOT json_valid(r.raw) THEN 1
    WHEN ${[...columnDifferences(stream), ...lineDifferences(stream)].join(' OR ')} THEN 1
    ELSE 0
  END`

/** Conditions: a column of the row is not what its own record says. */
const columnDifferences = (stream: Stream): string[] =>
  Object.entries(stream.columns).map(([name, column]) => {
    const kept =
      name === 'id' ? `CAST(${keySql(stream, 'r.raw')} AS TEXT)` : extractOrNull(column, 'r.raw')
    return `r.${quote(name)} IS NOT (${kept})`
  })

/** Conditions: the lines of the row are not those of its own record. */
const lineDifferences = (stream: Stream): string[] =>
  Object.entries(stream.children).flatMap(([name, child]) => {
    const lines = `json_each(r.raw, ${literal(`$.${child.path}`)}) c`
    const values = Object.entries(child.columns).map(
      ([column, spec]) => `k.${quote(column)} IS NOT (${lineValue(spec)})`,
    )
    return [
      `EXISTS (
        SELECT 1 FROM ${lines}
        LEFT JOIN ${rowTable(name)} k ON k.rid = r.rid AND k.line_no = c.key + 1
        WHERE typeof(c.key) = 'integer' AND (k.rid IS NULL OR ${values.join(' OR ')})
      )`,
      `(SELECT count(*) FROM ${rowTable(name)} k WHERE k.rid = r.rid)
        <> (SELECT count(*) FROM ${lines} WHERE typeof(c.key) = 'integer')`,
    ]
  })

/**
 * Makes rows right again as far as we can by ourselves, in one transaction: columns and lines are
 * read anew out of the kept record, and a record that differs forgets its `modified`, so that the
 * next reading of its window replaces it and keeps it as a version.
 */
export function repairStatements(
  stream: Stream,
  store: string,
  found: readonly DifferentRow[],
): Statement[] {
  const rows = rowTable(stream.name)
  const idsOf = (difference: Difference): string =>
    JSON.stringify(found.filter(row => row.difference === difference).map(({ id }) => id))
  const chosen = `store_id = ? AND id IN (SELECT value FROM json_each(?))`
  const parameters = [store, idsOf('inconsistent')]
  const columns = Object.entries(stream.columns)
    .filter(([name]) => name !== 'id')
    .map(([name, column]) => `${quote(name)} = ${extractOrNull(column, 'raw')}`)
  return [
    {
      sql: `UPDATE ${rows} SET ${columns.join(', ')} WHERE ${chosen}`,
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
