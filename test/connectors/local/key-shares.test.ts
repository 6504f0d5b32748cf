import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { KeyShare, KeyShares } from '../../../connectors/destination/key-shares.ts'
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

/** Answers how often it was counted before. */
const count = (share: KeyShare): Promise<number> =>
  share.change(kept => {
    const before = (kept as { count: number } | undefined)?.count ?? 0
    return { kept: { count: before + 1 }, answer: before }
  })

it('tells the time of this machine', async () => {
  const told = await openOne()
    .of('a')
    .change((_, nowMs) => ({ kept: {}, answer: nowMs }))
  expect(Math.abs(told - Date.now())).toBeLessThan(10_000)
})

it('an unreadable file is created again; without one, each process remembers by itself', async () => {
  writeFileSync(
    paceFileOf(path),
    'no database at all, but long enough to be taken for one'.repeat(99),
  )
  expect(await count(openOne().of('a'))).toBe(0)
  expect(await count(openOne().of('a'))).toBe(1)
  const nowhere = join(path, 'below', 'a', 'file')
  for (const share of [openOne(nowhere).of('a'), openOne(nowhere).of('a')])
    expect([await count(share), await count(share)]).toEqual([0, 1])
})

it('a file that is busy is left to those who share it', async () => {
  const busy = new Sqlite(paceFileOf(path))
  try {
    busy.exec('BEGIN EXCLUSIVE')
    const { ino } = statSync(paceFileOf(path))
    const share = openOne().of('a')
    expect(await count(share)).toBe(0)
    expect(statSync(paceFileOf(path)).ino).toBe(ino)
    busy.exec('ROLLBACK')
    expect([await count(share), await count(openOne().of('a'))]).toEqual([0, 1])
  } finally {
    busy.close()
  }
})
