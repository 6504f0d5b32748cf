import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CountsError } from '../../audit/count-problem.ts'
import { reconcileSettings } from '../../audit/settings.ts'
import type { Snapshot, SnapshotLine } from '../../audit/snapshot.ts'
import { verifyEvidence } from '../../outbound/verify-evidence.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import { askResolution } from '../../reconcile/resolve.ts'
import { AuditScene } from './audit-scene.ts'

let scene: AuditScene
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterAll(() => scene.close())

const POSTS = String.raw`/reconciliations$`
const BOTH = ['Store manager', 'Compliance lead'] as const

/** In two rooms, one line each is two short; everything else is as it should be. */
function twoShort(snapshot: Snapshot): (line: SnapshotLine) => { counted_qty: string } {
  const short = new Set<string>()
  const rooms = new Set<string>()
  for (const { lineId, inventoryId, expected, unit } of snapshot.lines) {
    if (rooms.size === 2 || rooms.has(inventoryId) || unit !== 'EACH' || Number(expected) < 10)
      continue
    rooms.add(inventoryId)
    short.add(lineId)
  }
  return ({ lineId, expected }) => ({
    counted_qty: short.has(lineId) ? String(Number(expected) - 2) : expected,
  })
}

/** The same lots, and one less of each. */
const oneLess =
  (write: ReturnType<typeof twoShort>): typeof write =>
  line => {
    const { counted_qty: quantity } = write(line)
    return { counted_qty: quantity === line.expected ? quantity : String(Number(quantity) - 1) }
  }

/** A person has looked, and wants it sent again. */
const askRetry = (kept: KeptPlan, op: string): Promise<unknown> =>
  askResolution(
    scene.reconciling(),
    { plan: kept.document.plan, op },
    { as: 'retry', by: 'Ana', reason: 'support does not see it' },
  )

describe('counts', () => {
  it('are refused with every mistake at once, by file, row and column', async () => {
    const snapshot = await scene.snapshot('Quarantine')
    const mistakes: Record<number, object> = {
      0: { counted_qty: '1,200' },
      1: { counted_qty: '-1' },
      2: { counted_at: '2020-01-01T00:00:00Z' },
      3: { unit: 'OUNCE' },
      4: { scanned_tag: '1.4E+23' },
      5: { counted_qty: '=1+1' },
      6: { recount_qty: '3', recounted_by: ' e-14' },
      7: { counted_at: 'last night' },
      8: { counted_qty: '1234567890123' },
    }
    const file = scene.count(snapshot, ({ lineId }) => ({
      counted_qty: '3',
      ...mistakes[Number(lineId) - 1],
    }))
    const error = await scene.plan(file).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(CountsError)
    const told = (error as CountsError).problems.map(({ row, column, code }) => [row, column, code])
    expect(told.filter(([row]) => (row as number) <= 10)).toEqual([
      [2, 'counted_qty', 'QTY_INVALID'],
      [3, 'counted_qty', 'QTY_NEGATIVE'],
      [4, 'counted_at', 'COUNTED_BEFORE'],
      [5, 'unit', 'UNIT_WRONG'],
      [6, 'scanned_tag', 'TAG_BENT'],
      [7, 'counted_qty', 'FORMULA'],
      [8, 'recounted_by', 'RECOUNT_SAME_PERSON'],
      [9, 'counted_at', 'COUNTED_AT_INVALID'],
      [10, 'counted_qty', 'QTY_TOO_LARGE'],
    ])
  })

  it('of stock that is lost need an adjustment reason before there is a plan', async () => {
    const snapshot = await scene.snapshot('Quarantine')
    const less = snapshot.lines.find(({ expected }) => Number(expected) > 2)!
    const more = snapshot.lines.find(
      ({ expected, lineId }) => expected !== '0' && lineId !== less.lineId,
    )!
    const write = (reason_code: string) =>
      scene.count(snapshot, ({ lineId, expected }) => {
        if (lineId === less.lineId) return { counted_qty: '1', reason_code }
        const counted_qty =
          lineId === more.lineId ? String(Math.ceil(Number(expected)) + 1) : expected
        return { counted_qty, reason_code: '' }
      })
    const error = (await scene.plan(write('')).catch(one => one)) as CountsError
    expect(error.problems).toMatchObject([
      { row: Number(less.lineId) + 1, column: 'reason_code', code: 'REASON_MISSING' },
    ])
    const { document } = await scene.plan(write('theft'))
    expect(document.lines.filter(({ delta }) => delta !== '0')).toHaveLength(2)
  })

  it('of stock that is lost need none where no list and no state is configured', async () => {
    const snapshot = await scene.snapshot('Quarantine')
    const less = snapshot.lines.find(({ expected }) => Number(expected) > 2)!
    const file = scene.count(snapshot, ({ lineId, expected }) =>
      lineId === less.lineId
        ? { counted_qty: '1', reason_code: 'cat ate it' }
        : { counted_qty: expected },
    )
    const free = { ...reconcileSettings.parse({}), currency: 'USD' }
    const { document } = await scene.plan(file, false, free)
    expect(document.lines.find(({ delta }) => delta !== '0')?.reason_code).toBe('cat ate it')
  })

  it('of a full inventory are refused while a line is empty, which is named; 0 is a count', async () => {
    const snapshot = await scene.snapshot('Quarantine')
    const write =
      (empty: string) =>
      ({ lineId, expected }: SnapshotLine): { counted_qty: string } | undefined =>
        lineId === empty ? undefined : { counted_qty: expected }
    const error = await scene.plan(scene.count(snapshot, write('4')), true).catch(one => one)
    expect((error as CountsError).problems).toMatchObject([
      { row: 5, column: 'counted_qty', code: 'UNCOUNTED' },
    ])
    const { document } = await scene.plan(scene.count(snapshot, write('none')), true)
    expect(document.isFull).toBe(true)
    expect(document.lines.every(({ op_id: op, delta }) => op !== null && delta === '0')).toBe(true)
  })
})

describe('a reconciliation', () => {
  it('posts each room once, verifies it, keeps chained receipts, and posts nothing again', async () => {
    const snapshot = await scene.snapshot()
    const kept = await scene.plan(scene.count(snapshot, twoShort(snapshot)))
    await expect(scene.apply(kept)).rejects.toMatchObject({ code: 'NOT_APPROVED' })
    await scene.approve(kept, ...BOTH)
    const done = await scene.apply(kept)
    expect(done.operations.map(({ state }) => state)).toEqual(['confirmed', 'confirmed'])
    const changed = done.lines.filter(({ delta }) => delta !== '0')
    expect(changed.map(({ qty_after: after }) => after)).toEqual(
      changed.map(({ qty_to_post: posted }) => posted),
    )
    expect(changed.every(({ discrepancy }) => discrepancy === null)).toBe(true)
    const before = await scene.posted()
    await scene.apply(kept)
    expect(await scene.posted()).toEqual(before)
    const last = done.receipts.at(-1)!.path
    expect(verifyEvidence(last)).toMatchObject({ problems: [], chain: [done.receipts[0]!.path] })
  })

  it('has its receipt from the next apply where a crash came between its row and its file', async () => {
    const snapshot = await scene.snapshot()
    const kept = await scene.plan(scene.count(snapshot, twoShort(snapshot)))
    await scene.approve(kept, ...BOTH)
    const { store } = scene
    const addReceipt: typeof store.addReceipt = async (receipt, last) => {
      await store.addReceipt(receipt, last)
      throw new Error('killed')
    }
    const dying = { ...scene.reconciling(), store: { ...store, addReceipt } }
    // It dies once in each room.
    for (const _ of kept.document.operations)
      await expect(scene.apply(kept, dying)).rejects.toThrow('killed')
    const before = await scene.posted()
    const { receipts } = await scene.apply(kept)
    expect(receipts.map(({ path }) => existsSync(path))).toEqual([true, true])
    expect(verifyEvidence(receipts.at(-1)!.path)).toMatchObject({ problems: [] })
    expect(await scene.posted()).toEqual(before)
  })

  it('is found where the reply was lost after the commit, and not sent again', async () => {
    const snapshot = await scene.snapshot()
    const kept = await scene.plan(scene.count(snapshot, twoShort(snapshot)))
    await scene.approve(kept, ...BOTH)
    await scene.fault({ match: POSTS, drop: true, times: 1 })
    const done = await scene.apply(kept)
    expect(done.operations.map(({ state }) => state)).toEqual(['confirmed', 'confirmed'])
    const posted = await scene.posted()
    for (const { token } of done.operations)
      expect(posted.filter(one => one === token)).toHaveLength(1)
    await scene.noFaults()
  })

  it('is parked where nobody knows, and sent again only for a named person, with the same token', async () => {
    const snapshot = await scene.snapshot()
    const kept = await scene.plan(scene.count(snapshot, twoShort(snapshot)))
    await scene.approve(kept, ...BOTH)
    await scene.fault({ match: POSTS, status: 503, times: 1 })
    const [first, second] = (await scene.apply(kept)).operations
    expect([first!.state, second!.state]).toEqual(['unknown', 'confirmed'])
    expect(first!.choices.map(({ choice }) => choice)).toEqual(['confirm', 'retry', 'abandon'])
    await scene.noFaults()
    expect((await scene.apply(kept)).operations[0]!.state).toBe('unknown')
    expect(await scene.posted()).not.toContain(first!.token)
    await askRetry(kept, first!.op_id)
    expect((await scene.resolve(kept)).operations[0]!.state).toBe('confirmed')
    expect((await scene.posted()).filter(token => token === first!.token)).toHaveLength(1)
  })

  it('has a receipt where it was sent, and its lots were others when it was sent again', async () => {
    const snapshot = await scene.snapshot()
    const write = twoShort(snapshot)
    const kept = await scene.plan(scene.count(snapshot, write))
    const other = await scene.plan(scene.count(snapshot, oneLess(write)))
    await scene.approve(kept, ...BOTH)
    await scene.approve(other, ...BOTH)
    await scene.fault({ match: POSTS, status: 503, times: 1 })
    const [first] = (await scene.apply(kept)).operations
    expect(first!.state).toBe('unknown')
    await scene.noFaults()
    await scene.apply(other)
    await askRetry(kept, first!.op_id)
    const { operations, receipts } = await scene.resolve(kept)
    expect(operations[0]!.state).toBe('stale')
    expect(receipts.map(({ op_id }) => op_id)).toContain(first!.op_id)
  })

  it('leaves out a lot that has moved since the plan, and names it; the others go', async () => {
    const snapshot = await scene.snapshot()
    const write = twoShort(snapshot)
    const kept = await scene.plan(scene.count(snapshot, write))
    const other = await scene.plan(scene.count(snapshot, oneLess(write)))
    await scene.approve(kept, ...BOTH)
    await scene.approve(other, ...BOTH)
    await scene.apply(kept)
    const late = await scene.apply(other)
    expect(late.operations.map(({ state }) => state)).toEqual(['stale', 'stale'])
    expect(late.receipts).toEqual([])
    expect(await scene.posted()).not.toContain(late.operations[0]!.token)
  })

  it('of a full inventory goes whole or not at all: what moved or arrived since holds the room back', async () => {
    const snapshot = await scene.snapshot('Quarantine')
    const { inventoryId } = snapshot.lines[0]!
    const oneMore = ({ lineId, expected }: SnapshotLine) => ({
      counted_qty: lineId === '1' ? String(Number(expected) + 1) : expected,
    })
    const planFull = async () => {
      const kept = await scene.plan(scene.count(snapshot, oneMore), true)
      await scene.approve(kept, ...BOTH)
      return kept
    }
    const kept = await planFull()
    const stock = await scene.stockOf(inventoryId)
    const sold = stock.find(({ batchId, quantity }) => {
      const line = snapshot.lines.find(one => one.batchId === batchId)
      return line !== undefined && line.lineId !== '1' && quantity > 1
    })!
    await scene.setStock({ id: sold.id, quantity: sold.quantity - 1 })
    const [moved] = (await scene.apply(kept)).operations
    expect(moved).toMatchObject({
      state: 'stale',
      error: expect.stringContaining(`changed: ${sold.batchId}`),
    })
    const now = (await scene.stockOf(inventoryId)).find(({ id }) => id === sold.id)
    expect(now!.quantity).toBe(sold.quantity - 1)
    await scene.setStock({ id: sold.id, quantity: sold.quantity })

    const another = await planFull()
    const shelves = new Set(stock.map(({ batchId }) => batchId))
    const { inventoryId: vault } = (await scene.snapshot('Vault')).lines[0]!
    const lot = (await scene.stockOf(vault)).find(({ batchId }) => !shelves.has(batchId))!
    const { id: _, ...arrived } = { ...lot, inventoryId, quantity: 3 }
    await scene.setStock(arrived)
    const [held] = (await scene.apply(another)).operations
    expect(held).toMatchObject({
      state: 'stale',
      error: expect.stringContaining(`arrived: ${lot.batchId}`),
    })
    const row = (await scene.stockOf(inventoryId)).find(({ batchId }) => batchId === lot.batchId)!
    expect(row.quantity).toBe(3)
    await scene.setStock({ id: row.id, quantity: 0 })

    const still = await planFull()
    expect((await scene.apply(still)).operations).toMatchObject([{ state: 'confirmed' }])
    const tokens = [kept, another, still].map(plan => plan.document.operations[0]!.token)
    const posted = await scene.posted()
    expect(tokens.map(token => posted.includes(token))).toEqual([false, false, true])
  })

  it('is refused by the API without being sent again where it says no', async () => {
    const snapshot = await scene.snapshot()
    const kept = await scene.plan(scene.count(snapshot, twoShort(snapshot)))
    await scene.approve(kept, ...BOTH)
    await scene.fault({ match: POSTS, status: 400, times: 1 })
    const done = await scene.apply(kept)
    await scene.noFaults()
    expect(done.operations.map(({ state }) => state)).toEqual(['rejected', 'confirmed'])
    expect((await scene.apply(kept)).operations[0]!.state).toBe('rejected')
  })
})

describe('an approval', () => {
  it('is not given by a stranger, twice by one person, by the only counter, or for an edited plan', async () => {
    const snapshot = await scene.snapshot('Quarantine')
    const short = twoShort(snapshot)
    const file = scene.count(snapshot, line => ({ ...short(line), counted_by: 'Store manager' }))
    const kept = await scene.plan(file)
    await expect(scene.approve(kept, 'Somebody')).rejects.toMatchObject({ code: 'NOT_ALLOWED' })
    await expect(scene.approve(kept, 'store manager ')).rejects.toThrow(/alone counted/)
    await scene.approve(kept, 'Compliance lead')
    await expect(scene.approve(kept, 'Compliance lead')).rejects.toThrow(/already/)
    const edited = kept.path.replace(/[^/]+$/, match => `edited_${match}`)
    writeFileSync(edited, readFileSync(kept.path, 'utf8').replace('"delta": "-2"', '"delta": "-3"'))
    expect(verifyEvidence(edited)).toBeUndefined()
  })
})
