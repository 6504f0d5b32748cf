import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { correctedDays } from '../../books/changes-since.ts'
import { refreshViews } from '../../books/refresh-views.ts'
import { DAY_MS } from '../../calendar/days.ts'
import { loadConfig } from '../../config.ts'
import type { Config } from '../../config.ts'
import { openDestination, openReadOnly } from '../../connectors/database.ts'
import type { Destination } from '../../connectors/destination/destination.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { pageOf } from '../connectors/sqlite/page-of.ts'
import { postgresForTests } from '../helpers/postgres.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillage-corrected-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const MONDAY = Date.UTC(2026, 2, 2)
const WINDOW = { start: '2026-03-02T00:00:00.000Z', end: '2026-03-09T00:00:00.000Z' }

const DATABASES: Readonly<Record<string, () => Promise<string>>> = {
  SQLite: () => Promise.resolve(join(folder, 'tillage.db')),
  PostgreSQL: async () => (await postgresForTests()).url,
}

function configOf(database: string): Config {
  const file = join(folder, 'tillage.yaml')
  const keys = { baseUrl: 'http://127.0.0.1:9', partnerKey: 'p', developerKey: 'd' }
  const store = { id: 'downtown', ...keys, timeZone: 'UTC' }
  writeFileSync(file, JSON.stringify({ database, stores: [store] }))
  return loadConfig(file)
}

const sale = (day: number, item: object): object => {
  const ms = MONDAY + day * DAY_MS + 1_000
  const line = { id: `i${day}`, quantity: 2, unitPrice: 5, finalPrice: 10, ...item }
  const cart = { total: 10, subTotal: 10, items: [line] }
  return { id: `T${day}`, modified: ms, completedTime: ms, status: 'Completed', cart }
}

const SALES = [
  sale(0, { productId: 'P1', batchId: 'B1' }),
  sale(1, { productId: 'P1', quantityLogs: [{ batchId: 'B2', quantity: 2 }] }),
  sale(2, { productId: 'P2', batchId: 'B3' }),
  sale(3, { productId: 'P-LATE', batchId: 'B3' }),
]
const lot = (id: string, costPerUnit: number, more: object = {}): object => ({
  id,
  costPerUnit,
  modified: MONDAY,
  quantity: 10,
  ...more,
})
const product = (id: string, more: object = {}): object => ({
  id,
  name: id,
  categoryId: 'C1',
  ...more,
})

describe.each(Object.entries(DATABASES))('what lines of the books name, on %s:', (_, open) => {
  let destination: Destination
  const load = async (name: string, records: readonly object[]): Promise<void> => {
    const texts = records.map(record => JSON.stringify(record))
    const page = pageOf(
      streams.find(stream => stream.name === name)!,
      texts,
      randomUUID(),
    )
    await destination.windows.stage(page)
    await destination.windows.commit({
      reading: page.reading,
      store: 'downtown',
      stream: name,
      window: WINDOW,
      status: 'proven',
      byId: true,
      evidence: {},
      superseded: {},
      fetched: records.length,
      findings: [],
      readAt: WINDOW.end,
    })
  }
  beforeAll(async () => {
    const config = configOf(await open())
    destination = await openDestination(config, streams)
    await load('categories', [{ id: 'C1', name: 'Flower', cannabis: true }])
    await load('products', [product('P1'), product('P2', { category: { name: 'Pipes' } })])
    await load('batches', [lot('B1', 3), lot('B2', 3), lot('B3', 3)])
    await load('transactions', SALES)
    await using database = await openReadOnly(config, streams)
    const watcher = { progress: () => {}, signal: new AbortController().signal }
    await refreshViews({ config, database }, 'downtown', 100, watcher)
  })
  afterAll(() => destination.close())

  const CHANGES: readonly [string, string, object, number[]][] = [
    ['the cost of a lot of a line', 'batches', lot('B1', 4), [0]],
    ['the cost of a lot that a line was drawn from', 'batches', lot('B2', 4), [1]],
    ['a quantity of a lot', 'batches', lot('B3', 3, { quantity: 9 }), []],
    ['a lot that no line names', 'batches', lot('B4', 3), []],
    ['whether a product is cannabis', 'products', product('P2', { cannabis: false }), [2]],
    ['the name of a product', 'products', product('P1', { name: 'Other' }), []],
    ['a product that comes late', 'products', product('P-LATE'), [3]],
    ['a category', 'categories', { id: 'C1', name: 'Herb', cannabis: true }, [0, 1, 2]],
  ]
  it.each(CHANGES)('%s changes the days that the journal takes it for', async (...change) => {
    const [, name, record, days] = change
    const { bookedDays } = destination
    const before = await bookedDays.newestBatch()
    await load(name, [record])
    const found = await correctedDays(bookedDays, 'downtown', before)
    const batch = before + 1
    expect(found.toSorted((one, other) => (one.day < other.day ? -1 : 1))).toEqual(
      days.map(day => ({ day: `2026-03-0${2 + day}`, batch })),
    )
    expect(await correctedDays(bookedDays, 'downtown', batch)).toEqual([])
    expect(await correctedDays(bookedDays, 'uptown', before)).toEqual([])
  })

  it('a booked day holds up to a later reading, unless another has come between', async () => {
    const { bookedDays } = destination
    const booked = { store: 'downtown', day: '2026-03-02', manifest: 'a', batch: 1 }
    await bookedDays.remember(booked)
    await bookedDays.holdUpTo([booked], 3)
    await bookedDays.holdUpTo([booked], 2)
    expect(await bookedDays.all('downtown')).toEqual([{ ...booked, batch: 3 }])
    await bookedDays.remember({ ...booked, manifest: 'b', batch: 2 })
    await bookedDays.holdUpTo([booked], 4)
    expect(await bookedDays.all('downtown')).toEqual([{ ...booked, manifest: 'b', batch: 2 }])
    expect(await bookedDays.all('uptown')).toEqual([])
  })
})
