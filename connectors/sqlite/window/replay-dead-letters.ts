import { createRecordExaminer } from '../../answer/examine-records.ts'
import type { LettersToReplay, Replayed } from '../../destination/dead-letters.ts'
import type { Stream } from '../../stream.ts'
import type { BulkPage, PageOfRecords } from '../pages/bulk-rows.ts'
import type { DeadLetterTable, KeptRecord } from '../tables/dead-letters.ts'
import { mergePages } from './commit-window.ts'
import type { CommitTables } from './commit-window.ts'
import type { Merger } from './merge.ts'
import type { Batch } from './readings.ts'

/** Each letter is a page of its own: two may be of one record. */
export function* pagesOfLetters(
  stream: Stream,
  letters: readonly KeptRecord[],
): Generator<PageOfRecords> {
  const examine = createRecordExaminer(stream)
  for (const { key, raw } of letters)
    // Under the key that it had: a person has seen it by that.
    yield { ...examine([raw]), rows: 1, superseded: [], letterKey: key }
}

/** What replaying writes to. */
export interface ReplayTables extends Pick<CommitTables, 'readings' | 'unfit'> {
  deadLetters: Pick<DeadLetterTable, 'remove'>
  merger: Merger
}

/**
 * Merges the kept records again, as a reading of their own; what is refused again stays, with its
 * reason of today. A record that was found to be gone since it was shown last stays gone. Call
 * inside a transaction.
 */
export function replayDeadLetters(
  { readings, unfit, deadLetters, merger }: ReplayTables,
  { store, stream, readAt }: LettersToReplay,
  letters: readonly KeptRecord[],
  pages: readonly BulkPage[],
): Replayed {
  const replayed: Replayed = { resolved: [], refused: [] }
  if (letters.length === 0) return replayed
  const start = letters.map(letter => letter.start).sort()[0]!
  const end = letters
    .map(letter => letter.end)
    .sort()
    .at(-1)!
  const place = { store, stream, window: { start, end }, readAt }
  const batch = readings.open({ ...place, status: 'replayed' })
  // Had it been shown since its row was found to be gone, the row would be there again.
  const older: Batch = { store, batch, since: 0 }
  const counts = mergePages(merger, pages, older, letters.length)
  // Their own windows stay: the records are as they were.
  unfit.save(place)
  for (const [at, { key }] of letters.entries())
    replayed[pages[at]!.unfit === 0 ? 'resolved' : 'refused'].push(key)
  deadLetters.remove({ store, stream, keys: replayed.resolved })
  readings.close(`${stream} replayed`, batch, counts)
  return replayed
}
