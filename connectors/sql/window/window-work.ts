import { isDeepStrictEqual } from 'node:util'
import type {
  LettersChosen,
  LettersToDiscard,
  LettersToReplay,
  Replayed,
} from '../../destination/dead-letters.ts'
import type { CommittedWindow, WindowToCommit } from '../../destination/windows.ts'
import { createRecognition, takeOut } from '../../people/forgotten.ts'
import type { ForgottenHash, Recognition } from '../../people/forgotten.ts'
import { stagedPages } from '../../staged/files-beside.ts'
import type { StagedWindow } from '../../staged/files-beside.ts'
import type { PageOfRecords, PageRows } from '../../staged/stage-records.ts'
import type { Stream } from '../../stream.ts'
import { all } from '../steps.ts'
import type { Steps } from '../steps.ts'
import { commitWindow, createMerger } from './commit-window.ts'
import { createLedgerTable } from './ledger-table.ts'
import { discardLetters, keptLetters } from './letters-table.ts'
import type { KeptRecord } from './letters-table.ts'
import type { MergeDialect } from './merge-statements.ts'
import { pagesOfLetters, replayDeadLetters } from './replay-dead-letters.ts'

/**
 * What brings records into the tables, in the pieces that a database puts together: their rows are
 * staged first, then a transaction takes them over. `commit` and `replay` answer undefined, and
 * have done nothing, where something has changed meanwhile that the rows follow from: stage anew.
 */
export interface WindowWork {
  streamOf(name: string): Stream
  /** Who was forgotten, to be taken out; the same object as long as nobody else is. */
  people(store: string): Steps<Recognition | undefined>
  /** The pages of a window, without people who were forgotten. */
  pages(window: StagedWindow, people: Recognition | undefined): Iterable<PageOfRecords>
  commit(
    window: WindowToCommit,
    pages: readonly PageRows[],
    people: Recognition | undefined,
  ): Steps<CommittedWindow | undefined>
  kept(chosen: LettersChosen): Steps<KeptRecord[]>
  pagesOfLetters(stream: string, letters: readonly KeptRecord[]): Iterable<PageOfRecords>
  replay(
    chosen: LettersToReplay,
    letters: readonly KeptRecord[],
    pages: readonly PageRows[],
  ): Steps<Replayed | undefined>
  discard(letters: LettersToDiscard): Steps<number>
}

export function createWindowWork(streams: readonly Stream[], dialect: MergeDialect): WindowWork {
  const streamOf = streamsByName(streams)
  const mergerOf = remembered((name: string) => createMerger(streamOf(name), dialect))
  const ledger = createLedgerTable()
  const people = createForgottenPeople()
  return {
    streamOf,
    people,
    *pages({ pages, superseded, stream }, recognition) {
      for (const { number, ...page } of stagedPages(pages))
        yield takeOut(recognition, streamOf(stream), {
          ...page,
          superseded: superseded[number] ?? [],
        })
    },
    *commit(window, pages, before) {
      if ((yield* people(window.store)) !== before) return undefined
      return yield* commitWindow(ledger, mergerOf(window.stream), window, pages)
    },
    kept: keptLetters,
    pagesOfLetters: (stream, letters) => pagesOfLetters(streamOf(stream), letters),
    *replay(chosen, letters, pages) {
      if (!isDeepStrictEqual(yield* keptLetters(chosen), letters)) return undefined
      return yield* replayDeadLetters(mergerOf(chosen.stream), chosen, letters, pages)
    },
    discard: discardLetters,
  }
}

/** Others may be forgotten at any time, by another process. */
function createForgottenPeople(): WindowWork['people'] {
  const known = new Map<string, { key: string; recognition: Recognition }>()
  return function* (store) {
    const hashes = yield* all<ForgottenHash>(
      'SELECT hash, salt, length FROM forgotten_members WHERE store_id = @store ORDER BY hash',
      { store },
    )
    if (hashes.length === 0) return undefined
    const key = hashes.map(({ hash }) => hash).join(' ')
    const before = known.get(store)
    if (before?.key === key) return before.recognition
    const recognition = createRecognition(hashes)
    known.set(store, { key, recognition })
    return recognition
  }
}

const streamsByName =
  (streams: readonly Stream[]) =>
  (name: string): Stream => {
    const stream = streams.find(candidate => candidate.name === name)
    if (stream === undefined) throw new Error(`no stream ${name}`)
    return stream
  }

function remembered<Made>(make: (name: string) => Made): (name: string) => Made {
  const made = new Map<string, Made>()
  return name => {
    const known = made.get(name) ?? make(name)
    made.set(name, known)
    return known
  }
}
