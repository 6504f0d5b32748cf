import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { changedManifest, closedBooks, closedDays } from '../../books/changed-days.ts'
import { addDays } from '../../calendar/days.ts'
import { transactions } from '../../connectors/partner/streams/transactions.ts'
import { openDestination } from '../../connectors/sqlite/destination.ts'
import { decideRevision } from '../../exports/revisions/decide-revision.ts'
import type { PreparedFile } from '../../exports/revisions/decide-revision.ts'
import { newestManifest } from '../../exports/revisions/manifest.ts'
import { fingerprint, publishRevision } from '../../exports/revisions/publish.ts'
import { openDatabase } from '../connectors/sqlite/window-database.ts'

type Spelling = (ms: number) => number | string

/** A store that gave out the books of three days, each looked at by a night, and then read on. */
async function closed(
  exceptions: readonly string[] = [],
  ...before: [id: string, completed: string][]
) {
  const database = await openDatabase([transactions])
  const { bookedDays, close } = await openDestination(database.path, [transactions])
  onTestFinished(close)
  const out = join(dirname(database.path), 'exports')
  const workFolder = join(out, '.work')
  const read = (
    id: string,
    completed: string,
    modified = completed,
    spelled: Spelling = Number,
  ): void =>
    void database.load(transactions, [
      [
        JSON.stringify({
          id,
          modified: spelled(Date.parse(modified)),
          completedTime: spelled(Date.parse(completed)),
        }),
      ],
    ])
  for (const [id, completed] of before) read(id, completed)
  for (const day of ['2026-03-07', '2026-03-08', '2026-03-09']) {
    mkdirSync(workFolder, { recursive: true })
    const days = { from: day, to: addDays(day, 1) }
    const range = { start: `${day}T00:00:00.000Z`, end: `${days.to}T00:00:00.000Z` }
    const file = (dataset: string, rows: number): PreparedFile => {
      const preparedPath = join(workFolder, dataset)
      writeFileSync(preparedPath, dataset)
      return { preparedPath, dataset, format: 'csv', rows, ...fingerprint(preparedPath) }
    }
    const header = {
      tool: 'test',
      writer: 'none',
      store: 'downtown',
      days,
      range,
      books: { timeZone: 'UTC', dayStartsAt: '00:00', ...range, editsKnownUntil: range.end },
      people: false,
      proof: null,
    }
    const files = [
      file('daily_sales_journal', 1),
      file('exceptions', exceptions.includes(day) ? 1 : 0),
    ]
    await publishRevision(
      workFolder,
      decideRevision(
        {
          header,
          states: [{ stream: 'transactions', revision: 0, state: 's' }],
          renewed: [],
          datasets: [],
          files: files.map(one => ({ ...one, revision: 0 })),
        },
        {
          folder: join(out, 'downtown', day),
          newest: undefined,
          present: () => false,
          given: new Map(),
        },
      ),
      { give: async () => {}, withdraw: async () => {} },
    )
    await bookedDays.remember({
      store: 'downtown',
      day,
      manifest: newestManifest(out, { store: 'downtown', days })!.sha256,
      batch: await bookedDays.newestBatch(),
    })
  }
  const changed = async (until = '2026-03-10'): Promise<string[]> => {
    const days = closedDays(out, 'downtown')
    const books = await closedBooks(bookedDays, out, 'downtown', days)
    const found = await Promise.all(days.map(day => changedManifest(books, day, until)))
    return days.filter((_, index) => found[index] !== undefined)
  }
  return { read, changed }
}

test('days are looked at again where a record came later or is another now, and not for what was there', async () => {
  const { read, changed } = await closed([], ['T1', '2026-03-07T12:00:00Z'])
  expect(await changed()).toEqual([])
  read('T2', '2026-03-08T12:00:00Z')
  expect(await changed()).toEqual(['2026-03-08'])
  read('T1', '2026-03-07T12:00:00Z', '2026-03-10T12:00:00Z')
  expect(await changed()).toEqual(['2026-03-07', '2026-03-08'])
})

test('a sale that moved to another day changes both: the one it is on, and the one that it left', async () => {
  const { read, changed } = await closed([], ['T1', '2026-03-09T12:00:00Z'])
  read('T1', '2026-03-07T12:00:00Z', '2026-03-10T12:00:00Z')
  expect(await changed()).toEqual(['2026-03-07', '2026-03-09'])
})

test('so does one whose times come as texts', async () => {
  const { read, changed } = await closed()
  read('T1', '2026-03-09T12:00:00Z', '2026-03-09T12:00:00Z', String)
  read('T1', '2026-03-07T12:00:00Z', '2026-03-10T12:00:00Z', String)
  expect(await changed()).toEqual(['2026-03-07', '2026-03-09'])
})

test('a day whose journal lacked something is looked at again for sixty days', async () => {
  const { changed } = await closed(['2026-03-08'])
  expect(await changed()).toEqual(['2026-03-08'])
  expect(await changed('2026-05-07')).toEqual(['2026-03-08'])
  expect(await changed('2026-05-08')).toEqual([])
})
