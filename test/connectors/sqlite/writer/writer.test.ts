import { once } from 'node:events'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openConnection } from '../../../../connectors/sqlite/connection/open-connection.ts'
import { migrate } from '../../../../connectors/sqlite/schema/migrate.ts'
import { createWriterOnDemand } from '../../../../connectors/sqlite/writer/writer.ts'
import type { WriterOnDemand } from '../../../../connectors/sqlite/writer/writer.ts'
import { newPath } from '../window-database.ts'

let started: Worker[]
let running: number

const onWorker = (worker: Worker): void => {
  started.push(worker)
  running += 1
  worker.once('exit', () => (running -= 1))
}

beforeEach(() => {
  started = []
  running = 0
  process.on('worker', onWorker)
})

afterEach(() => process.off('worker', onWorker))

/** Longer than any test. */
const NEVER_MS = 600_000

async function createDatabase(path: string): Promise<void> {
  await migrate(path, [])
  const connection = openConnection(path)
  connection.exec('CREATE TABLE rows (number INTEGER PRIMARY KEY)')
  connection.close()
}

async function openWritten(
  restMs: number,
  more: { cutAgainMs?: number; longLogBytes?: number } = {},
): Promise<{ path: string; writer: WriterOnDemand }> {
  const path = newPath()
  await createDatabase(path)
  return { path, writer: createWriterOnDemand(path, [], { restMs, ...more }) }
}

const add = (writer: WriterOnDemand, number: number): Promise<number> =>
  writer.ask('execute', { sql: 'INSERT INTO rows VALUES (?)', parameters: [number] })

function numbersIn(path: string): unknown[] {
  const connection = openConnection(path)
  try {
    return connection.prepare('SELECT number FROM rows ORDER BY number').pluck().all()
  } finally {
    connection.close()
  }
}

const untilResting = (): Promise<void> => expect.poll(() => running).toBe(0)

test('no thread runs before something is written, and none is started for the end', async () => {
  const { path, writer } = await openWritten(NEVER_MS)
  await writer.close()
  expect(started).toHaveLength(0)
  expect(existsSync(`${path}-wal`)).toBe(false)
})

test('a thread that has nothing to do ends, and the next write starts another one', async () => {
  const { path, writer } = await openWritten(1)
  await add(writer, 1)
  await untilResting()
  await add(writer, 2)
  await untilResting()
  expect(started).toHaveLength(2)
  await writer.close()
  expect(numbersIn(path)).toEqual([1, 2])
  expect(existsSync(`${path}-wal`)).toBe(false)
})

test('calls that come one after another find the thread running', async () => {
  const { writer } = await openWritten(NEVER_MS)
  for (let number = 0; number < 5; number++) await add(writer, number)
  expect(started).toHaveLength(1)
  await writer.close()
  expect(running).toBe(0)
})

test('whenever the thread ends, every write that was answered is there, in order', async () => {
  const pauses = fc.array(fc.constantFrom(undefined, 0, 1, 2, 5), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(pauses, async pausesMs => {
      const { path, writer } = await openWritten(1)
      const writes: Promise<number>[] = []
      for (const [number, pauseMs] of pausesMs.entries()) {
        writes.push(add(writer, number))
        if (pauseMs !== undefined) await Promise.all(writes).then(() => wait(pauseMs))
      }
      await Promise.all(writes)
      await writer.close()
      expect(numbersIn(path)).toEqual([...pausesMs.keys()])
    }),
    { numRuns: 3 },
  )
})

test('a thread that could not open the database is tried again by the next write', async () => {
  const { path, writer } = await openWritten(NEVER_MS)
  rmSync(path)
  writeFileSync(path, 'no database, but long enough to be looked at as one'.repeat(20))
  await expect(add(writer, 1)).rejects.toThrow('not a readable SQLite database')
  rmSync(path)
  await createDatabase(path)
  await add(writer, 2)
  await writer.close()
  expect(numbersIn(path)).toEqual([2])
})

test('a thread that breaks later is replaced by the next write', async () => {
  const { path, writer } = await openWritten(NEVER_MS)
  await add(writer, 1)
  const broken = once(started[0]!, 'exit')
  await started[0]!.terminate()
  await broken
  await add(writer, 2)
  expect(started).toHaveLength(2)
  await writer.close()
  expect(numbersIn(path)).toEqual([1, 2])
})

test('nothing is written after the end', async () => {
  const { writer } = await openWritten(NEVER_MS)
  await writer.close()
  await expect(add(writer, 1)).rejects.toThrow('closed')
})

test('a database that was taken away is not made anew by the end', async () => {
  const { path, writer } = await openWritten(NEVER_MS)
  rmSync(path)
  await writer.close()
  expect(existsSync(path)).toBe(false)
})

test('a log that a reader has kept is cut while nothing is written, once the reader is gone', async () => {
  const { path, writer } = await openWritten(10, { cutAgainMs: 50, longLogBytes: 1 })
  await add(writer, 1)
  const reader = openConnection(path, { readonly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT * FROM rows').all()
  await add(writer, 2)
  await untilResting()
  const bytes = (): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  expect(bytes()).toBeGreaterThan(0)
  reader.exec('COMMIT')
  await expect.poll(bytes).toBe(0)
  reader.close()
  await writer.close()
  expect(numbersIn(path)).toEqual([1, 2])
})
