import { Worker } from 'node:worker_threads'
import { DatabaseError } from '../../../errors.ts'
import type { DeadLetters } from '../../destination/dead-letters.ts'
import type { Upkeep } from '../../destination/upkeep.ts'
import type { WindowWriter } from '../../destination/windows.ts'
import type { Stream } from '../../stream.ts'
import { buffersOf } from '../window/staged-pages.ts'
import type { Statement, WindowStore } from './writer-calls.ts'
import type { WriterAnswer, WriterRequest } from './writer-calls.ts'

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
  /** Waits for what is being written, and ends the thread. */
  close(): Promise<void>
}

/** Starts the writing thread. */
export function openWriter(path: string, streams: readonly Stream[]): Writer {
  const thread = new WriterThread(path, streams)
  return {
    windows: {
      stage(page) {
        // The bytes are moved, not copied.
        return thread.ask('stage', page, wholeBuffers(buffersOf(page)))
      },
      discard: reading => thread.ask('discard', reading),
      commit: window => thread.ask('commit', window),
    },
    replay: letters => thread.ask('replay', letters),
    discardLetters: letters => thread.ask('discardLetters', letters),
    purge: order => thread.ask('purge', order),
    // A query of Kysely's holds more, which no thread could be sent.
    execute: ({ sql, parameters }) => thread.ask('execute', { sql, parameters }),
    executeAll: statements => thread.ask('executeAll', statements),
    close: () => thread.close(),
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

interface WaitingCall {
  resolve(output: never): void
  reject(error: unknown): void
}

/** Calls of the window store, each answered by the thread under the number that it was given. */
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
  }

  ask<Call extends keyof WindowStore>(
    call: Call,
    input: Parameters<WindowStore[Call]>[0],
    transfer: ArrayBuffer[] = [],
  ): Promise<ReturnType<WindowStore[Call]>> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== undefined) return reject(this.#broken)
      const id = this.#nextId++
      this.#waiting.set(id, { resolve, reject })
      this.#thread.postMessage({ id, call, input } satisfies WriterRequest, transfer)
    })
  }

  async close(): Promise<void> {
    if (this.#broken === undefined) await this.ask('close', undefined)
    await this.#thread.terminate()
  }

  #settle(answer: WriterAnswer): void {
    const call = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('error' in answer) call?.reject(asError(answer.error))
    else call?.resolve(answer.output as never)
  }

  #break(cause: Error): void {
    this.#broken = cause
    for (const call of this.#waiting.values()) call.reject(cause)
    this.#waiting.clear()
  }
}

function asError({
  code,
  message,
  remedy,
}: Extract<WriterAnswer, { error: unknown }>['error']): Error {
  if (code === undefined) return new Error(message)
  return new DatabaseError(code, message, remedy === undefined ? {} : { remedy })
}
