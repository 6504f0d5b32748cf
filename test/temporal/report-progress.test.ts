import { expect, it } from 'vitest'
import {
  describeDelays,
  describeProgress,
  describeSilence,
} from '../../temporal/report-progress.ts'

const seen = { planned: 27, done: 12, fetched: 1470, pages: 30 }

it('names the newest window, a rate and what is left, and shortens nothing itself', () => {
  const newest = 'downtown batches 2026-11-15 proven'
  const line = describeProgress({ ...seen, newest }, 10_000)
  expect(line).toBe(
    '12 of 27 windows, 147 records/s, about 13 s more; downtown batches 2026-11-15 proven',
  )
})

it('estimates nothing from a window or two, and says what it does when all are read', () => {
  const early = { ...seen, done: 2, newest: undefined }
  expect(describeProgress(early, 10_000)).toBe('2 of 27 windows, 147 records/s')
  const over = { ...seen, done: 27, newest: 'downtown vendors proven' }
  expect(describeProgress(over, 10_000)).toBe('27 of 27 windows, finishing')
  const nothing = { planned: 0, done: 0, fetched: 0, pages: 0, newest: undefined }
  expect(describeProgress(nothing, 0)).toBe('asking what there is to read')
})

it('counts pages until the first window is done, however large that is', () => {
  const large = { planned: 2, done: 0, fetched: 0, pages: 1312, newest: undefined }
  expect(describeProgress(large, 60_000)).toBe('0 of 2 windows, page 1,312')
})

it('says which API is waited for: one asked for a pause, the other is gone', () => {
  const nowMs = Date.parse('2026-11-22T10:12:30Z')
  const pauses: Record<string, number> = { downtown: 3_600_000, harbor: 4_000, uptown: 0 }
  const outage = {
    sinceMs: nowMs - 60_000,
    reason: 'connection refused',
    nextTryMs: nowMs + 20_000,
  }
  const waiting = {
    stores: Object.keys(pauses).map(id => ({ id })),
    store: (id: string) => ({ governor: { allowance: { pausedMs: pauses[id]! } } }),
    outages: new Map([['uptown', outage]]),
  }
  expect(describeDelays(waiting, nowMs)).toEqual([
    'uptown: waiting for the API since 10:11Z (connection refused), trying again in 20 s',
    'downtown: the API asked for a pause until 11:12Z',
  ])
  expect(describeDelays({ ...waiting, stores: [], outages: new Map() }, nowMs)).toEqual([])
})

it('says for how long the API has not answered, once that is long', () => {
  expect(describeSilence(25_900)).toBe('; the API has not answered for 25 s')
  expect(describeSilence(9_999)).toBe('')
})
