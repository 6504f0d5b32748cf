import type { Config } from '../config.ts'
import type { ReadOnlyDatabase } from '../connectors/destination/read-only.ts'
import type { PostingHistory } from '../exports/posting-history.ts'

/** What the use cases of the books work with. */
export interface BooksPlace {
  config: Config
  database: ReadOnlyDatabase
}

/** The same, with what was given out. */
export interface HistoryPlace extends BooksPlace {
  history: PostingHistory
}

/** Who watches a use case, and may stop it. */
export interface Watcher {
  progress: (line: string) => void
  signal: AbortSignal
}
