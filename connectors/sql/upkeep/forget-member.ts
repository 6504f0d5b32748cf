import { randomBytes } from 'node:crypto'
import { hashOfMember } from '../../people/forgotten.ts'
import { FORGOTTEN, scrubRecord, unescaped } from '../../people/scrub-record.ts'
import { quoteName as quote } from '../../quote.ts'
import type { KeptRow } from '../../staged/page-of-kept.ts'
import { rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import type { Forgetting, Forgotten, ForgottenTraces, TableForgotten } from '../by-hand.ts'
import { eachKept, replaceKept } from '../rows/kept-records.ts'
import { all, first, run } from '../steps.ts'
import type { Steps } from '../steps.ts'
import { forgetInTexts } from './forget-in-texts.ts'
import { bound, boundIds, holds, wordOf } from './forgetting-work.ts'
import type { ForgettingWork } from './forgetting-work.ts'
import type { UpkeepDialect } from './upkeep-dialect.ts'

/**
 * Takes every trace of a member out of the database; call inside a transaction. Figures stay, under
 * an id that leads to nobody. Looks at every record of the store, which takes minutes for
 * gigabytes.
 */
export function* forgetMember(
  dialect: UpkeepDialect,
  { store, member, keyOf }: Forgetting,
  streams: readonly Stream[],
): Steps<ForgottenTraces> {
  const ids = yield* idsOf(store, member)
  const isForgotten = (id: string): boolean => ids.includes(id)
  const places = new Set<string>()
  const note = (stream: string) => (place: string) => void places.add(`${stream} ${place}`)
  const work = { dialect, store, ids, isForgotten, note }
  const tables: TableForgotten[] = []
  for (const stream of streams) tables.push(yield* forgetInRows(work, stream))
  for (const table of yield* tablesWithRaw(dialect)) tables.push(yield* forgetInRaw(work, table))
  tables.push(...(yield* forgetInTexts(work)))
  if (keyOf !== undefined) tables.push(...(yield* forgetInBooks(work, keyOf)))
  return {
    ids,
    tables: tables.filter(({ removed, changed }) => removed + changed > 0),
    places: [...places].toSorted(),
    left: yield* findLeft(work),
  }
}

/** A consumer is who the member is online, with an id of its own. */
function* idsOf(store: string, member: string): Steps<string[]> {
  const known = yield* all<{ id: string }>(
    `SELECT consumer_user_id AS id FROM rows_members
     WHERE store_id = @store AND id = @member AND coalesce(consumer_user_id, '') <> ''`,
    { store, member },
  )
  return [member, ...known.map(({ id }) => id)]
}

/** A stream's rows and their lines: columns and lines are read anew out of what is left. */
function* forgetInRows(work: ForgettingWork, stream: Stream): Steps<TableForgotten> {
  const { dialect, isForgotten, note } = work
  const table = rowTable(stream.name)
  const counts = { table: stream.name, removed: 0, changed: 0 }
  const chosen = {
    where: `store_id = @store AND (${holds(work, 'raw')})`,
    parameters: bound(work),
  }
  function* scrub(rows: readonly KeptRow[]): Steps<void> {
    const changed: KeptRow[] = []
    for (const { rid, raw } of rows) {
      const scrubbed = scrubRecord(raw, isForgotten, note(stream.name))
      if (scrubbed === raw) continue
      counts[scrubbed === undefined ? 'removed' : 'changed']++
      if (scrubbed === undefined) yield* removeRow(stream, rid)
      else changed.push({ rid, raw: scrubbed })
    }
    if (changed.length > 0) yield* replaceKept(dialect.staging, stream, changed)
  }
  yield* dialect.withoutVersions(table, eachKept(dialect.staging, stream, scrub, chosen))
  return counts
}

function* removeRow({ name, children }: Stream, rid: number): Steps<void> {
  for (const table of [name, ...Object.keys(children)])
    yield* run(`DELETE FROM ${rowTable(table)} WHERE rid = @rid`, { rid })
}

/** Versions and letters: every other table of a store that keeps whole records. */
function* tablesWithRaw(dialect: UpkeepDialect): Steps<string[]> {
  return (yield* dialect.tablesWith('raw')).filter(name => !name.startsWith(rowTable('')))
}

function* forgetInRaw(work: ForgettingWork, table: string): Steps<TableForgotten> {
  const counts = { table, removed: 0, changed: 0 }
  const found = `SELECT rowid AS place, stream, raw FROM ${table}
    WHERE store_id = @store AND (${holds(work, 'raw')})`
  type Found = { place: number; stream: string; raw: string }
  yield* work.dialect.inParts<Found>(found, bound(work), function* (rows) {
    for (const { place, stream, raw } of rows) {
      const scrubbed = scrubText(work, stream, raw)
      if (scrubbed === raw) continue
      counts[scrubbed === undefined ? 'removed' : 'changed']++
      if (scrubbed === undefined) yield* run(`DELETE FROM ${table} WHERE rowid = @place`, { place })
      else
        yield* run(`UPDATE ${table} SET raw = @scrubbed WHERE rowid = @place`, { scrubbed, place })
    }
  })
  return counts
}

/** A record that nobody can read is not kept: it cannot be said what is in it. */
function scrubText(
  { isForgotten, note }: ForgettingWork,
  stream: string,
  raw: string,
): string | undefined {
  try {
    return scrubRecord(raw, isForgotten, note(stream))
  } catch {
    note(stream)('a record that is no JSON')
    return undefined
  }
}

/** The rows of the books that SQL shows; the next export computes the same. */
function* forgetInBooks(
  { dialect, store, ids }: ForgettingWork,
  keyOf: (id: string) => string,
): Steps<TableForgotten[]> {
  const tables: TableForgotten[] = []
  for (const table of yield* dialect.tablesWith('member_key')) {
    let changed = 0
    for (const id of ids)
      changed += yield* run(
        `UPDATE ${quote(table)} SET member_key = @nobody
         WHERE store_id = @store AND member_key = @key`,
        { nobody: keyOf(FORGOTTEN), store, key: keyOf(id) },
      )
    tables.push({ table, removed: 0, changed })
  }
  return tables
}

/** What is left in any table: nothing is said to be gone that was not looked for. */
function* findLeft(work: ForgettingWork): Steps<ForgottenTraces['left']> {
  const word = new RegExp(work.ids.map(wordOf).join('|'))
  const names = (text: string): boolean => word.test(text) || word.test(unescaped(text))
  const left: ForgottenTraces['left'] = []
  for (const { table, columns, ofStores } of yield* work.dialect.textTables()) {
    const anywhere = columns.map(column => holds(work, quote(column))).join(' OR ')
    const where = ofStores ? `store_id = @store AND (${anywhere})` : `(${anywhere})`
    const given = ofStores ? bound(work) : boundIds(work.ids)
    const rows = yield* work.dialect.countRows({ table, columns, where }, given, names)
    if (rows > 0) left.push({ table, rows })
  }
  return left
}

/** So that a later reading knows the person again. `certificate` names nobody. */
export function* rememberForgotten({ store, ids, at, certificate }: Forgotten): Steps<void> {
  const known = yield* first<{ salt: string }>('SELECT salt FROM forgotten_members LIMIT 1')
  const salt = known?.salt ?? randomBytes(32).toString('hex')
  for (const id of ids)
    yield* run(
      `INSERT INTO forgotten_members (store_id, hash, salt, length, at, certificate)
       VALUES (@store, @hash, @salt, @length, @at, @certificate)
       ON CONFLICT (store_id, hash) DO UPDATE
       SET at = excluded.at, certificate = excluded.certificate`,
      { store, hash: hashOfMember(id, salt), salt, length: id.length, at, certificate },
    )
}
