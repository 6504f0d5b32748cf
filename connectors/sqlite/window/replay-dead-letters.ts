import type { LettersToReplay, Replayed } from '../../destination/dead-letters.ts'
import type { DeadLetterTable } from '../tables/dead-letters.ts'
import type { Merger } from './merge.ts'
import { noCounts } from './readings.ts'
import type { Batch, Readings } from './readings.ts'

/** What replaying writes to. */
export interface ReplayTables {
  readings: Readings
  deadLetters: DeadLetterTable
  merger: Merger
}

/**
 * Merges the kept records again, as a reading of their own; what is refused again stays, with its
 * reason of today. A record that was found to be gone since it was shown last stays gone. Call
 * inside a transaction.
 */
export function replayDeadLetters(
  { readings, deadLetters, merger }: ReplayTables,
  chosen: LettersToReplay,
): Replayed {
  const { store, stream, readAt } = chosen
  const letters = deadLetters.kept(chosen)
  const replayed: Replayed = { resolved: [], refused: [] }
  if (letters.length === 0) return replayed
  const starts = letters.map(({ start }) => start).sort()
  const ends = letters.map(({ end }) => end).sort()
  const window = { start: starts[0]!, end: ends.at(-1)! }
  const batch = readings.open({ store, stream, window, status: 'replayed', readAt })
  // Had it been shown since its row was found to be gone, the row would be there again.
  const older: Batch = { store, batch, since: 0 }
  const counts = noCounts(letters.length)
  for (const { key, body, start, end } of letters) {
    const place = { store, stream, window: { start, end }, readAt }
    const page = {
      jsonb: () => body,
      text: undefined,
      listPath: '$',
      rows: 1,
      skip: [],
      staged: undefined,
      examined: undefined,
    }
    const merged = merger.mergePage(page, older, ({ reason, raw }) =>
      // Under the key that it had: a person has seen it by that.
      deadLetters.save(place, { key, reason, raw }),
    )
    for (const name of ['inserted', 'updated', 'unchanged', 'deadLettered'] as const)
      counts[name] += merged[name]
    replayed[merged.deadLettered === 0 ? 'resolved' : 'refused'].push(key)
  }
  deadLetters.remove({ store, stream, keys: replayed.resolved })
  readings.close(`${stream} replayed`, batch, counts)
  return replayed
}
