import { keySql } from '../stream.ts'
import type { Stream } from '../stream.ts'
import { childValues, insertChild } from './tables.ts'
import { extract, literal, quote, rowTable } from './views.ts'

/**
 * Parameters of every merge statement: the page, the place of its list, and the positions that are
 * not to be merged.
 */
const FROM_PAGE = `FROM jsonb_each(@body, @listPath) p`
const NOT_SKIPPED = `p.key NOT IN (SELECT value FROM json_each(@skip))`

export interface MergeStatements {
  /**
   * Insert or update by key; newest `modified` wins, and at equal times the later reading. Rows
   * that are there already, letter for letter, are passed over before any column is computed:
   * windows overlap and lookbacks re-read. A row that was gone comes back as it is seen now.
   */
  upsert: string
  /** Children of the rows that this batch has touched: removed, then inserted anew. */
  children: readonly { remove: string; insert: string }[]
  /** Rows of the page that were there already, and how many of them newer than on the page. */
  countUntouched: string
  /** Positions of rows that are older than what is there. */
  older: string
  /**
   * Keeps the rows at the positions `@only` as versions that never stood, unless they are known.
   */
  keep: string
  /** Tombstones for the rows `@ids`. */
  markGone: string
  /**
   * Rows modified within [@startMs, @endMs) that this batch brought; edits that left `modified` as
   * it was are none.
   */
  arrived: string
  maxKey: string
}

/** One set-based statement per table and page. JavaScript touches no field. */
export function mergeStatements(stream: Stream): MergeStatements {
  const rows = rowTable(stream.name)
  const names = Object.keys(stream.columns).map(quote)
  const key = keySql(stream, 'p.value')
  // Lines that are no list would vanish without a word; a record without a key is one that no table
  // takes.
  const noLists = Object.values(stream.children).map(
    ({ path }) => `json_type(p.value, ${literal(`$.${path}`)}) NOT IN ('array', 'null')`,
  )
  const takenKey =
    noLists.length === 0 ? key : `CASE WHEN ${noLists.join(' OR ')} THEN NULL ELSE ${key} END`
  const values = Object.entries(stream.columns).map(([name, column]) =>
    name === 'id' ? takenKey : extract(column, 'p.value'),
  )
  // CROSS JOIN keeps the page outside and the index lookup inside, whatever the planner believes of
  // their sizes.
  const joined = `CROSS JOIN ${rows} r ON r.store_id = @store AND r.id = ${key}`
  const cursor = quote(stream.cursor)
  const modified = extract(stream.columns[stream.cursor]!, 'p.value')
  const isOlder = `coalesce(${modified}, 0) < coalesce(r.${cursor}, 0)`
  return {
    upsert: `INSERT INTO ${rows} (store_id, batch, first_batch, ${names.join(', ')}, raw)
      SELECT @store, @batch, @batch, ${values.join(', ')}, json(p.value) ${FROM_PAGE} WHERE ${NOT_SKIPPED}
      AND NOT EXISTS (SELECT 1 FROM ${rows} same WHERE same.store_id = @store AND same.id = ${key} AND same.raw = json(p.value) AND same.gone_at IS NULL AND same.${cursor} IS ${modified})
      ON CONFLICT (store_id, id) DO UPDATE SET batch = excluded.batch, gone_at = NULL, ${names.map(name => `${name} = excluded.${name}`).join(', ')}, raw = excluded.raw
      WHERE coalesce(excluded.${cursor}, 0) > coalesce(${rows}.${cursor}, 0) OR (coalesce(excluded.${cursor}, 0) = coalesce(${rows}.${cursor}, 0) AND excluded.raw <> ${rows}.raw) OR ${rows}.gone_at IS NOT NULL`,
    children: Object.entries(stream.children).map(([name, child]) => ({
      remove: `DELETE FROM ${rowTable(name)} WHERE rid IN (SELECT r.rid ${FROM_PAGE} ${joined} WHERE r.batch = @batch AND ${NOT_SKIPPED})`,
      insert: `${insertChild(name, child)} SELECT r.rid, c.key + 1, ${childValues(child)} ${FROM_PAGE} ${joined} CROSS JOIN jsonb_each(p.value, ${literal(`$.${child.path}`)}) c
        WHERE r.batch = @batch AND ${NOT_SKIPPED} AND typeof(c.key) = 'integer'`,
    })),
    countUntouched: `SELECT count(*) AS untouched, coalesce(sum(${isOlder}), 0) AS older ${FROM_PAGE} ${joined} WHERE r.batch <> @batch AND ${NOT_SKIPPED}`,
    older: `SELECT p.key ${FROM_PAGE} ${joined} WHERE r.batch <> @batch AND ${NOT_SKIPPED} AND ${isOlder}`,
    keep: `INSERT INTO versions (stream, store_id, id, from_batch, to_batch, modified, raw)
      SELECT ${literal(stream.name)}, @store, r.id, @batch, @batch, ${modified}, json(p.value) ${FROM_PAGE} ${joined}
      WHERE p.key IN (SELECT value FROM json_each(@only)) AND r.raw <> json(p.value)
      AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.stream = ${literal(stream.name)} AND v.store_id = @store AND v.id = r.id AND v.raw = json(p.value))`,
    markGone: `UPDATE ${rows} SET gone_at = @goneAtMs, batch = @batch WHERE store_id = @store AND id IN (SELECT value FROM json_each(@ids)) AND gone_at IS NULL`,
    arrived: `SELECT count(*) AS records, min(r.${cursor}) AS oldestMs FROM ${rows} r WHERE r.store_id = @store AND r.${cursor} >= @startMs AND r.${cursor} < @endMs AND r.batch = @batch AND r.gone_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.stream = ${literal(stream.name)} AND v.store_id = @store AND v.id = r.id AND v.to_batch = @batch AND (v.modified IS NULL OR v.modified = r.${cursor}))`,
    maxKey: `SELECT coalesce(max(rid), 0) FROM ${rows}`,
  }
}
