import type { DeadLetters } from '../../destination/dead-letters.ts'
import type { Upkeep } from '../../destination/upkeep.ts'
import type { WindowWriter } from '../../destination/windows.ts'
import type { Statements } from '../../sql/statements.ts'
import { createPageFiles } from '../../staged/page-files.ts'
import type { Stream } from '../../stream.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { createWriterOnDemand } from './writer-on-demand.ts'

/** Every write of this process, through the one thread that writes. */
export interface Writer extends Statements {
  windows: WindowWriter
  replay: DeadLetters['replay']
  discard: DeadLetters['discard']
  purge: Upkeep['purge']
  /** Waits for what is being written, and empties SQLite's log. */
  close(): Promise<void>
}

/** The thread that writes runs while there is something to write: see `writer-on-demand.ts`. */
export function openWriter(path: string, streams: readonly Stream[]): Writer {
  const { ask, close } = createWriterOnDemand(path, streams)
  const pages = createPageFiles(path)
  return {
    windows: {
      stage: page => explained(path, () => pages.stage(page)),
      discard: reading => explained(path, () => pages.discard(reading)),
      async commit(window) {
        const lent = pages.lend(window.reading)
        try {
          const committed = await ask('commit', { ...window, pages: lent.pages })
          pages.discard(window.reading)
          return committed
        } finally {
          lent.giveBack()
        }
      },
    },
    replay: letters => ask('replay', letters),
    discard: letters => ask('discardLetters', letters),
    purge: order => ask('purge', order),
    // A query of Kysely's holds more, which no thread could be sent.
    execute: ({ sql, parameters }) => ask('execute', { sql, parameters }),
    executeAll: statements =>
      ask(
        'executeAll',
        statements.map(({ sql, parameters }) => ({ sql, parameters })),
      ),
    async close() {
      try {
        await close()
      } finally {
        pages.close()
      }
    },
  }
}

/** A full disk, say. */
async function explained(path: string, work: () => void): Promise<void> {
  try {
    work()
  } catch (cause) {
    throw asDatabaseError(path, cause)
  }
}
