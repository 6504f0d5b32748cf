import type { Stream } from '../stream.ts'
import { childValues, extract, insertChild, literal, quote, rowTable } from './tables.ts'

/** Parameters of every merge statement: the page, the place of its list, and the positions that are not to be merged. */
const FROM_PAGE = `FROM jsonb_each(@body, @listPath) p`
const NOT_SKIPPED = `p.key NOT IN (SELECT value FROM json_each(@skip))`

export interface MergeStatements {
  /**
   * Insert or update by key; newest `modified` wins, and at equal times the later reading. Rows that are there already,
   * letter for letter, are passed over before any column is computed: windows overlap and lookbacks re-read.
   */
  upsert: string
  /** Children of the rows that this batch has touched: removed, then inserted anew. */
  children: readonly { remove: string; insert: string }[]
  /** Rows of the page that were there already, as they are or newer. */
  countUntouched: string
  maxKey: string
}

/** One set-based statement per table and page. JavaScript touches no field. */
export function mergeStatements(stream: Stream): MergeStatements {
  const rows = rowTable(stream.name)
  const names = Object.keys(stream.columns).map(quote)
  // CROSS JOIN keeps the page outside and the index lookup inside, whatever the planner believes of their sizes.
  const joined = `CROSS JOIN ${rows} r ON r.store_id = @store AND r.id = p.value ->> '$.id'`
  const cursor = quote(stream.cursor)
  return {
    upsert: `INSERT INTO ${rows} (store_id, batch, ${names.join(', ')}, raw)
      SELECT @store, @batch, ${Object.values(stream.columns).map((column) => extract(column, 'p.value')).join(', ')}, json(p.value) ${FROM_PAGE} WHERE ${NOT_SKIPPED}
      AND NOT EXISTS (SELECT 1 FROM ${rows} same WHERE same.store_id = @store AND same.id = p.value ->> '$.id' AND same.raw = json(p.value))
      ON CONFLICT (store_id, id) DO UPDATE SET batch = excluded.batch, ${names.map((name) => `${name} = excluded.${name}`).join(', ')}, raw = excluded.raw
      WHERE coalesce(excluded.${cursor}, 0) > coalesce(${rows}.${cursor}, 0) OR (coalesce(excluded.${cursor}, 0) = coalesce(${rows}.${cursor}, 0) AND excluded.raw <> ${rows}.raw)`,
    children: Object.entries(stream.children).map(([name, child]) => ({
      remove: `DELETE FROM ${rowTable(name)} WHERE rid IN (SELECT r.rid ${FROM_PAGE} ${joined} WHERE r.batch = @batch AND ${NOT_SKIPPED})`,
      insert: `${insertChild(name, child)} SELECT r.rid, c.key + 1, ${childValues(child)} ${FROM_PAGE} ${joined} CROSS JOIN jsonb_each(p.value, ${literal(`$.${child.path}`)}) c
        WHERE r.batch = @batch AND ${NOT_SKIPPED} AND typeof(c.key) = 'integer'`,
    })),
    countUntouched: `SELECT count(*) ${FROM_PAGE} ${joined} WHERE r.batch <> @batch AND ${NOT_SKIPPED}`,
    maxKey: `SELECT coalesce(max(rid), 0) FROM ${rows}`,
  }
}
