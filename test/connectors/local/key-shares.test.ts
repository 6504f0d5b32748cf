import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { KeyShares } from '../../../connectors/destination/key-shares.ts'
import { openKeyShares, paceFileOf } from '../../../connectors/local/key-shares.ts'

let path: string
const open: KeyShares[] = []
beforeEach(() => (path = join(mkdtempSync(join(tmpdir(), 'tillage-pace-')), 'tillage.db')))
afterEach(() => {
  for (const shares of open.splice(0)) shares.close()
  rmSync(join(path, '..'), { recursive: true })
})

const openOne = (database = path): KeyShares => {
  const shares = openKeyShares(database)
  open.push(shares)
  return shares
}

it('no slot is given twice, whoever takes how many and when', () => {
  const processes = [openOne(), openOne(), openOne()].map(shares => shares.of('key'))
  let nowMs = 1_000_000
  const slotMs = 50
  const taken: number[] = []
  const order = fc.record({
    process: fc.nat(2),
    slots: fc.integer({ min: 1, max: 4 }),
    laterMs: fc.nat(300),
  })
  fc.assert(
    fc.property(fc.array(order, { maxLength: 40 }), orders => {
      for (const { process, slots, laterMs } of orders) {
        nowMs += laterMs
        const { startMs } = processes[process]!.take({ slots, slotMs, nowMs })
        expect(startMs).toBeGreaterThanOrEqual(nowMs)
        for (let slot = 0; slot < slots; slot++) taken.push(startMs + slot * slotMs)
      }
      expect(taken.every((at, index) => index === 0 || at >= taken[index - 1]! + slotMs)).toBe(true)
    }),
    { numRuns: 30 },
  )
})

it('keys share nothing with each other, and a process that is gone is not counted for long', () => {
  const [one, other] = [openOne(), openOne()]
  const order = { slots: 1, slotMs: 1000, nowMs: 5_000 }
  expect(one.of('a').take(order)).toEqual({ startMs: 5_000, sharers: 1 })
  expect(other.of('b').take(order)).toEqual({ startMs: 5_000, sharers: 1 })
  expect(other.of('a').take(order)).toEqual({ startMs: 6_000, sharers: 2 })
  expect(one.of('a').take({ ...order, nowMs: 20_000 })).toEqual({ startMs: 20_000, sharers: 1 })
})

it('a clock that is set back by a day delays nobody', () => {
  const share = openOne().of('a')
  const nowMs = 100_000_000
  share.take({ slots: 1, slotMs: 50, nowMs })
  const back = nowMs - 86_400_000
  expect(share.take({ slots: 1, slotMs: 50, nowMs: back }).startMs).toBe(back)
})

it('an unreadable file is created again; without one, each process limits itself', () => {
  writeFileSync(
    paceFileOf(path),
    'no database at all, but long enough to be taken for one'.repeat(99),
  )
  const order = { slots: 1, slotMs: 1000, nowMs: 5_000 }
  expect(openOne().of('a').take(order).startMs).toBe(5_000)
  expect(openOne().of('a').take(order).startMs).toBe(6_000)
  const nowhere = openOne(join(path, 'below', 'a', 'file')).of('a')
  expect(nowhere.take(order)).toEqual({ startMs: 5_000, sharers: 1 })
  expect(nowhere.take(order)).toEqual({ startMs: 5_000, sharers: 1 })
})

it('a file that is busy is left to those who share it', () => {
  const order = { slots: 1, slotMs: 1000, nowMs: 5_000 }
  const busy = new Sqlite(paceFileOf(path))
  try {
    busy.exec('BEGIN EXCLUSIVE')
    const { ino } = statSync(paceFileOf(path))
    const share = openOne().of('a')
    expect(share.take(order)).toEqual({ startMs: 5_000, sharers: 1 })
    expect(statSync(paceFileOf(path)).ino).toBe(ino)
    busy.exec('ROLLBACK')
    expect(share.take(order).startMs).toBe(5_000)
    expect(share.take(order).startMs).toBe(6_000)
  } finally {
    busy.close()
  }
})
