import type { Hash } from 'node:crypto'
import { DuckDBTableFunction, VARCHAR } from '@duckdb/node-api'
import type { DuckDBConnection } from '@duckdb/node-api'

/** DuckDB's vector size: the most that a table function hands over at once. */
const CHUNK = 2048
/** More are no faster, and cost memory with wide rows. */
const CHUNKS_AHEAD = 2

/** What DuckDB reads: whoever writes a file sets `next`, and finds out here why it failed. */
export interface LineSource {
  next: () => string[]
  failure: unknown
}

/** Lets SQL of this connection read lines that are handed over. */
export function registerLineSource(connection: DuckDBConnection): LineSource {
  const source: LineSource = { next: () => [], failure: undefined }
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: 'source',
      bindFunction: bind => bind.addResultColumn('line', VARCHAR),
      initFunction: init => init.setMaxThreads(1),
      mainFunction: (info, chunk) => {
        try {
          const lines = source.next()
          chunk.rowCount = lines.length
          if (lines.length > 0) chunk.setColumnValues(0, lines)
        } catch (error) {
          // The one clean way to end a COPY early: terminating the thread would abort the whole
          // process.
          source.failure = error
          info.setError('stopped')
        }
      },
    }),
  )
  return source
}

export interface Handover {
  hash: Hash
  step: (rows: number) => void
  /** Reads all of them, from this SQL. */
  read: (from: string) => Promise<unknown>
}

/** Hands lines over while they are read, each hashed as it comes. */
export async function handOver(
  source: LineSource,
  lines: IterableIterator<string>,
  { hash, step, read }: Handover,
): Promise<void> {
  const ahead = readAhead(chunksOf(lines, hash, step))
  source.next = ahead.take
  source.failure = undefined
  try {
    await read('SELECT line FROM source()')
  } catch (error) {
    throw source.failure ?? error
  } finally {
    ahead.stop()
    lines.return?.()
  }
}

/** Lines by the chunk, hashed; an empty chunk is the end. */
function chunksOf(
  lines: IterableIterator<string>,
  hash: Hash,
  step: (rows: number) => void,
): () => string[] {
  let rows = 0
  return () => {
    const chunk: string[] = []
    while (chunk.length < CHUNK) {
      const { value, done } = lines.next()
      if (done === true) break
      chunk.push(value)
    }
    if (chunk.length > 0) hash.update(`\n${chunk.join('\n')}`)
    rows += chunk.length
    step(rows)
    return chunk
  }
}

/** Reads while DuckDB compresses; a few chunks at most, so that memory stays flat. */
function readAhead(readChunk: () => string[]): { take: () => string[]; stop: () => void } {
  const queue: string[][] = []
  let ended = false
  let planned = false
  let failure: unknown
  const read = (): string[] => {
    const chunk = readChunk()
    if (chunk.length < CHUNK) ended = true
    return chunk
  }
  const plan = (): void => {
    if (planned || ended || failure !== undefined || queue.length >= CHUNKS_AHEAD) return
    planned = true
    setImmediate(() => {
      planned = false
      if (ended) return
      try {
        queue.push(read())
        plan()
      } catch (error) {
        failure = error
      }
    })
  }
  return {
    take: () => {
      if (failure !== undefined) throw failure
      const chunk = queue.shift() ?? (ended ? [] : read())
      plan()
      return chunk
    },
    stop: () => {
      ended = true
    },
  }
}
