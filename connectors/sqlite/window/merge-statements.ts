import { keySql } from '../../stream-sql.ts'
import type { ChildTable, Column, Columns, Stream } from '../../stream.ts'
import { extract, instant, literal, quote, rowTable } from '../connection/sql-text.ts'
import { insertChild } from '../schema/stream-tables.ts'
import { duplicateKeys } from './duplicate-keys.ts'

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
   * windows overlap and lookbacks re-read. So are, at equal times, those with the same content in
   * another order of keys: a server that has none would change every row. A row that was gone comes
   * back as it is seen now, unless it was found to be gone after the reading `@since`: then the
   * page is older than that.
   */
  upsert: string
  /** Children of the rows that this batch has touched: removed, then inserted anew. */
  children: readonly { remove: string; insert: string }[]
  /** Rows of the page that were there already, and how many of them newer than on the page. */
  countUntouched: string
  /** Positions of rows that are older than what is there, or than the news that it is gone. */
  older: string
  /**
   * Keeps the rows at the positions `@only` as versions that were superseded at once, unless they
   * are known.
   */
  keep: string
  /** Tombstones for the rows `@ids`. */
  markGone: string
  /** The rows `@ids` are there, but for those that were found to be gone after `@since`. */
  markThere: string
  /**
   * Rows modified within [@startMs, @endMs) that this batch brought; edits that left `modified` as
   * it was are none.
   */
  arrived: string
  maxKey: string
}

/** One set-based statement per table and page. JavaScript touches no field. */
export const mergeStatements = (stream: Stream): MergeStatements =>
  statementsOf(stream, key => takenKey(stream, key), extract)

/** The same for records that were found to have no key twice and to fit their declaration. */
export const plainMergeStatements = (stream: Stream): MergeStatements =>
  statementsOf(stream, key => key, extract)

/** SQL of a column's value out of a JSONB value; a line's column is named with its table. */
type ValueOf = (column: Column, value: string, name: string) => string

function statementsOf(
  stream: Stream,
  takenKey: (key: string) => string,
  valueOf: ValueOf,
): MergeStatements {
  const names = namesIn(stream)
  const values = Object.entries(stream.columns).map(([name, column]) =>
    name === 'id' ? takenKey(names.key) : valueOf(column, 'p.value', name),
  )
  return {
    upsert: upsert(stream, names, values),
    children: Object.entries(stream.children).map(([name, child]) =>
      childStatements(name, child, names, valueOf),
    ),
    countUntouched: `
      SELECT count(*) AS untouched, coalesce(sum(${names.isOlder}), 0) AS older
      ${FROM_PAGE} ${names.joined}
      WHERE r.batch <> @batch AND ${NOT_SKIPPED}`,
    older: `
      SELECT p.key ${FROM_PAGE} ${names.joined}
      WHERE r.batch <> @batch AND ${NOT_SKIPPED} AND ${names.isOlder}`,
    keep: keep(stream, names),
    markGone: `
      UPDATE ${names.rows} SET gone_at = @goneAtMs, batch = @batch
      WHERE store_id = @store AND gone_at IS NULL
        AND id IN (SELECT value FROM json_each(@ids))`,
    markThere: `
      UPDATE ${names.rows} SET gone_at = NULL, batch = @batch
      WHERE store_id = @store AND gone_at IS NOT NULL AND batch <= @since
        AND id IN (SELECT value FROM json_each(@ids))`,
    arrived: arrived(stream, names),
    maxKey: `SELECT coalesce(max(rid), 0) FROM ${names.rows}`,
  }
}

/** Pieces of SQL that several statements of one stream share; `p` is a record of the page. */
interface Names {
  rows: string
  key: string
  cursor: string
  /** `modified` of the record on the page. */
  modified: string
  /** The row `r` that a record of the page has already. */
  joined: string
  /** The record on the page is older than its row, or than the row's end. */
  isOlder: string
}

function namesIn(stream: Stream): Names {
  const rows = rowTable(stream.name)
  const key = keySql(stream, 'p.value')
  const cursor = quote(stream.cursor)
  const modified = instant(stream, 'p.value')
  return {
    rows,
    key,
    cursor,
    modified,
    // CROSS JOIN keeps the page outside and the index lookup inside, whatever the planner assumes
    // about their sizes.
    joined: `CROSS JOIN ${rows} r ON r.store_id = @store AND r.id = ${key}`,
    isOlder: `(coalesce(${modified}, 0) < coalesce(r.${cursor}, 0) OR r.gone_at IS NOT NULL)`,
  }
}

function upsert(
  stream: Stream,
  { rows, key, cursor, modified }: Names,
  values: readonly string[],
): string {
  const columns = Object.keys(stream.columns).map(quote)
  return `
    INSERT INTO ${rows} (store_id, batch, first_batch, ${columns.join(', ')}, raw)
    SELECT @store, @batch, @batch, ${values.join(', ')}, json(p.value)
    ${FROM_PAGE}
    WHERE ${NOT_SKIPPED}
      AND NOT EXISTS (
        SELECT 1 FROM ${rows} same
        WHERE same.store_id = @store AND same.id = ${key} AND same.raw = json(p.value)
          AND same.gone_at IS NULL AND same.${cursor} IS ${modified}
      )
    ON CONFLICT (store_id, id) DO UPDATE SET
      batch = excluded.batch,
      gone_at = NULL,
      ${columns.map(name => `${name} = excluded.${name}`).join(', ')},
      raw = excluded.raw
    WHERE CASE
      WHEN ${rows}.gone_at IS NOT NULL
        THEN ${rows}.batch <= @since OR coalesce(excluded.${cursor}, 0) > ${rows}.gone_at
      WHEN coalesce(excluded.${cursor}, 0) = coalesce(${rows}.${cursor}, 0)
        THEN excluded.raw <> ${rows}.raw AND NOT same_content(excluded.raw, ${rows}.raw)
      ELSE coalesce(excluded.${cursor}, 0) > coalesce(${rows}.${cursor}, 0)
    END`
}

/**
 * The key of a record that may go into the table; a record without a key is one that no table
 * takes. Lines that are no list would vanish without a word, of a key that an object has twice, a
 * column would show the first value and whoever parses `raw` the last, and SQLite reads `true` as
 * 1.
 */
function takenKey(stream: Stream, key: string): string {
  const noLists = Object.values(stream.children).map(
    ({ path }) => `json_type(p.value, ${literal(`$.${path}`)}) NOT IN ('array', 'null')`,
  )
  // The function is ten times as fast as the conditions, and nearly no record needs them.
  const twice = `(has_key_twice(json(p.value)) AND (${duplicateKeys(stream).join(' OR ')}))`
  const bad = [...noLists, ...truthAsNumber(stream), twice]
  return `CASE WHEN ${bad.join(' OR ')} THEN NULL ELSE ${key} END`
}

/** True where `true` or `false` stands for a number or a time, in the record or in a line. */
function truthAsNumber({ columns, children }: Stream): string[] {
  const isTruth = (value: string, path: string): string =>
    `json_type(${value}, ${literal(`$.${path}`)}) IN ('true', 'false')`
  const numbersOf = (all: Columns): string[] =>
    Object.values(all)
      .filter(({ kind }) => kind === 'integer' || kind === 'timestamp')
      .map(({ path }) => path)
  return [
    ...numbersOf(columns).map(path => isTruth('p.value', path)),
    ...Object.values(children).flatMap(({ path, columns: inLine }) => {
      const found = numbersOf(inLine).map(column => isTruth('line.value', column))
      return found.length === 0
        ? []
        : [
            `EXISTS (SELECT 1 FROM jsonb_each(p.value, ${literal(`$.${path}`)}) line
              WHERE line.type = 'object' AND (${found.join(' OR ')}))`,
          ]
    }),
  ]
}

function childStatements(
  name: string,
  child: ChildTable,
  { joined }: Names,
  valueOf: ValueOf,
): { remove: string; insert: string } {
  const values = Object.entries(child.columns).map(([column, spec]) =>
    valueOf(spec, 'c.value', `${name}.${column}`),
  )
  return {
    remove: `
      DELETE FROM ${rowTable(name)} WHERE rid IN (
        SELECT r.rid ${FROM_PAGE} ${joined} WHERE r.batch = @batch AND ${NOT_SKIPPED}
      )`,
    insert: `
      ${insertChild(name, child)}
      SELECT r.rid, c.key + 1, ${values.join(', ')}
      ${FROM_PAGE} ${joined} CROSS JOIN jsonb_each(p.value, ${literal(`$.${child.path}`)}) c
      WHERE r.batch = @batch AND ${NOT_SKIPPED} AND typeof(c.key) = 'integer'`,
  }
}

const keep = (stream: Stream, { joined, modified }: Names): string => `
  INSERT INTO versions (stream, store_id, id, from_batch, to_batch, modified, raw)
  SELECT ${literal(stream.name)}, @store, r.id, @batch, @batch, ${modified}, json(p.value)
  ${FROM_PAGE} ${joined}
  WHERE p.key IN (SELECT value FROM json_each(@only)) AND r.raw <> json(p.value)
    AND NOT same_content(json(p.value), r.raw)
    AND NOT EXISTS (
      SELECT 1 FROM versions v
      WHERE v.stream = ${literal(stream.name)} AND v.store_id = @store AND v.id = r.id
        AND v.raw = json(p.value)
    )`

const arrived = (stream: Stream, { rows, cursor }: Names): string => `
  SELECT count(*) AS records, min(r.${cursor}) AS oldestMs FROM ${rows} r
  WHERE r.store_id = @store AND r.${cursor} >= @startMs AND r.${cursor} < @endMs
    AND r.batch = @batch AND r.gone_at IS NULL
    AND NOT EXISTS (
      SELECT 1 FROM versions v
      WHERE v.stream = ${literal(stream.name)} AND v.store_id = @store AND v.id = r.id
        AND v.to_batch = @batch AND (v.modified IS NULL OR v.modified = r.${cursor})
    )`
