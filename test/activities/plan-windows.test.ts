import { afterAll, expect, it } from 'vitest'
import { planWindows, startWithoutFrom } from '../../activities/plan-windows.ts'
import { fromIso } from '../../calendar/days.ts'
import type { Stream } from '../../connectors/stream.ts'
import { HOUR, NOW, START, startRecords } from './record-server.ts'
import type { Synced } from './record-server.ts'

const DAY = 24 * HOUR
const open: Synced[] = []
afterAll(() => Promise.all(open.map(synced => synced.close())))

const planned = async (changes: Partial<Stream>, sweepDays: number | undefined) => {
  const api = await startRecords(changes)
  open.push(api)
  await api.sync()
  const { range } = await planWindows(api.dependencies, {
    store: 'downtown',
    stream: 'tickets',
    timeZone: 'UTC',
    sweepDays,
  })
  return range
}

it('a sweep ends where the lookback of every run begins, so what it finds was missed', async () => {
  const swept = await planned({ lookbackDays: 3 }, 6)
  expect([fromIso(swept.start), fromIso(swept.end)]).toEqual([NOW - 6 * DAY, NOW - 3 * DAY])
  const { end } = await planned({ lookbackDays: 3 }, undefined)
  expect(fromIso(end)).toBe(NOW)
})

it('a sweep of fewer days than the lookback has nothing to read, and one of a list without dates all', async () => {
  const none = await planned({ lookbackDays: 10 }, 6)
  expect(none.start).toBe(none.end)
  const whole = await planned({ windowing: 'full-refresh' }, 6)
  expect(fromIso(whole.end)).toBe(NOW)
})

it('a run without a first day begins its lookback before the watermark, or 30 days before its end', () => {
  const rows = [
    { startMs: NOW - 9 * DAY, endMs: NOW - DAY, status: 'proven' as const, evidence: '{}' },
  ]
  expect(startWithoutFrom(rows, 3 * DAY, NOW - 5 * DAY)).toBe(NOW - 4 * DAY)
  expect(startWithoutFrom(rows, Number.POSITIVE_INFINITY, NOW)).toBe(NOW - DAY)
  expect(startWithoutFrom([], 3 * DAY, NOW - 40 * DAY)).toBe(NOW - 70 * DAY)
})

it('what was proven, and not when it was read again, is read again by the next run', async () => {
  const api = await startRecords({ lookbackDays: 1 })
  open.push(api)
  const plan = async () => {
    const asked = { store: 'downtown', stream: 'tickets', timeZone: 'UTC' }
    const { windows } = await planWindows(api.dependencies, asked)
    return windows.map(({ start }) => fromIso(start)).filter(start => start < START + 2 * DAY)
  }
  await api.sync(START, NOW)
  expect(await plan()).toEqual([])
  api.dependencies.now = () => NOW + HOUR
  api.server.lie = rows => ({ rows, total: 7 })
  expect((await api.sync(START, START + DAY)).status).toBe('unproven')
  expect(await plan()).toEqual([START])
})
