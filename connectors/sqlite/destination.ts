import { Worker } from 'node:worker_threads'
import type { CompiledQuery, Kysely } from 'kysely'
import { DatabaseError } from '../../errors.ts'
import type { Destination } from '../destination/destination.ts'
import type { WindowWriter } from '../destination/windows.ts'
import type { Stream } from '../stream.ts'
import { createBookkeeping } from './bookkeeping.ts'
import type { Writer } from './bookkeeping.ts'
import { kyselyOn, migrate, openConnection } from './database.ts'
import type { Schema } from './schema.ts'
import type { WindowStore } from './window-store.ts'
import type { WriterAnswer, WriterRequest } from './writer-thread.ts'

/**
 * The database that holds the rows. Reads go through Kysely on this thread, every write through the
 * writing thread.
 */
export interface SqliteDestination extends Destination {
  readonly path: string
  readonly db: Kysely<Schema>
  /** Runs one compiled statement of bookkeeping; answers how many rows it changed. */
  execute(statement: CompiledQuery): Promise<number>
}

/** Opens the destination, creating or updating its tables first. */
export async function openDestination(
  path: string,
  streams: readonly Stream[],
): Promise<SqliteDestination> {
  await migrate(path, streams)
  const reader = openConnection(path, { readonly: true })
  const db = kyselyOn(reader)
  const here = import.meta.url
  const thread = new Worker(
    new URL(`./writer-thread${here.endsWith('.ts') ? '.ts' : '.js'}`, here),
    { workerData: { path, streams } },
  )
  const waiting = new Map<
    number,
    { resolve: (output: never) => void; reject: (error: unknown) => void }
  >()
  let nextId = 1
  let broken: Error | undefined

  thread.on('message', (answer: WriterAnswer) => {
    const call = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('error' in answer) call?.reject(asError(answer.error))
    else call?.resolve(answer.output as never)
  })
  thread.on('error', (cause: Error) => {
    broken = cause
    for (const call of waiting.values()) call.reject(cause)
    waiting.clear()
  })

  const ask = <Call extends keyof WindowStore>(
    call: Call,
    input: Parameters<WindowStore[Call]>[0],
    transfer: ArrayBuffer[] = [],
  ): Promise<ReturnType<WindowStore[Call]>> =>
    new Promise((resolve, reject) => {
      if (broken !== undefined) return reject(broken)
      const id = nextId++
      waiting.set(id, { resolve, reject })
      thread.postMessage({ id, call, input } satisfies WriterRequest, transfer)
    })

  const windows: WindowWriter = {
    // The bytes of a page are moved to the writing thread, not copied.
    stage(page) {
      // Small Buffers share a pool with others and must not be moved.
      const whole =
        page.body.byteOffset === 0 && page.body.byteLength === page.body.buffer.byteLength
      return ask('stage', page, whole ? [page.body.buffer as ArrayBuffer] : [])
    },
    discard: reading => ask('discard', reading),
    commit: window => ask('commit', window),
  }
  const writer: Writer = {
    replay: letters => ask('replay', letters),
    discardLetters: letters => ask('discardLetters', letters),
    execute: ({ sql, parameters }) => ask('execute', { sql, parameters }),
    executeAll: statements => ask('executeAll', statements),
  }
  return {
    location: path,
    path,
    db,
    windows,
    execute: writer.execute,
    ...createBookkeeping(db, writer),
    async close() {
      if (broken === undefined) await ask('close', undefined as never)
      await thread.terminate()
      await db.destroy()
    },
  }
}

function asError({
  code,
  message,
  remedy,
}: Extract<WriterAnswer, { error: unknown }>['error']): Error {
  return code === undefined
    ? new Error(message)
    : new DatabaseError(code, message, remedy === undefined ? {} : { remedy })
}
