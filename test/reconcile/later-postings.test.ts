import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CountsError } from '../../audit/count-problem.ts'
import type { Snapshot, SnapshotLine } from '../../audit/snapshot.ts'
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
    await reconcile(lotIn(snapshot), Date.now())
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
    const at = Date.now()
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
    expect(await applied(await scene.plan(short(newer, 1)))).toMatchObject([{ state: 'confirmed' }])
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
