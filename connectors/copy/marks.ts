/** Tables that say that a database is no place to write to: the same on every database. */
import { DatabaseError } from '../../errors.ts'
import type { Sql } from '../sql/connection.ts'

/** One row: where everything is now. */
export const MOVED = 'database_moved'
/** How far each table is; a row without a name says where the rows come from. */
export const COPYING = 'database_copying'

const MARK_MOVED = [
  `CREATE TABLE IF NOT EXISTS ${MOVED} (one INTEGER PRIMARY KEY, place TEXT NOT NULL, at TEXT NOT NULL)`,
  `DELETE FROM ${MOVED}`,
]

export async function markMoved(sql: Sql, place: string): Promise<void> {
  for (const statement of MARK_MOVED) await sql.run(statement)
  await sql.run(`INSERT INTO ${MOVED} VALUES (1, @place, @at)`, {
    place,
    at: new Date().toISOString(),
  })
}

/** Only where there is that table. */
export const placeMovedTo = async (sql: Sql): Promise<string> =>
  (await sql.all<{ place: string }>(`SELECT place FROM ${MOVED}`))[0]!.place

export const movedError = (place: string, to: string): DatabaseError =>
  new DatabaseError('DATABASE_MOVED', `${place} was moved, and takes no writes: it is ${to} now`, {
    remedy:
      `Write ${to} behind database: in tillage.yaml, with user and password where it is a server. ` +
      'What was moved can still be read here. The way back is tillage database copy, too.',
  })

export async function markCopying(sql: Sql, from: string): Promise<void> {
  await sql.run(`CREATE TABLE ${COPYING} (name TEXT PRIMARY KEY, after TEXT NOT NULL)`)
  await markProgress(sql, '', [from])
  // The copy has that of the source.
  await sql.run('DELETE FROM database_identity')
}

export async function markProgress(sql: Sql, name: string, last: readonly string[]): Promise<void> {
  await sql.run(
    `INSERT INTO ${COPYING} (name, after) VALUES (@name, @after)
     ON CONFLICT (name) DO UPDATE SET after = excluded.after`,
    { name, after: JSON.stringify(last) },
  )
}

/** Of tables; of no name, where the rows come from. */
export async function progressOf(sql: Sql): Promise<Map<string, string[]>> {
  const found = await sql.all<{ name: string; after: string }>(`SELECT name, after FROM ${COPYING}`)
  return new Map(found.map(({ name, after }) => [name, JSON.parse(after) as string[]]))
}

/** Fails unless an earlier copy may go on. */
export function refuseOther(
  place: string,
  begun: ReadonlyMap<string, string[]>,
  { from, resume }: { from: string; resume: boolean },
): void {
  const begunFrom = begun.get('')?.[0]
  if (resume && begunFrom === from) return
  throw resume
    ? incompleteError(place, `from ${begunFrom}, and not from ${from}`)
    : incompleteError(place)
}

export const incompleteError = (
  place: string,
  what = 'by a copy that has not ended',
): DatabaseError =>
  new DatabaseError('DATABASE_INCOMPLETE', `${place} is being filled ${what}`, {
    remedy:
      'Let it end, or run it again with --resume: tillage database copy --from URL --to URL ' +
      '--resume. To begin anew, remove what is there: the schema, or the file.',
  })

export const notEmptyError = (place: string, tables: readonly string[]): DatabaseError =>
  new DatabaseError(
    'DATABASE_NOT_EMPTY',
    `${place} has rows already (${tables.slice(0, 3).join(', ')}), and two are never mixed; ` +
      'nothing was changed',
    { remedy: 'Name a place where nothing is: another file, or another schema (?schema=...).' },
  )
