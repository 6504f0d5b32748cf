import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CountsError } from '../../audit/count-problem.ts'
import type { Snapshot, SnapshotLine } from '../../audit/snapshot.ts'
import { MINUTE_MS } from '../../calendar/days.ts'
import { laterPosting, readPosted } from '../../reconcile/later-postings.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import { AuditScene } from './audit-scene.ts'

let scene: AuditScene
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterAll(() => scene.close())

const lotIn = ({ lines }: Snapshot): SnapshotLine =>
  lines.find(({ expected, unit }) => unit === 'EACH' && Number(expected) > 5)!

/** Every line as it is expected, but for one lot, of which so many are missing. */
const short = (snapshot: Snapshot, missing: number, written: object = {}): string => {
  const lot = lotIn(snapshot)
  return scene.count(snapshot, ({ lineId, expected }) =>
    lineId === lot.lineId
      ? { counted_qty: String(Number(expected) - missing), ...written }
      : { counted_qty: expected },
  )
}

/** Somebody at the till sets a lot. */
const reconcile = (
  { inventoryId, batchId, expected }: SnapshotLine,
  at: number,
  newQuantity = Number(expected) - 1,
): Promise<void> =>
  scene.change('reconciliations', undefined, {
    requestNo: 4711,
    created: at,
    modified: at,
    inventoryId,
    note: 'one was destroyed',
    reconciliations: [{ batchId, inventoryId, oldQuantity: Number(expected), newQuantity }],
  })

const refusalOf = async (file: string): Promise<unknown> =>
  scene.plan(file).then(
    ({ plan }) => plan.plan,
    (error: unknown) => (error instanceof CountsError ? error.problems : error),
  )

const applied = async (kept: KeptPlan) => {
  await scene.approve(kept, 'Store manager', 'Compliance lead')
  const { lines } = await scene.apply(kept)
  return lines.filter(({ delta }) => delta !== '0')
}

describe('a lot that was reconciled after it was counted', () => {
  it('is refused where its count would change it, with the row and what to do', async () => {
    const snapshot = await scene.snapshot()
    const counts = short(snapshot, 2)
    // Not in the same millisecond.
    await reconcile(lotIn(snapshot), Date.now() + 1)
    expect(await refusalOf(counts)).toMatchObject([
      {
        row: Number(lotIn(snapshot).lineId) + 1,
        column: 'counted_at',
        code: 'POSTED_SINCE',
        message: expect.stringMatching(
          /^reconciliation 4711 of \S+ has set this lot since it was counted .*: count it again and say when, or clear its count$/,
        ) as string,
      },
    ])
  })

  it('is planned where the count says what is there, and where it was counted again', async () => {
    const snapshot = await scene.snapshot()
    const asExpected = short(snapshot, 0)
    await reconcile(lotIn(snapshot), Date.now())
    expect((await scene.plan(asExpected)).document.operations).toEqual([])
    const again = short(snapshot, 1, { counted_at: new Date().toISOString() })
    expect(await applied(await scene.plan(again))).toMatchObject([{ state: 'confirmed' }])
  })

  it('is left out of an apply where the history shows that late', async () => {
    const snapshot = await scene.snapshot()
    const counts = short(snapshot, 1)
    const at = Date.now() + 1
    const kept = await scene.plan(counts)
    await reconcile(lotIn(snapshot), at)
    expect(await applied(kept)).toMatchObject([
      {
        state: 'stale',
        error: expect.stringMatching(/^reconciliation 4711 of .*: count it again$/) as string,
      },
    ])
  })
})

describe('a lot that another plan has posted', () => {
  it('is refused with a count that is older than that of the plan', async () => {
    const [older, newer] = [await scene.snapshot(), await scene.snapshot()]
    const counts = short(older, 3)
    // Not in the same millisecond.
    const later = short(newer, 1, { counted_at: new Date(Date.now() + 1).toISOString() })
    expect(await applied(await scene.plan(later))).toMatchObject([{ state: 'confirmed' }])
    expect(await refusalOf(counts)).toMatchObject([
      {
        code: 'POSTED_SINCE',
        message: expect.stringMatching(/^the plan PLN-\S+ of \S+ has set this lot/) as string,
      },
    ])
  })

  it('is corrected by a recount of the same sheet', async () => {
    const snapshot = await scene.snapshot()
    const counted_at = new Date().toISOString()
    const first = await scene.plan(short(snapshot, 2, { counted_at }))
    expect(await applied(first)).toMatchObject([{ state: 'confirmed' }])
    const recount_qty = String(Number(lotIn(snapshot).expected) - 1)
    const recounted = short(snapshot, 2, { counted_at, recount_qty, recounted_by: 'E-15' })
    expect(await applied(await scene.plan(recounted))).toMatchObject([
      { state: 'confirmed', counted: recount_qty },
    ])
  })
})

describe('a record of the history', () => {
  const AT = Date.parse('2026-03-09T10:00:00.000Z')
  const line = {
    inventory_id: 'R',
    batch_id: 'B',
    counted_at: '2026-03-09T09:00:00.000Z',
    delta: '-1',
  }
  /** Whether it makes the line's count too old, with one confirmed operation of ours. */
  const isNewer = async (record: object, facts: object = {}, nowMs = AT): Promise<boolean> => {
    const operation = { plan: 'PLN-1', op: 'op-1', token: 'tok', state: 'confirmed', facts }
    const store = {
      plans: async () => [{ plan: 'PLN-1', createdAt: line.counted_at, facts: { store: 'S' } }],
      renames: async () => [],
      operations: async () => [operation],
    }
    const asking = { store: 'S', createdAt: new Date(AT).toISOString() }
    const lots = [{ batchId: 'B', newQuantity: 4 }]
    const history = [{ created: AT, inventoryId: 'R', reconciliations: lots, ...record }]
    const posted = await readPosted(store as never, asking, history)
    return laterPosting(line, posted, { madeMs: Infinity, nowMs }) !== undefined
  }
  const OURS = {
    sent: { productLossRequests: [{ inventoryId: 'R', batchId: 'B' }] },
    sentAt: new Date(AT).toISOString(),
    countedAt: [{ batch_id: 'B', at: line.counted_at }],
    reconciliationId: 'R-1',
  }

  it('of somebody else is newer than a count before it, and not than one after it', async () => {
    expect(await isNewer({})).toBe(true)
    expect(await isNewer({ created: Date.parse(line.counted_at) })).toBe(false)
    expect(await isNewer({ deleted: true })).toBe(false)
    expect(await isNewer({ inventoryId: 'other' })).toBe(false)
  })

  it('of ours counts by when it was counted, known by its id or by its token', async () => {
    expect(await isNewer({ id: 'R-1' }, OURS)).toBe(false)
    expect(await isNewer({ note: 'by hand [tlg:tok]' }, OURS)).toBe(false)
    expect(await isNewer({ id: 'R-2', note: '[tlg:another]' }, OURS)).toBe(true)
  })

  it('that another copy of the database sent counts as somebody else’s', async () => {
    expect(await isNewer({ id: 'R-1' }, { reconciliationId: 'R-1' })).toBe(true)
  })

  it('may be some minutes ahead of our clock, and not an hour', async () => {
    expect(await isNewer({ created: AT + 4 * MINUTE_MS })).toBe(true)
    expect(await isNewer({ created: AT + 60 * MINUTE_MS })).toBe(false)
  })
})
