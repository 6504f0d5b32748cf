import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { reviveError } from '../../../errors.ts'
import type { DeadLetters } from '../../destination/dead-letters.ts'
import type { Rows } from '../../destination/rows.ts'
import type { Upkeep } from '../../destination/upkeep.ts'
import type { WindowWriter } from '../../destination/windows.ts'
import type { Statements } from '../../sql/connection.ts'
import { createPageFiles } from '../../staged/files-beside.ts'
import type { Stream } from '../../stream.ts'
import { openConnection } from '../connection/open-connection.ts'
import { asDatabaseError } from '../connection/sqlite-errors.ts'
import { closeChecked, logBytesOf } from './checkpoints.ts'
import type { WindowStore, WriterAnswer, WriterRequest } from './window-store.ts'

/** Every write of this process, through the one thread that writes. */
export interface Writer extends Statements {
  windows: WindowWriter
  replay: DeadLetters['replay']
  discard: DeadLetters['discard']
  purge: Upkeep['purge']
  repair: Rows['repair']
  /** Waits for what is being written, and empties SQLite's log. */
  close(): Promise<void>
}

/** The thread that writes runs while there is something to write. */
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
    repair: (store, { name }, different) => ask('repair', { store, stream: name, different }),
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

/** A thread that has had nothing to do for so long ends: it holds 10 MB, and starts in 0.1 s. */
const REST_MS = 5_000
/** While nothing is written, a log that a long reader has kept is tried to be cut so often. */
const CUT_AGAIN_MS = 30_000
/** The writer cuts a shorter one with one of its next windows. */
const LONG_LOG_BYTES = 256_000_000

export interface WriterOnDemand {
  ask<Call extends keyof WindowStore>(
    call: Call,
    input: Parameters<WindowStore[Call]>[0],
  ): Promise<ReturnType<WindowStore[Call]>>
  close(): Promise<void>
}

/**
 * Starts the writing thread for the first call, and ends it while nothing is written. One that
 * breaks is replaced by the next call.
 */
export function createWriterOnDemand(
  path: string,
  streams: readonly Stream[],
  { restMs = REST_MS, cutAgainMs = CUT_AGAIN_MS, longLogBytes = LONG_LOG_BYTES } = {},
): WriterOnDemand {
  let thread: WriterThread | undefined
  let ending: Promise<void> = Promise.resolve()
  let asked = 0
  let isClosed = false
  let rest: NodeJS.Timeout | undefined

  const end = (): void => {
    const ended = thread!
    thread = undefined
    // What it could not do at its end, the next one or the last close does.
    ending = ended.close().catch(() => {})
    void ending.then(cutLater)
  }
  /** A thread that is closed cuts the log. */
  const cutLater = (): void => {
    if (isClosed || asked > 0 || thread !== undefined || logBytesOf(path) < longLogBytes) return
    rest = setTimeout(() => {
      thread = new WriterThread(path, streams)
      end()
    }, cutAgainMs).unref()
  }
  const restLater = (): void => {
    clearTimeout(rest)
    if (asked > 0 || thread === undefined || isClosed) return
    rest = setTimeout(end, restMs).unref()
  }
  return {
    async ask(call, input) {
      if (isClosed) throw new Error(`${path} is closed already`)
      clearTimeout(rest)
      asked += 1
      try {
        await ending
        if (thread?.isBroken === true) thread = undefined
        thread ??= new WriterThread(path, streams)
        return await thread.ask(call, input)
      } finally {
        asked -= 1
        restLater()
      }
    },
    async close() {
      isClosed = true
      clearTimeout(rest)
      await ending
      if (thread !== undefined) await thread.close()
      // A database that somebody has taken away is not made anew.
      else if (existsSync(path) && logBytesOf(path) > 0) closeChecked(openConnection(path))
    },
  }
}

interface WaitingCall {
  resolve(output: never): void
  reject(error: unknown): void
}

/**
 * One life of the writing thread: calls of the window store, each answered by the thread under the
 * number that it was given.
 */
class WriterThread {
  readonly #thread: Worker
  readonly #waiting = new Map<number, WaitingCall>()
  #nextId = 1
  #broken: Error | undefined

  constructor(path: string, streams: readonly Stream[]) {
    const here = import.meta.url
    const file = `./writer-thread${here.endsWith('.ts') ? '.ts' : '.js'}`
    this.#thread = new Worker(new URL(file, here), { workerData: { path, streams } })
    this.#thread.on('message', (answer: WriterAnswer) => this.#settle(answer))
    this.#thread.on('error', (cause: Error) => this.#break(cause))
    this.#thread.on('exit', () =>
      this.#break(new Error(`the thread that writes ${path} has ended`)),
    )
  }

  ask<Call extends keyof WindowStore>(
    call: Call,
    input: Parameters<WindowStore[Call]>[0],
  ): Promise<ReturnType<WindowStore[Call]>> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== undefined) return reject(this.#broken)
      const id = this.#nextId++
      this.#waiting.set(id, { resolve, reject })
      this.#thread.postMessage({ id, call, input } satisfies WriterRequest)
    })
  }

  /** The database could not be opened, say: it answers no further call. */
  get isBroken(): boolean {
    return this.#broken !== undefined
  }

  /** Waits for what is being written, and ends the thread. */
  async close(): Promise<void> {
    if (this.#broken === undefined) await this.ask('close', undefined)
    await this.#thread.terminate()
  }

  #settle(answer: WriterAnswer): void {
    const call = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('output' in answer) return call?.resolve(answer.output as never)
    const { error } = answer
    call?.reject(error.code === undefined ? new Error(error.message) : reviveError(error))
  }

  #break(cause: Error): void {
    this.#broken ??= cause
    for (const call of this.#waiting.values()) call.reject(this.#broken)
    this.#waiting.clear()
  }
}
