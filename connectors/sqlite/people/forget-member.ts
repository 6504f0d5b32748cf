import { randomBytes } from 'node:crypto'
import type Sqlite from 'better-sqlite3'
import { hashOfMember } from '../../people/forgotten.ts'
import { FORGOTTEN, scrubRecord, unescaped } from '../../people/scrub-record.ts'
import type { Forgetting, Forgotten, ForgottenTraces, TableForgotten } from '../../sql/by-hand.ts'
import type { Stream } from '../../stream.ts'
import { extractOrNull, quote, rowTable } from '../connection/sql-text.ts'
import { linesFromRaw } from '../schema/stream-tables.ts'
import { withoutTriggers } from './without-triggers.ts'

/**
 * Takes every trace of a member out of the database; call inside a transaction of a connection that
 * overwrites what it deletes. Figures stay, under an id that leads to nobody. Looks at every record
 * of the store, which takes minutes for gigabytes.
 */
export function forgetMember(
  connection: Sqlite.Database,
  { store, member, keyOf }: Forgetting,
  streams: readonly Stream[],
): ForgottenTraces {
  const ids = idsOf(connection, store, member)
  const isForgotten = (id: string): boolean => ids.includes(id)
  const places = new Set<string>()
  const note = (stream: string) => (place: string) => void places.add(`${stream} ${place}`)
  const work = { connection, store, ids, isForgotten, note }
  const tables = [
    ...streams.map(stream => forgetInRows(work, stream)),
    ...tablesWithRaw(connection).map(table => forgetInRaw(work, table)),
    ...TEXTS.map(place => forgetInTexts(work, place)),
    ...(keyOf === undefined ? [] : forgetInBooks(work, keyOf)),
  ]
  return {
    ids,
    tables: tables.filter(({ removed, changed }) => removed + changed > 0),
    places: [...places].toSorted(),
    left: findLeft(work),
  }
}

interface Work {
  connection: Sqlite.Database
  store: string
  ids: readonly string[]
  isForgotten(id: string): boolean
  /** Hears where an id stood in records of a stream. */
  note(stream: string): (place: string) => void
}

/** A consumer is who the member is online, with an id of its own. */
function idsOf(connection: Sqlite.Database, store: string, member: string): string[] {
  const known = connection
    .prepare<[string, string], string>(
      `SELECT consumer_user_id FROM rows_members
       WHERE store_id = ? AND id = ? AND coalesce(consumer_user_id, '') <> ''`,
    )
    .pluck()
  return [member, ...known.all(store, member)]
}

/** Rows of `column` in which one of the ids may stand, as it is or with escapes of JSON. */
const holds = (column: string, ids: readonly string[]): string =>
  [
    ...ids.map((_, index) => `instr(${column}, @id${index}) > 0`),
    `instr(${column}, '\\') > 0`,
  ].join(' OR ')
const bound = ({ store, ids }: Pick<Work, 'store' | 'ids'>): Record<string, string> => ({
  store,
  ...Object.fromEntries(ids.map((id, index) => [`id${index}`, id])),
})

/** A stream's rows and their lines: columns and lines are read anew out of what is left. */
function forgetInRows(work: Work, stream: Stream): TableForgotten {
  const { connection, ids, isForgotten, note } = work
  const table = rowTable(stream.name)
  const counts = { table: stream.name, removed: 0, changed: 0 }
  const found = connection
    .prepare<[object], { row: number; raw: string }>(
      `SELECT rid AS row, raw FROM ${table} WHERE store_id = @store AND (${holds('raw', ids)})`,
    )
    .all(bound(work))
  withoutTriggers(connection, table, () => {
    for (const { row, raw } of found) {
      const scrubbed = scrubRecord(raw, isForgotten, note(stream.name))
      if (scrubbed === raw) continue
      counts[scrubbed === undefined ? 'removed' : 'changed']++
      for (const child of Object.keys(stream.children))
        connection.prepare(`DELETE FROM ${rowTable(child)} WHERE rid = ?`).run(row)
      if (scrubbed === undefined) connection.prepare(`DELETE FROM ${table} WHERE rid = ?`).run(row)
      else rewriteRow(connection, stream, { row, raw: scrubbed })
    }
  })
  return counts
}

function rewriteRow(
  connection: Sqlite.Database,
  stream: Stream,
  { row, raw }: { row: number; raw: string },
): void {
  const columns = Object.entries(stream.columns)
    .filter(([name]) => name !== 'id')
    .map(([name, column]) => `${quote(name)} = ${extractOrNull(column, 'jsonb(@raw)')}`)
  connection
    .prepare(
      `UPDATE ${rowTable(stream.name)}
       SET raw = json(@raw), ${columns.join(', ')} WHERE rid = @row`,
    )
    .run({ row, raw })
  for (const [name, child] of Object.entries(stream.children))
    connection.prepare(`${linesFromRaw(stream, name, child)} AND r.rid = ?`).run(row)
}

/** Versions and letters: every other table of a store that keeps whole records. */
const tablesWithRaw = (connection: Sqlite.Database): string[] =>
  connection
    .prepare<[], string>(
      `SELECT t.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND c.name = 'raw' AND t.name NOT LIKE 'rows\\_%' ESCAPE '\\'
       ORDER BY t.name`,
    )
    .pluck()
    .all()

function forgetInRaw(work: Work, table: string): TableForgotten {
  const { connection, ids } = work
  const counts = { table, removed: 0, changed: 0 }
  const found = connection
    .prepare<[object], { row: number; stream: string; raw: string }>(
      `SELECT rowid AS row, stream, raw FROM ${table}
       WHERE store_id = @store AND (${holds('raw', ids)})`,
    )
    .all(bound(work))
  for (const { row, stream, raw } of found) {
    const scrubbed = scrubText(work, stream, raw)
    if (scrubbed === raw) continue
    counts[scrubbed === undefined ? 'removed' : 'changed']++
    if (scrubbed === undefined) connection.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(row)
    else connection.prepare(`UPDATE ${table} SET raw = ? WHERE rowid = ?`).run(scrubbed, row)
  }
  return counts
}

/** The rows of the books that SQL shows; the next export computes the same. */
function forgetInBooks(
  { connection, store, ids }: Work,
  keyOf: (id: string) => string,
): TableForgotten[] {
  const tables = connection
    .prepare<[], string>(
      `SELECT t.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND c.name = 'member_key' ORDER BY t.name`,
    )
    .pluck()
    .all()
  return tables.map(table => {
    const change = connection.prepare(
      `UPDATE ${quote(table)} SET member_key = ? WHERE store_id = ? AND member_key = ?`,
    )
    const changed = ids.map(id => change.run(keyOf(FORGOTTEN), store, keyOf(id)).changes)
    return { table, removed: 0, changed: changed.reduce((sum, rows) => sum + rows, 0) }
  })
}

/** A record that nobody can read is not kept: it cannot be said what is in it. */
function scrubText({ isForgotten, note }: Work, stream: string, raw: string): string | undefined {
  try {
    return scrubRecord(raw, isForgotten, note(stream))
  } catch {
    note(stream)('a record that is no JSON')
    return undefined
  }
}

/**
 * Texts of our own that may name somebody by id: a key as a whole, JSON as a text, words as a word.
 */
const TEXTS: readonly { table: string; column: string; as: 'key' | 'json' | 'words' }[] = [
  { table: 'dead_letters', column: 'record_key', as: 'key' },
  { table: 'discarded_letters', column: 'record_key', as: 'key' },
  { table: 'windows', column: 'evidence', as: 'json' },
  { table: 'behaviours', column: 'evidence', as: 'json' },
  // The record that first showed a field or a kind is named by its key.
  { table: 'shapes', column: 'shape', as: 'json' },
  { table: 'findings', column: 'id', as: 'words' },
  { table: 'findings', column: 'detail', as: 'words' },
]

function forgetInTexts(work: Work, { table, column, as }: (typeof TEXTS)[number]): TableForgotten {
  const { connection, ids } = work
  const word = new RegExp(ids.map(wordOf).join('|'), 'g')
  const withoutIds = (text: string): string => {
    if (as === 'key') return ids.includes(text) ? FORGOTTEN : text
    if (as === 'words') return text.replaceAll(word, FORGOTTEN)
    return ids.reduce((left, id) => left.replaceAll(JSON.stringify(id), `"${FORGOTTEN}"`), text)
  }
  const found = connection
    .prepare<[object], { row: number; text: string }>(
      `SELECT rowid AS row, ${column} AS text FROM ${table}
       WHERE store_id = @store AND (${holds(column, ids)})`,
    )
    .all(bound(work))
  const change = connection.prepare(`UPDATE OR REPLACE ${table} SET ${column} = ? WHERE rowid = ?`)
  const changed = found.filter(({ text }) => withoutIds(text) !== text)
  for (const { row, text } of changed) change.run(withoutIds(text), row)
  return { table: `${table}.${column}`, removed: 0, changed: changed.length }
}

/** An id among other characters, and not a part of a longer one. */
const wordOf = (id: string): string => `(?<![\\w-])${escaped(id)}(?![\\w-])`

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** What is left in any table: nothing is said to be gone that was not looked for. */
function findLeft({ connection, store, ids }: Work): ForgottenTraces['left'] {
  const word = new RegExp(ids.map(wordOf).join('|'))
  connection.function('names_forgotten', { deterministic: true }, text =>
    typeof text === 'string' && (word.test(text) || word.test(unescaped(text))) ? 1 : 0,
  )
  return textColumns(connection)
    .map(({ table, columns, ofStores }) => {
      const names = columns.split(' ').map(quote)
      const anywhere = names.map(
        column => `((${holds(column, ids)}) AND names_forgotten(${column}))`,
      )
      const ofStore = ofStores === 1 ? 'store_id = @store' : '@store IS NOT NULL'
      const rows = connection
        .prepare<[object], number>(
          `SELECT count(*) FROM ${quote(table)} WHERE ${ofStore} AND (${anywhere.join(' OR ')})`,
        )
        .pluck()
      return { table, rows: rows.get(bound({ store, ids }))! }
    })
    .filter(({ rows }) => rows > 0)
}

/** Every table with texts, whatever it is for. */
const textColumns = (
  connection: Sqlite.Database,
): { table: string; columns: string; ofStores: number }[] =>
  connection
    .prepare<[], { table: string; columns: string; ofStores: number }>(
      `SELECT t.name AS "table", group_concat(c.name, ' ') AS "columns",
         max(c.name = 'store_id') AS ofStores
       FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND c.type = 'TEXT' GROUP BY t.name ORDER BY t.name`,
    )
    .all()

/** So that a later reading knows the person again. `certificate` names nobody. */
export function rememberForgotten(
  connection: Sqlite.Database,
  { store, ids, at, certificate }: Forgotten,
): void {
  const salt =
    connection.prepare<[], string>('SELECT salt FROM forgotten_members LIMIT 1').pluck().get() ??
    randomBytes(32).toString('hex')
  const insert = connection.prepare(
    `INSERT INTO forgotten_members (store_id, hash, salt, length, at, certificate)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET at = excluded.at, certificate = excluded.certificate`,
  )
  for (const id of ids) insert.run(store, hashOfMember(id, salt), salt, id.length, at, certificate)
}
