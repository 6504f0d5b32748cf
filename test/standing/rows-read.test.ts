import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { DAY_MS, toIso } from '../../calendar/days.ts'
import { readEverything } from '../../commands/status/read-everything.ts'
import { loadConfig } from '../../config.ts'
import { openOutboundStore, openReadOnly } from '../../connectors/database.ts'
import type { ReadOnlyDatabase } from '../../connectors/destination/read-only.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { openDatabase } from '../connectors/sqlite/window-database.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const STORE = 'downtown'

/** A database whose lists were read day by day, in vain a first time each ten days. */
async function readFor(days: number) {
  const { path, connection } = await openDatabase(streams)
  const window = connection.prepare(
    `INSERT INTO windows (store_id, stream, window_start, window_end, status, evidence)
     VALUES (?, ?, ?, ?, 'proven', ?)`,
  )
  const reading = connection.prepare(
    `INSERT INTO readings (store_id, stream, window_start, window_end, status, counts, read_at)
     VALUES (?, ?, ?, ?, ?, '{}', ?)`,
  )
  const read = (stream: string, startMs: number): void => {
    const [start, end, readAt] = [startMs, startMs + DAY_MS, startMs + 1.2 * DAY_MS].map(toIso)
    if ((startMs / DAY_MS) % 10 === 0) reading.run(STORE, stream, start, end, 'unproven', readAt)
    reading.run(STORE, stream, start, end, 'proven', readAt)
    window.run(STORE, stream, start, end, JSON.stringify({ readAt }))
  }
  const today = Math.floor(NOW / DAY_MS) * DAY_MS
  connection.transaction(() => {
    for (const { name } of streams)
      for (let day = 2; day < days + 2; day++) read(name, today - day * DAY_MS)
  })()
  const file = join(dirname(path), 'tillage.yaml')
  const store = { id: STORE, baseUrl: 'http://127.0.0.1:9', timeZone: 'UTC' }
  const keys = { partnerKey: 'p', developerKey: 'd' }
  writeFileSync(file, JSON.stringify({ database: 'tillage.db', stores: [{ ...store, ...keys }] }))
  return loadConfig(file)
}

/** The database, and how many rows and entries its answers have held. */
function counting(database: ReadOnlyDatabase): { counted: ReadOnlyDatabase; rows: () => number } {
  let rows = 0
  const count = (answer: unknown): void => {
    if (Array.isArray(answer)) rows += answer.length
    else if (answer instanceof Map) for (const [, value] of answer) countEntry(value)
  }
  const countEntry = (value: unknown): void => {
    rows += 1
    if (typeof value === 'object' && value !== null) Object.values(value).forEach(count)
  }
  const watch = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value === 'object' && value !== null) return watch(value)
        if (typeof value !== 'function') return value
        return async (...given: unknown[]) => {
          const answer: unknown = await (Reflect.apply(value, target, given) as unknown)
          count(answer)
          return answer
        }
      },
    })
  return { counted: watch(database), rows: () => rows }
}

async function rowsAfter(
  days: number,
  alsoRead: (database: ReadOnlyDatabase) => Promise<unknown> = () => Promise.resolve(),
): Promise<number> {
  const config = await readFor(days)
  const database = await openReadOnly(config, streams)
  const outbound = await openOutboundStore(config.database)
  const { counted, rows } = counting(database)
  const worker = { isUp: true, stranded: [] }
  const asked = { nowMs: NOW, worker, stores: [STORE], countsRows: false, computesDays: false }
  const { stores } = await readEverything({ config, database: counted, outbound }, asked)
  expect(stores[0]!.streams.every(({ watermark }) => watermark !== null)).toBe(true)
  await alsoRead(counted)
  await outbound.close()
  await database.close()
  return rows()
}

test('how everything stands is asked in as many rows after a year as after a month', async () => {
  expect(await rowsAfter(365)).toBe(await rowsAfter(30))
})

test('whoever reads the ledger row by row reads more after a year', async () => {
  const rowByRow = async ({ ledger }: ReadOnlyDatabase): Promise<void> => {
    for (const { name } of streams) await ledger.windows(STORE, name)
  }
  expect(await rowsAfter(365, rowByRow)).toBeGreaterThan((await rowsAfter(30, rowByRow)) + 7000)
})
