import type Database from 'better-sqlite3'
import type {
  CommittedWindow,
  PageToStage,
  WindowToCommit,
} from '../../../connectors/destination/windows.ts'
import { createWindowStore } from '../../../connectors/sqlite/writer/window-store.ts'
import type { WindowStore } from '../../../connectors/sqlite/writer/window-store.ts'
import { createPageFiles } from '../../../connectors/staged/files-beside.ts'
import type { Stream } from '../../../connectors/stream.ts'

/** Both sides of the writing thread in one. */
export interface StagingStore extends Omit<WindowStore, 'commit'> {
  stage(page: PageToStage): void
  discard(reading: string): void
  /** Forgets its pages. */
  commit(window: WindowToCommit): CommittedWindow
}

export function createStagingStore(
  connection: Database.Database,
  streams: readonly Stream[],
): StagingStore {
  const pages = createPageFiles(connection.name)
  const store = createWindowStore(connection, streams)
  return {
    ...store,
    stage: page => pages.stage(page),
    discard: reading => pages.discard(reading),
    commit(window) {
      const lent = pages.lend(window.reading)
      try {
        const committed = store.commit({ ...window, pages: lent.pages })
        pages.discard(window.reading)
        return committed
      } finally {
        lent.giveBack()
      }
    },
  }
}
