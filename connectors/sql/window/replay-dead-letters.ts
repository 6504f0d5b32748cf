import { createRecordExaminer } from '../../answer/judge-records.ts'
import type { LettersToReplay, Replayed } from '../../destination/dead-letters.ts'
import type { PageOfRecords, PageRows } from '../../staged/stage-records.ts'
import type { Stream } from '../../stream.ts'
import type { Steps } from '../steps.ts'
import { mergePages } from './commit-window.ts'
import type { Merger } from './commit-window.ts'
import { closeReading, openReading } from './ledger-table.ts'
import type { Batch } from './ledger-table.ts'
import type { KeptRecord } from './letters-table.ts'
import { removeLetters, saveUnfit } from './letters-table.ts'

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

/**
 * Merges the kept records again, as a reading of their own; what is refused again stays, with its
 * reason of today. A record that was found to be gone since it was shown last stays gone. Inside a
 * transaction.
 */
export function* replayDeadLetters(
  merger: Merger,
  { store, stream, readAt }: LettersToReplay,
  letters: readonly KeptRecord[],
  pages: readonly PageRows[],
): Steps<Replayed> {
  const replayed: Replayed = { resolved: [], refused: [] }
  if (letters.length === 0) return replayed
  const start = letters.map(letter => letter.start).sort()[0]!
  const end = letters
    .map(letter => letter.end)
    .sort()
    .at(-1)!
  const place = { store, stream, window: { start, end }, readAt }
  const batch = yield* openReading({ ...place, status: 'replayed' })
  // Had it been shown since its row was found to be gone, the row would be there again.
  const older: Batch = { store, batch, since: 0 }
  const counts = yield* mergePages(merger, pages, older, letters.length)
  // Their own windows stay: the records are as they were.
  yield* saveUnfit(place)
  for (const [at, { key }] of letters.entries())
    replayed[pages[at]!.unfit === 0 ? 'resolved' : 'refused'].push(key)
  yield* removeLetters({ store, stream, keys: replayed.resolved })
  yield* closeReading(`${stream} replayed`, batch, counts)
  return replayed
}
