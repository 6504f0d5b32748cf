import type { ClientBase } from 'pg'
import { DatabaseError } from '../../../errors.ts'
import { COPYING, MOVED, incompleteError, movedError, placeMovedTo } from '../../copy/marks.ts'
import type { Sql } from '../../sql/connection.ts'
import {
  INDEXES_OF_ENDS,
  INDEXES_OF_STANDING,
  sayStep,
  sayWaiting,
  stoppable,
} from '../../sql/migration.ts'
import type { Stream } from '../../stream.ts'
import type { Connections } from '../connection/connections.ts'
import { inTurn, isTurnTaken } from '../connection/in-turn.ts'
import { sqlOn, statementsOn } from '../connection/sql-connection.ts'
import { BESIDE } from './beside.ts'
import { BOOKKEEPING, KEPT_VERSIONS, TEXT } from './bookkeeping.ts'
import { STEPS_TABLE, hasTable, readExisting, tablesIn } from './existing-schema.ts'
import type { ExistingSchema } from './existing-schema.ts'
import { droppedIndexes, notingParts } from './made-parts.ts'
import { missingWork } from './missing-tables.ts'
import type { Work } from './missing-tables.ts'
import { requireSchema } from './refuse-unfit.ts'
import { SERVER_PARTS } from './server.ts'

/**
 * A field of a record as a text. PostgreSQL refuses to look into JSON in which any text holds what
 * no text of its own can (a NUL, half a pair of surrogates): there, the escapes give way to `?`.
 */
const FIELDS_OF_RECORDS = [
  `CREATE FUNCTION field_of(record text, path text[]) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
   $$
   BEGIN
     IF strpos(record, '\\u') = 0 THEN RETURN record::json #>> path; END IF;
     BEGIN
       RETURN record::json #>> path;
     EXCEPTION WHEN data_exception THEN
       RETURN regexp_replace(record, '(\\\\\\\\)|\\\\u[0-9a-fA-F]{4}', '\\1?', 'g')::json #>> path;
     END;
   EXCEPTION WHEN data_exception THEN RETURN NULL;
   END $$`,
]

/** Times of a window as numbers. Only functions that are IMMUTABLE may make a column of another. */
const STANDING_INDEXES = [
  `CREATE FUNCTION instant_ms(iso text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
   'SELECT (extract(epoch FROM iso::timestamptz) * 1000)::bigint'`,
  `ALTER TABLE windows
   ADD start_ms bigint GENERATED ALWAYS AS (instant_ms(window_start)) STORED,
   ADD end_ms bigint GENERATED ALWAYS AS (instant_ms(window_end)) STORED,
   ADD read_at ${TEXT} GENERATED ALWAYS AS (evidence ->> 'readAt') STORED`,
  ...INDEXES_OF_STANDING,
]

/** Steps of the bookkeeping tables, in their order; a step never changes. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  '0001-bookkeeping': BOOKKEEPING,
  '0002-standing-indexes': STANDING_INDEXES,
  '0003-fields-of-records': FIELDS_OF_RECORDS,
  '0004-kept-versions': KEPT_VERSIONS,
  '0005-beside': BESIDE,
  '0006-indexes-of-ends': INDEXES_OF_ENDS,
  '0007-server': SERVER_PARTS,
}

/**
 * Brings bookkeeping tables and stream tables up to date, all in one transaction: of several that
 * start on a new database at once, one makes the tables and the others wait for it. Most commands
 * find everything in place, and wait for nobody. Of a database that has rows already, each step is
 * said on stderr, and a signal ends the process at once: nothing has happened then.
 */
export async function migrate(connections: Connections, streams: readonly Stream[]): Promise<void> {
  const { place } = connections
  await refuseMoved(sqlOn(connections), place)
  if ((await allPending(sqlOn(connections), place, streams)).length === 0) return
  await requireSchema(sqlOn(connections), place)
  const isOlder = await hasTable(sqlOn(connections), STEPS_TABLE)
  if (isOlder && (await isTurnTaken(sqlOn(connections)))) sayWaiting(place)
  await stoppable(() =>
    inTurn(connections, async client => {
      const sql = statementsOn(client)
      const pending = await allPending(sql, place, streams)
      await runAll(client, notingParts(await narrated(sql, place, pending)))
    }),
  )
}

/** Statements that follow each other go in one message: a new schema has some seven hundred. */
async function runAll(client: ClientBase, all: readonly Work[]): Promise<void> {
  let statements: string[] = []
  const send = async (): Promise<void> => {
    if (statements.length > 0) await client.query(statements.join(';\n'))
    statements = []
  }
  for (const work of all) {
    if (typeof work === 'string') {
      statements.push(work)
      continue
    }
    await send()
    await work(client)
  }
  await send()
}

/** The steps, each of which says when it begins; a database without rows has them in a moment. */
async function narrated(sql: Sql, place: string, pending: readonly PendingStep[]): Promise<Work[]> {
  const names = pending.map(({ name }) => name)
  const isEmpty =
    !(await hasTable(sql, 'windows')) ||
    (await sql.all('SELECT 1 FROM windows LIMIT 1')).length === 0
  const say = (name: string): Work[] => (isEmpty ? [] : [async () => sayStep(place, name, names)])
  return [MAKE_STEPS_TABLE, ...pending.flatMap(({ name, work }) => [...say(name), ...work])]
}

/** Fails with DATABASE_OLDER where a command that only reads would have to change the tables. */
export async function refuseOlder(
  sql: Sql,
  place: string,
  streams: readonly Stream[],
): Promise<void> {
  if (!(await hasTable(sql, STEPS_TABLE))) return
  const pending = await pendingSteps(sql, place, streams)
  if (pending.length === 0) return
  throw new DatabaseError(
    'DATABASE_OLDER',
    `${place} was written by an earlier version of Tillage ` +
      `(it lacks ${pending.map(({ name }) => name).join(', ')}), ` +
      'and what only reads does not change it',
    {
      remedy:
        'Back it up (pg_dump), then run what writes: tillage sync, or restart tillage up. ' +
        'It brings the tables up to date first.',
    },
  )
}

/** What makes all tables in an empty schema: statements alone. */
export const allSteps = (streams: readonly Stream[]): string[] =>
  notingParts(
    [
      MAKE_STEPS_TABLE,
      ...[...keptSteps([]), ...streamSteps(streams, NOTHING)].flatMap(({ work }) => work),
    ].map(String),
  )

const NOTHING: ExistingSchema = {
  columns: () => new Set(),
  said: () => undefined,
  has: () => false,
}

const MAKE_STEPS_TABLE = `CREATE TABLE IF NOT EXISTS ${STEPS_TABLE} (name text PRIMARY KEY)`

interface PendingStep {
  name: string
  work: readonly Work[]
}

/** What is missing; fails where the tables are of another program, or of a newer version. */
async function pendingSteps(
  sql: Sql,
  place: string,
  streams: readonly Stream[],
): Promise<PendingStep[]> {
  const tables = await tablesIn(sql)
  refuseForeign(place, tables)
  const applied = tables.has(STEPS_TABLE) ? await appliedSteps(sql) : []
  refuseNewer(place, applied)
  return [...keptSteps(applied), ...streamSteps(streams, await readExisting(sql))]
}

/** For whoever may write: what somebody has dropped, too, if it holds nothing of its own. */
async function allPending(
  sql: Sql,
  place: string,
  streams: readonly Stream[],
): Promise<PendingStep[]> {
  const pending = await pendingSteps(sql, place, streams)
  const indexes = await droppedIndexes(sql)
  return indexes.length === 0 ? pending : [...pending, { name: 'indexes', work: indexes }]
}

/** Their names stand in the database afterwards. */
const keptSteps = (applied: readonly string[]): PendingStep[] =>
  Object.entries(STEPS)
    .filter(([name]) => !applied.includes(name))
    .map(([name, statements]) => ({
      name,
      work: [...statements, `INSERT INTO ${STEPS_TABLE} VALUES ('${name}')`],
    }))

const streamSteps = (streams: readonly Stream[], existing: ExistingSchema): PendingStep[] =>
  streams
    .map(stream => ({ name: `tables of ${stream.name}`, work: missingWork(stream, existing) }))
    .filter(({ work }) => work.length > 0)

async function appliedSteps(sql: Sql): Promise<string[]> {
  const found = await sql.all<{ name: string }>(`SELECT name FROM ${STEPS_TABLE}`)
  return found.map(({ name }) => name)
}

function refuseNewer(place: string, applied: readonly string[]): void {
  const newer = applied.filter(name => !(name in STEPS))
  if (newer.length === 0) return
  throw new DatabaseError(
    'DATABASE_NEWER',
    `${place} was written by a newer version of Tillage (it has ${newer.join(', ')})`,
    { remedy: 'Update Tillage, or name another schema in database: of tillage.yaml.' },
  )
}

/** Fails with DATABASE_MOVED where everything is somewhere else. */
async function refuseMoved(sql: Sql, place: string): Promise<void> {
  if (await hasTable(sql, MOVED)) throw movedError(place, await placeMovedTo(sql))
}

/**
 * Fails with DATABASE_BROKEN where there are tables and none of ours, and with DATABASE_INCOMPLETE
 * where they are not all there yet.
 */
export function refuseForeign(place: string, tables: ReadonlySet<string>): void {
  if (tables.has(COPYING)) throw incompleteError(place)
  if (tables.size === 0 || tables.has(STEPS_TABLE)) return
  throw new DatabaseError(
    'DATABASE_BROKEN',
    `${place} holds tables, and none of Tillage: ${[...tables].slice(0, 3).join(', ')}`,
    { remedy: 'Name a schema of its own in database: of tillage.yaml (?schema=tillage).' },
  )
}
