import type Database from 'better-sqlite3'
import type { WindowCounts } from '../destination/windows.ts'
import type { LedgerWriter } from './ledger-writer.ts'
import type { Merger } from './merge.ts'

/** Dead letters of one stream of one store, by their keys. */
export interface LettersChosen {
  store: string
  stream: string
  keys: readonly string[]
}

export interface LettersToReplay extends LettersChosen {
  /** ISO, UTC. */
  readAt: string
}

export interface LettersToDiscard extends LettersChosen {
  at: string
  by: string
  reason: string
}

/** What became of replayed letters, by their keys. */
export interface Replayed {
  settled: string[]
  refused: string[]
}

/** What a person does with dead letters; call inside a transaction. */
export interface LetterWriter {
  /**
   * Merges the kept records again, as a reading of their own; what is refused again stays, with its
   * reason of today.
   */
  replay(letters: LettersToReplay, merger: Merger): Replayed
  /**
   * Moves them to `discarded_letters`, which keeps record, reason, who and when; answers how many.
   */
  discard(letters: LettersToDiscard): number
}

interface LetterRow {
  key: string
  body: Buffer
  start: string
  end: string
}

const CHOSEN =
  'store_id = @store AND stream = @stream AND record_key IN (SELECT value FROM json_each(@keys))'

export function createLetterWriter(
  database: Database.Database,
  ledger: LedgerWriter,
): LetterWriter {
  const chosen = database.prepare<object, LetterRow>(
    `SELECT record_key AS key, jsonb('[' || raw || ']') AS body, window_start AS start, window_end AS "end" FROM dead_letters WHERE ${CHOSEN} ORDER BY record_key`,
  )
  const remove = database.prepare(`DELETE FROM dead_letters WHERE ${CHOSEN}`)
  const discard = database.prepare(
    `INSERT INTO discarded_letters (store_id, stream, record_key, reason, raw, window_start, window_end, first_seen_at, discarded_at, discarded_by, discard_reason)
     SELECT store_id, stream, record_key, reason, raw, window_start, window_end, first_seen_at, @at, @by, @reason FROM dead_letters WHERE ${CHOSEN}`,
  )

  return {
    replay({ store, stream, keys, readAt }, merger) {
      const letters = chosen.all({ store, stream, keys: JSON.stringify(keys) })
      const done: Replayed = { settled: [], refused: [] }
      if (letters.length === 0) return done
      const window = {
        start: letters.map(({ start }) => start).sort()[0]!,
        end: letters
          .map(({ end }) => end)
          .sort()
          .at(-1)!,
      }
      const batch = ledger.openReading({ store, stream, window, status: 'replayed', readAt })
      const counts: WindowCounts = {
        fetched: letters.length,
        inserted: 0,
        updated: 0,
        unchanged: 0,
        duplicate: 0,
        deadLettered: 0,
      }
      for (const { key, body, start, end } of letters) {
        const merged = merger.mergePage(
          { body, listPath: '$', rows: 1, skip: [] },
          store,
          batch,
          ({ reason, raw }) => {
            // Under the key that it had: a person has seen it by that.
            ledger.bury({ store, stream, window: { start, end }, readAt }, { key, reason, raw })
          },
        )
        for (const name of ['inserted', 'updated', 'unchanged', 'deadLettered'] as const)
          counts[name] += merged[name]
        done[merged.deadLettered === 0 ? 'settled' : 'refused'].push(key)
      }
      remove.run({ store, stream, keys: JSON.stringify(done.settled) })
      ledger.closeCounts(`${stream} replayed`, batch, counts)
      return done
    },
    discard({ store, stream, keys, at, by, reason }) {
      const choice = { store, stream, keys: JSON.stringify(keys) }
      discard.run({ ...choice, at, by, reason })
      return remove.run(choice).changes
    },
  }
}
