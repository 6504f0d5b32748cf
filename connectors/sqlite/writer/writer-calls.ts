/** What is asked of the thread that writes, and what it answers. */
import type { SentError } from '../../../errors.ts'
import type { LettersToDiscard, LettersToReplay, Replayed } from '../../destination/dead-letters.ts'
import type { Purged, PurgeOrder } from '../../destination/upkeep.ts'
import type { CommittedWindow } from '../../destination/windows.ts'
import type { Statement } from '../../sql/statements.ts'
import type { StagedWindow } from '../../staged/page-files.ts'

/** What the writing thread can do. Every call is synchronous and atomic. */
export interface WindowStore {
  commit(window: StagedWindow): CommittedWindow
  /** Merges dead letters again. */
  replay(letters: LettersToReplay): Replayed
  /** Gives dead letters up, with a trace; answers how many. */
  discardLetters(letters: LettersToDiscard): number
  /** Removes what is old, and overwrites it. */
  purge(order: PurgeOrder): Purged[]
  execute(statement: Statement): number
  /** All of them or none. */
  executeAll(statements: readonly Statement[]): void
  close(): void
}

export interface WriterRequest {
  id: number
  call: keyof WindowStore
  input: unknown
}

/**
 * An error without a code is none that we know: a mistake of ours, more often than the database's.
 */
export type WriterAnswer =
  | { id: number; output: unknown }
  | { id: number; error: SentError | { code: undefined; message: string } }
