import type { DeadLetters } from '../../destination/dead-letters.ts'
import type { Upkeep } from '../../destination/upkeep.ts'
import type { WindowWriter } from '../../destination/windows.ts'
import type { Stream } from '../../stream.ts'
import { buffersOf } from '../window/staged-pages.ts'
import type { Statement } from './writer-calls.ts'
import { createWriterOnDemand } from './writer-on-demand.ts'

/** Every write of this process, through the one thread that writes. */
export interface Writer {
  windows: WindowWriter
  replay: DeadLetters['replay']
  discardLetters: DeadLetters['discard']
  purge: Upkeep['purge']
  /** Runs one compiled statement of bookkeeping; answers how many rows it changed. */
  execute(statement: Statement): Promise<number>
  /** Runs several statements in one transaction. */
  executeAll(statements: readonly Statement[]): Promise<void>
  /** Waits for what is being written, and empties SQLite's log. */
  close(): Promise<void>
}

/** The thread that writes runs while there is something to write: see `writer-on-demand.ts`. */
export function openWriter(path: string, streams: readonly Stream[]): Writer {
  const { ask, hold, release, close } = createWriterOnDemand(path, streams)
  return {
    windows: {
      stage(page) {
        hold(page.reading)
        // The bytes are moved, not copied.
        return ask('stage', page, wholeBuffers(buffersOf(page)))
      },
      async discard(reading) {
        await ask('discard', reading)
        release(reading)
      },
      async commit(window) {
        const committed = await ask('commit', window)
        release(window.reading)
        return committed
      },
    },
    replay: letters => ask('replay', letters),
    discardLetters: letters => ask('discardLetters', letters),
    purge: order => ask('purge', order),
    // A query of Kysely's holds more, which no thread could be sent.
    execute: ({ sql, parameters }) => ask('execute', { sql, parameters }),
    executeAll: statements => ask('executeAll', statements),
    close,
  }
}

/** Small Buffers share a pool with others and must stay. */
const wholeBuffers = (parts: readonly ArrayBufferView[]): ArrayBuffer[] =>
  parts.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  )

/** For connections that only read: a write is a mistake of ours. */
export function refuseWrites(): Writer {
  const refuse = (): never => {
    throw new Error('this connection only reads')
  }
  return {
    windows: { stage: refuse, discard: refuse, commit: refuse },
    replay: refuse,
    discardLetters: refuse,
    purge: refuse,
    execute: refuse,
    executeAll: refuse,
    close: () => Promise.resolve(),
  }
}
