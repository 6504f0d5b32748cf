import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Hints } from '../../../connectors/destination/hints.ts'
import { openHints, readFreshness } from '../../../connectors/local/hints.ts'

let path: string
let hints: Hints
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'tillage-hints-')), 'tillage.db')
  hints = openHints(path)
})
afterEach(() => {
  hints.close()
  rmSync(join(path, '..'), { recursive: true })
})

const ALL = { most: 100, rangesSinceMs: Infinity }
const product = { store: 'downtown', stream: 'products', id: 'p1' }
const unnamed = { store: 'downtown', stream: 'transactions' }

it('hints of the same record are one, and one that comes again while it is read waits on', () => {
  hints.keep([product], 1_000)
  hints.keep([product], 2_000)
  const [read] = hints.waiting('downtown', ALL)
  expect(read).toEqual({ ...product, firstMs: 1_000, lastMs: 2_000 })
  // In the same millisecond, too.
  hints.keep([product], 2_000)
  hints.done([read!], 3_000)
  expect(hints.waiting('downtown', ALL)).toHaveLength(1)
  hints.done(hints.waiting('downtown', ALL), 4_000)
  expect(hints.waiting('downtown', ALL)).toEqual([])
  expect(hints.waitingStores()).toEqual([])
})

it('kept hints are there after a crash', () => {
  hints.keep([product, unnamed], 1_000)
  hints.close()
  hints = openHints(path)
  expect(hints.waiting('downtown', ALL)).toHaveLength(2)
  expect(hints.waitingStores()).toEqual(['downtown'])
})

it('a hint that names nothing waits until the last such read is long ago', () => {
  hints.keep([unnamed], 1_000)
  hints.done(hints.waiting('downtown', ALL), 2_000)
  hints.keep([unnamed, product], 3_000)
  const since = (rangesSinceMs: number) => hints.waiting('downtown', { most: 9, rangesSinceMs })
  expect(since(1_999).map(({ id }) => id)).toEqual(['p1'])
  expect(since(2_000)).toHaveLength(2)
})

it('many of one stream become one that names nothing, and those of another stay', () => {
  const many = Array.from({ length: 51 }, (_, index) => ({ ...unnamed, id: `t${index}` }))
  hints.keep([...many, product], 1_000)
  hints.foldMany('downtown', 51)
  expect(hints.waiting('downtown', ALL)).toHaveLength(52)
  hints.foldMany('downtown', 50)
  expect(hints.waiting('downtown', ALL)).toEqual([
    { ...product, firstMs: 1_000, lastMs: 1_000 },
    { ...unnamed, firstMs: 1_000, lastMs: 1_000 },
  ])
})

it('freshness says since when a stream waits, and when it was read', () => {
  hints.keep([product], 1_000)
  const fresh = { store: 'downtown', stream: 'products', lastHintMs: 1_000 }
  expect(readFreshness(path)).toEqual([{ ...fresh, lastReadMs: undefined, waitingSinceMs: 1_000 }])
  hints.done(hints.waiting('downtown', ALL), 2_000)
  expect(readFreshness(path)).toEqual([{ ...fresh, lastReadMs: 2_000, waitingSinceMs: undefined }])
})

it('reading creates no file', () => {
  const other = join(path, '..', 'other.db')
  expect(readFreshness(other)).toEqual([])
  expect(existsSync(`${other}.hints`)).toBe(false)
})
