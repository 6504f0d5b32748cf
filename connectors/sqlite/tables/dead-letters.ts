import type Database from 'better-sqlite3'
import type { Kysely } from 'kysely'
import { dayStart } from '../../../calendar/clock.ts'
import { toIso } from '../../../calendar/days.ts'
import type {
  DeadLetters,
  LettersChosen,
  LettersToDiscard,
} from '../../destination/dead-letters.ts'
import type { Schema } from '../../sql/schema.ts'
import type { Writer } from '../writer/writer.ts'

/** A dead letter that is to be merged again. */
export interface KeptRecord {
  key: string
  raw: string
  start: string
  end: string
}

/** Writes the tables `dead_letters` and `discarded_letters`; call inside a transaction. */
export interface DeadLetterTable {
  kept(chosen: LettersChosen): KeptRecord[]
  remove(chosen: LettersChosen): number
  /** Moves them to `discarded_letters`, with who, when and why; answers how many. */
  discard(letters: LettersToDiscard): number
}

const CHOSEN = `
  store_id = @store AND stream = @stream
  AND record_key IN (SELECT value FROM json_each(@keys))`

const DISCARD = `
  INSERT INTO discarded_letters (
    store_id, stream, record_key, reason, raw, window_start, window_end, first_seen_at,
    discarded_at, discarded_by, discard_reason
  )
  SELECT
    store_id, stream, record_key, reason, raw, window_start, window_end, first_seen_at,
    @at, @by, @reason
  FROM dead_letters WHERE ${CHOSEN}`

export function createDeadLetterTable(database: Database.Database): DeadLetterTable {
  const kept = database.prepare<object, KeptRecord>(
    `SELECT record_key AS key, json(raw) AS raw,
       window_start AS start, window_end AS "end"
     FROM dead_letters WHERE ${CHOSEN} ORDER BY record_key`,
  )
  const remove = database.prepare(`DELETE FROM dead_letters WHERE ${CHOSEN}`)
  const discard = database.prepare(DISCARD)
  const choice = ({ store, stream, keys }: LettersChosen): object => ({
    store,
    stream,
    keys: JSON.stringify(keys),
  })

  return {
    kept: chosen => kept.all(choice(chosen)),
    remove: chosen => remove.run(choice(chosen)).changes,
    discard(letters) {
      const { at, by, reason } = letters
      discard.run({ ...choice(letters), at, by, reason })
      return remove.run(choice(letters)).changes
    },
  }
}

/** The table `dead_letters`, as people read and empty it. */
export const createDeadLetters = (db: Kysely<Schema>, writer: Writer): DeadLetters => ({
  async of(stores, streams) {
    const rows = await db
      .selectFrom('dead_letters')
      .selectAll()
      .where('store_id', 'in', stores)
      .where('stream', 'in', streams)
      .orderBy('store_id')
      .orderBy('stream')
      .orderBy('record_key')
      .execute()
    return rows.map(row => ({
      store: row.store_id,
      stream: row.stream,
      key: row.record_key,
      reason: row.reason,
      raw: row.raw,
      window: { start: row.window_start, end: row.window_end },
      firstSeenAt: row.first_seen_at,
    }))
  },
  count: (store, stream, days) => countDeadLetters(db, store, stream, days),
  replay: letters => writer.replay(letters),
  discard: letters => writer.discardLetters(letters),
})

/**
 * How many dead letters of a stream stand, neither replayed nor discarded, in windows that touch
 * these store days (`to` exclusive); without days, all of them. A list without dates has no days.
 */
async function countDeadLetters(
  db: Kysely<Schema>,
  store: string,
  stream: { name: string; windowing: string },
  days: { from?: string | undefined; to?: string | undefined },
): Promise<number> {
  const zone = (
    await db
      .selectFrom('stores')
      .select('time_zone')
      .where('store_id', '=', store)
      .executeTakeFirst()
  )?.time_zone
  const instant = (day: string | undefined): string | undefined =>
    day === undefined || zone === undefined || stream.windowing === 'full-refresh'
      ? undefined
      : toIso(dayStart(day, zone))
  const [start, end] = [instant(days.from), instant(days.to)]
  const letters = db
    .selectFrom('dead_letters')
    .select(all => all.fn.countAll<number>().as('count'))
    .where('store_id', '=', store)
    .where('stream', '=', stream.name)
  const since = start === undefined ? letters : letters.where('window_end', '>', start)
  return (
    await (
      end === undefined ? since : since.where('window_start', '<', end)
    ).executeTakeFirstOrThrow()
  ).count
}
