import { afterAll, beforeAll, expect, it } from 'vitest'
import { fromIso } from '../../calendar/days.ts'
import { HOUR, START, startRecords } from '../activities/record-server.ts'
import type { Synced } from '../activities/record-server.ts'

let api: Synced
beforeAll(async () => {
  api = await startRecords()
  let answers = 0
  api.server.lie = (rows, total) => ({ rows, total: total + 1 + (answers++ % 7) })
})
afterAll(() => api.close())

/** Reads a window as a workflow does, its halves too; answers how many windows that took. */
async function readAll(startMs: number, endMs: number): Promise<number> {
  const read = await api.sync(startMs, endMs)
  if (read.status !== 'split') return 1
  let windows = 1
  for (const { start, end } of read.windows) windows += await readAll(fromIso(start), fromIso(end))
  return windows
}

it('a window without rows is not cut up because its total is never the same', async () => {
  expect(await readAll(START, START + 120 * HOUR)).toBe(1)
})

it('a row under a total that is never the same costs a few windows, not one for each millisecond', async () => {
  api.server.records = [{ id: 'only', modified: START + HOUR }]
  const windows = await readAll(START, START + 120 * HOUR)
  expect(windows).toBeGreaterThan(10)
  expect(windows).toBeLessThan(30)
  expect(await api.rows()).toEqual({ alive: ['only'], gone: [] })
})
