import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SnapshotLine } from '../../audit/snapshot.ts'
import { HOUR_MS } from '../../calendar/days.ts'
import { hasTrouble } from '../../commands/reconcile/plans.ts'
import { products as productList } from '../../connectors/partner/streams/products.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import { askResolution } from '../../reconcile/resolve.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'
import { waitFor } from '../helpers/project.ts'
import { AuditScene } from './audit-scene.ts'
import { Shopper } from './shop.ts'

let scene: AuditScene
let shopper: Shopper
let product: string
let room: string
beforeAll(async () => {
  scene = await AuditScene.start()
  shopper = new Shopper(scene.sandbox)
  const products = await scene.api.readList(productList)
  product = String(
    products.find(
      row =>
        row['active'] === true &&
        row['deleted'] === false &&
        row['weightPerUnit'] === 'EACH' &&
        Number(row['totalSellableQuantity']) > 40,
    )!['id'],
  )
  const { inventoryId } = await shopper.buy(await shopper.order(product, 1))
  const rows = await scene.stockOf(inventoryId)
  await scene.moveToSmallRoom(rows.filter(({ productId }) => productId === product))
  room = (await shopper.buy(await shopper.order(product, 1))).inventoryId
  expect(room).not.toBe(inventoryId)
})
afterAll(() => scene.close())

const POSTS = String.raw`/reconciliations$`
const BOTH = ['Store manager', 'Compliance lead'] as const

/** One lot of the product is one short; all others are as they should be. */
async function oneShort(): Promise<{ kept: KeptPlan; line: SnapshotLine }> {
  const snapshot = await scene.snapshot(room)
  const line = snapshot.lines.find(
    ({ productId, expected }) => productId === product && Number(expected) > 5,
  )!
  const kept = await scene.plan(
    scene.count(snapshot, ({ lineId, expected }) => ({
      counted_qty: lineId === line.lineId ? String(Number(expected) - 1) : expected,
    })),
  )
  await scene.approve(kept, ...BOTH)
  return { kept, line }
}

const carryOut = async (kept: KeptPlan, patienceSeconds: number): Promise<ShownPlan> => {
  const { settings } = scene
  const reconciling = { ...scene.reconciling(), settings: { ...settings, patienceSeconds } }
  return scene.apply(kept, reconciling)
}

const changed = ({ lines }: ShownPlan): ShownPlan['lines'] =>
  lines.filter(({ delta }) => delta !== '0')

it('a sale between the count and the plan is taken off what was counted', async () => {
  const snapshot = await scene.snapshot(room)
  const file = scene.count(snapshot, ({ expected }) => ({ counted_qty: expected }))
  const { batchId } = await shopper.buy(await shopper.order(product, 2))
  const { document } = await scene.plan(file)
  const line = document.lines.find(one => one.batch_id === batchId)!
  expect(line.movement_since_count).toBe('-2')
  expect(Number(line.qty_to_post)).toBe(Number(line.counted) - 2)
  // Everything is explained, so nothing is sent.
  expect(line.delta).toBe('0')
  expect(document.operations).toEqual([])
})

it('a sale between the last reading and the commit is covered by the final amount, and is named', async () => {
  const probe = await shopper.buy(await shopper.order(product, 1))
  const snapshot = await scene.snapshot(room)
  const kept = await scene.plan(
    scene.count(snapshot, ({ batchId, expected }) => ({
      counted_qty: batchId === probe.batchId ? String(Number(expected) - 1) : expected,
    })),
  )
  await scene.approve(kept, ...BOTH)
  const order = await shopper.order(product, 1)
  await scene.fault({ match: POSTS, latencyMs: HOUR_MS, times: 1 })
  const applying = scene.apply(kept)
  // The lots were looked at, and the request waits at the door.
  await waitFor(async () => (await scene.fired()) === 1, 'the reconciliation to be sent')
  await shopper.buy(order)
  await scene.noFaults()
  const done = await applying
  const [line] = changed(done)
  expect(line).toMatchObject({ state: 'confirmed', discrepancy: 'sale overwritten' })
  expect(line!.qty_after).toBe(line!.qty_to_post)
})

it('a commit that arrives late is found by who has patience, and by the person who confirms it', async () => {
  const patient = await oneShort()
  await scene.fault({ match: POSTS, commitAfterMs: 700, times: 1 })
  const found = await carryOut(patient.kept, 60)
  expect(changed(found)).toMatchObject([{ state: 'confirmed', discrepancy: null }])

  await scene.noFaults()
  const { kept } = await oneShort()
  await scene.fault({ match: POSTS, commitAfterMs: HOUR_MS, times: 1 })
  const parked = await carryOut(kept, 0)
  expect(parked.operations).toMatchObject([{ state: 'unknown', reconciliation_id: null }])
  const { token } = parked.operations[0]!
  await scene.noFaults()
  await waitFor(async () => (await scene.posted()).includes(token), 'the commit to arrive')
  const at = { plan: kept.document.plan, op: 'op-1' }
  await askResolution(scene.reconciling(), at, { as: 'confirm', by: 'Kim', reason: 'it is there' })
  const confirmed = await scene.resolve(kept)
  expect(confirmed.operations[0]).toMatchObject({ state: 'confirmed' })
  expect(confirmed.operations[0]!.reconciliation_id).not.toBeNull()
  expect((await scene.posted()).filter(one => one === token)).toHaveLength(1)
})

it('what a person confirms and the lots do not show is named, and never sent', async () => {
  const { kept } = await oneShort()
  await scene.fault({ match: POSTS, status: 502, times: 1 })
  const [parked] = (await carryOut(kept, 0)).operations
  await scene.noFaults()
  const at = { plan: kept.document.plan, op: 'op-1' }
  await askResolution(scene.reconciling(), at, { as: 'confirm', by: 'Kim', reason: 'I saw it' })
  const confirmed = await scene.resolve(kept)
  expect(changed(confirmed)).toMatchObject([{ state: 'rejected', discrepancy: 'not taken' }])
  expect(confirmed.operations[0]!.error).toContain('not these lots')
  expect(hasTrouble(confirmed)).toBe(true)
  const lines = confirmed.lines.map(line => ({ ...line, state: 'confirmed' as const }))
  expect(hasTrouble({ ...confirmed, lines })).toBe(false)
  expect(confirmed.receipts).toHaveLength(1)
  expect(await scene.posted()).not.toContain(parked!.token)
})

it.each(['sorted-modified-ascending', 'unsorted', 'short-pages', 'limit-refused'])(
  'a history of several pages is searched to its end: %s',
  async profile => {
    const { kept } = await oneShort()
    await scene.insertHistory(120)
    await scene.fault({ match: POSTS, drop: true, times: 1 })
    await scene.play(profile)
    const done = await carryOut(kept, 60)
    const all = await scene.posted()
    await scene.play()
    await scene.noFaults()
    expect(done.operations).toMatchObject([{ state: 'confirmed' }])
    expect(all.filter(one => one === done.operations[0]!.token)).toHaveLength(1)
  },
)
