import { Worker } from 'node:worker_threads'
import { DatabaseError } from '../../../errors.ts'
import type { Stream } from '../../stream.ts'
import type { WindowStore, WriterAnswer, WriterRequest } from './writer-calls.ts'

interface WaitingCall {
  resolve(output: never): void
  reject(error: unknown): void
}

/**
 * One life of the writing thread: calls of the window store, each answered by the thread under the
 * number that it was given.
 */
export class WriterThread {
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
    if ('error' in answer) call?.reject(asError(answer.error))
    else call?.resolve(answer.output as never)
  }

  #break(cause: Error): void {
    this.#broken ??= cause
    for (const call of this.#waiting.values()) call.reject(this.#broken)
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
