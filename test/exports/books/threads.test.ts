import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { DatabaseError } from '../../../errors.ts'
import { openComputer } from '../../../exports/books/compute-books.ts'
import { startThreads, threadsFor } from '../../../exports/books/compute-in-threads.ts'
import { computeHere, writeBooks } from '../../../exports/books/write-books.ts'
import type { Computers } from '../../../exports/books/write-books.ts'
import type { ExportRequest } from '../../../exports/export-files.ts'
import { alignSnapshots } from '../../../exports/same-state.ts'
import { openSnapshot } from '../../../exports/snapshot.ts'
import { exportHere, filesIn, freshFolder, pathIn } from '../order.ts'
import { bookDatabase, DAYS, orderOfDay, store } from './book-database.ts'
import { oddRecords } from './odd-records.ts'
import { TIMES } from './worked-example.ts'

/** A few slices, the last of them short. */
const RECORDS = 600

async function oddDay(count = RECORDS): Promise<string> {
  const folder = freshFolder()
  const database = await bookDatabase(folder)
  store(database, 'transactions', oddRecords(count))
  database.close()
  return folder
}

/** Every file that an export gives out, by name. */
async function filesOf(order: ExportRequest): Promise<Map<string, Buffer>> {
  await exportHere(order)
  return new Map(
    filesIn(order.out).map(name => [name, readFileSync(pathIn(order.out, name))] as const),
  )
}

const everyRow = (folder: string, view: string): unknown[] => {
  const database = new Database(join(folder, 'tillage.db'), { readonly: true })
  try {
    return database.prepare(`SELECT * FROM ${view} ORDER BY 1, 2, 3, 4, 5`).all()
  } finally {
    database.close()
  }
}

test('bytes do not depend on how many threads compute the books, nor do rows in SQL', async () => {
  const runs = [1, 2, 3].map(async threads => {
    const folder = await oddDay()
    const files = await filesOf(
      orderOfDay(folder, { threads, formats: ['parquet', 'csv', 'jsonl'] }),
    )
    return { files, shown: everyRow(folder, 'books_taxes') }
  })
  const [one, ...others] = await Promise.all(runs)
  expect(one!.files.size).toBe(6 * 3 + 1)
  for (const other of others) expect(other).toEqual(one)
})

test('a revision that threads compute lists the same changes', async () => {
  const runs = [1, 2].map(async threads => {
    const folder = await oddDay()
    const order = orderOfDay(folder, { threads, formats: ['parquet'], datasets: ['transactions'] })
    await exportHere(order)
    const database = new Database(join(folder, 'tillage.db'))
    const edited = oddRecords(300).map(record => ({ ...record, modified: TIMES.modified + 1 }))
    store(database, 'transactions', edited)
    database.close()
    return filesOf(order)
  })
  const [one, two] = await Promise.all(runs)
  expect([...one!.keys()]).toContain('restatement_downtown_2026-03-08_r1.csv')
  expect(two).toEqual(one)
})

test('a record that cannot be written fails the same way in threads, and leaves nothing', async () => {
  const runs = [1, 2].map(async threads => {
    const folder = await oddDay(300)
    const database = new Database(join(folder, 'tillage.db'))
    // Past the checks of the tables.
    database.exec(
      `UPDATE rows_transactions SET raw = json_set(raw, '$.created', 9000000000000000)
       WHERE id = 'T0'`,
    )
    database.close()
    const order = orderOfDay(folder, { threads, formats: ['csv'] })
    const failed = await exportHere(order).catch((error: unknown) => error)
    return { failed: String(failed), files: filesIn(order.out) }
  })
  const [one, two] = await Promise.all(runs)
  expect(one).toEqual({
    failed: expect.stringContaining('transactions.created_at holds a value that is no timestamp'),
    files: [],
  })
  expect(two).toEqual(one)
})

test('threads end where an export fails before it has computed anything', async () => {
  const folder = await oddDay(10)
  const threads = { started: 0, ended: 0 }
  const count = (worker: Worker): void => {
    threads.started++
    worker.on('exit', () => threads.ended++)
  }
  process.on('worker', count)
  const { pragma } = Database.prototype
  onTestFinished(() => {
    process.off('worker', count)
    Database.prototype.pragma = pragma
  })
  // The disk fails while all of them look for one state of the database.
  Database.prototype.pragma = function (this: Database.Database, source, options) {
    if (source !== 'data_version') return pragma.call(this, source, options)
    throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR')
  }
  await expect(exportHere(orderOfDay(folder, { threads: 2 }))).rejects.toMatchObject({
    code: 'DATABASE_BROKEN',
  })
  await expect.poll(() => threads).toEqual({ started: 2, ended: 2 })
})

test('what a thread refuses says what to do, as it does without threads', async () => {
  const folder = await oddDay(10)
  const { streams, range, books } = orderOfDay(folder)
  const work = {
    stream: streams.find(({ bookedAt }) => bookedAt !== undefined)!,
    store: 'downtown',
    days: DAYS,
    books: books!,
    renderings: new Map(),
  }
  const selection = { store: 'downtown', ...range }
  const missing = join(folder, 'none.db')
  const threads = startThreads(missing, selection, [join(folder, 'books0.db')], work)
  const failed = await threads.look().catch((error: unknown) => error)
  await threads.close()
  expect(failed).toBeInstanceOf(DatabaseError)
  expect(failed).toMatchObject({
    code: 'DATABASE_BROKEN',
    remedy: 'check the path in tillage.yaml; a sync creates the database',
  })
})

/** The state of the odd day's books, as these computers answer it. */
async function stateOf(folder: string, disturb: (computers: Computers) => Computers) {
  const order = orderOfDay(folder)
  const [stream] = order.streams.filter(({ bookedAt }) => bookedAt !== undefined)
  const selection = { store: 'downtown', ...order.range }
  const { database, close } = openSnapshot(order.databasePath, selection)
  const scratch = join(freshFolder(), 'books.db')
  const work = {
    stream: stream!,
    store: 'downtown',
    days: DAYS,
    books: order.books!,
    renderings: new Map(),
  }
  const computers = disturb(computeHere(database, scratch, work))
  try {
    return await writeBooks(database, computers, work, { step: () => {} })
  } finally {
    await computers.close()
    close()
  }
}

test('slices that came out of their order would give other bytes', async () => {
  const folder = await oddDay()
  const undisturbed = await stateOf(folder, computers => computers)
  expect(await stateOf(folder, computers => computers)).toBe(undisturbed)
  const turned = await stateOf(folder, computers => ({
    ...computers,
    async *compute(slices) {
      const all = []
      for await (const slice of computers.compute(slices))
        all.push({ ...slice, state: slice.state.slice() })
      yield* all.toReversed()
    },
  }))
  expect(turned).not.toBe(undisturbed)
})

test('all threads see one state of the database, however often somebody commits', async () => {
  const folder = freshFolder()
  const writer = await bookDatabase(folder)
  writer.exec('CREATE TABLE counted (n INTEGER); INSERT INTO counted VALUES (0)')
  const path = join(folder, 'tillage.db')
  const selection = { store: 'downtown', startMs: 0, endMs: 1 }
  const snapshots = [1, 2, 3].map(() => openSnapshot(path, selection))
  const seen = (): unknown[] =>
    snapshots.map(({ database }) => database.prepare('SELECT n FROM counted').pluck().get())
  const commit = (): void => void writer.exec('UPDATE counted SET n = n + 1')
  let looks = 0
  const together = await alignSnapshots(path, async () => {
    looks++
    for (const snapshot of snapshots) {
      snapshot.renew()
      if (looks < 4) commit()
    }
  })
  expect({ together, looks, seen: seen() }).toEqual({ together: true, looks: 4, seen: [9, 9, 9] })
  // Without looking again, they differ; and where commits never end, that is said.
  expect(
    await alignSnapshots(path, async () => {
      for (const snapshot of snapshots) {
        snapshot.renew()
        commit()
      }
    }),
  ).toBe(false)
  expect(new Set(seen()).size).toBe(3)
  for (const snapshot of snapshots) snapshot.close()
  writer.close()
})

test('a night of one day starts no threads, a quarter of a year as many as there are cores', () => {
  expect([threadsFor(1_500, 16), threadsFor(100_000, 2), threadsFor(100_000, 64)]).toEqual([
    1, 2, 8,
  ])
})

test('a computer takes some of the slices, as a thread does, each with its own numbers', async () => {
  const folder = await oddDay(600)
  const order = orderOfDay(folder)
  const [stream] = order.streams.filter(({ bookedAt }) => bookedAt !== undefined)
  const { database, close } = openSnapshot(order.databasePath, {
    store: 'downtown',
    ...order.range,
  })
  const work = { stream: stream!, store: 'downtown', days: DAYS, books: order.books! }
  const ids = database.prepare<[], string>('SELECT id FROM transactions ORDER BY id').pluck().all()
  const slices = [ids.slice(0, 200), ids.slice(200, 400), ids.slice(400)]
  const numbered = ([0, 2] as const).flatMap(number => {
    const scratch = join(freshFolder(), 'books.db')
    const computer = openComputer(database, scratch, { ...work, renderings: new Map() })
    computer.compute(number, slices[number]!)
    if (number === 0) computer.compute(1, slices[1]!)
    else expect(() => computer.compute(1, slices[1]!)).toThrow('comes too late')
    computer.finish()
    computer.close()
    return readRows(scratch)
  })
  close()
  expect(numbered.map(({ id }) => id)).toEqual(ids)
  expect(numbered.map(({ seq }) => seq)).toEqual(
    ids.map((_, at) => Math.floor(at / 200) * 2 ** 24 + (at % 200) + 1),
  )
})

function readRows(scratch: string): { seq: number; id: string }[] {
  const books = new Database(scratch, { readonly: true })
  try {
    return books
      .prepare<[], { seq: number; id: string }>('SELECT seq, id FROM transactions ORDER BY seq')
      .all()
  } finally {
    books.close()
  }
}
