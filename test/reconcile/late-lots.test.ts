import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../calendar/days.ts'
import { hasTrouble } from '../../commands/reconcile/plans.ts'
import { describeWaiting, waitingPlans } from '../../outbound/waiting-plans.ts'
import type { WaitingPlan } from '../../outbound/waiting-plans.ts'
import { judgeEnd } from '../../reconcile/operation-facts.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import type { Reconciling } from '../../reconcile/reconciling.ts'
import { saidOf } from '../../reconcile/show-plan.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'
import { AuditScene } from './audit-scene.ts'
import type { Spoken } from './between.ts'

let scene: AuditScene
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterAll(() => scene.close())

/** One lot of a room is one short. */
async function oneShort(): Promise<KeptPlan> {
  const snapshot = await scene.snapshot('Quarantine')
  const line = snapshot.lines.find(({ expected, unit }) => unit === 'EACH' && Number(expected) > 5)!
  const kept = await scene.plan(
    scene.count(snapshot, ({ lineId, expected }) => ({
      counted_qty: lineId === line.lineId ? String(Number(expected) - 1) : expected,
    })),
  )
  await scene.approve(kept, 'Store manager', 'Compliance lead')
  return kept
}

/** An API that shows for so many readings after a posting what lots had before it. */
async function lagging(readings: number, patienceSeconds: number): Promise<Reconciling> {
  const before = new Map<string, Spoken>()
  let left = 0
  const api = await scene.openBehind(async asked => {
    const { method, url } = asked
    if (method === 'POST' && url.endsWith('/reconciliations')) left = readings
    if (method !== 'GET' || !url.includes('/batchQuantityInfo')) return undefined
    const known = before.get(url)
    if (known !== undefined && left-- > 0) return known
    const answer = await asked.pass()
    before.set(url, answer)
    return answer
  })
  const { settings } = scene
  return { ...scene.reconciling(api), settings: { ...settings, patienceSeconds } }
}

const changed = ({ lines }: ShownPlan) => lines.filter(({ delta }) => delta !== '0')
const verifications = ({ story }: ShownPlan) => story.filter(({ event }) => event === 'verified')

it('a lot that follows its posting late is looked at again, and its receipt has what it came to', async () => {
  const kept = await oneShort()
  const done = await scene.apply(kept, await lagging(2, 60))
  const [line] = changed(done)
  expect(line).toMatchObject({ state: 'confirmed', discrepancy: null, error: null })
  expect(line!.qty_after).toBe(line!.qty_to_post)
  expect([hasTrouble(done), done.receipts.length, verifications(done).length]).toEqual([
    false,
    1,
    1,
  ])
})

it('one that does not follow in time was not taken, which its receipt has for good', async () => {
  const kept = await oneShort()
  const left = await scene.apply(kept, await lagging(Infinity, 0))
  expect(changed(left)).toMatchObject([
    {
      state: 'rejected',
      discrepancy: 'not taken',
      error: 'the API took its room, and not this lot',
    },
  ])
  expect([hasTrouble(left), left.receipts.length]).toEqual([true, 1])
  const again = await scene.apply(kept)
  expect(again.receipts).toEqual(left.receipts)
  expect(verifications(again)).toHaveLength(1)
})

/** An API whose shop moves one lot right after a posting, without a sale, for so many readings. */
async function moving(readings: number, patienceSeconds: number): Promise<Reconciling> {
  let left = 0
  const api = await scene.openBehind(async asked => {
    const { method, url } = asked
    if (method === 'POST' && url.endsWith('/reconciliations')) left = readings
    if (method !== 'GET' || !url.includes('/batchQuantityInfo') || left-- <= 0) return undefined
    const answer = await asked.pass()
    return { ...answer, body: answer.body.replace(/"quantity":\s*\d+/g, '"quantity":1') }
  })
  const { settings } = scene
  return { ...scene.reconciling(api), settings: { ...settings, patienceSeconds } }
}

/** What `status` and the console tell of plans. */
async function told(nowMs = Date.now()): Promise<WaitingPlan[]> {
  const judge = async () => ({ missingApproval: undefined, interrupted: undefined })
  return waitingPlans(scene.store, scene.sandbox.stores[0]!.id, { nowMs, judge, judgeEnd })
}

it('a lot that nothing explains ends its plan as unexplained, and says what it has', async () => {
  const kept = await oneShort()
  const done = await scene.apply(kept, await moving(Infinity, 0))
  const [line] = changed(done)
  expect(line).toMatchObject({ state: 'confirmed', discrepancy: 'unexplained' })
  expect(line!.error).toBe(
    `it has ${line!.qty_after} and was posted as ${line!.qty_to_post}: look at it, and count it again`,
  )
  expect(done.state).toBe('unexplained')
  expect(done.operations[0]).toMatchObject({
    state: 'confirmed',
    error: `the API took the room, and nothing explains what these lots have now: ${line!.batch_id}`,
  })
  expect(hasTrouble(done)).toBe(true)
  expect(saidOf(line!)).toBe(`unexplained: ${line!.error}`)
  expect(await told()).toMatchObject([
    { plan: kept.plan.plan, why: 'not as posted', detail: '1 lot was not as posted' },
  ])
  const again = await scene.apply(kept)
  expect([again.state, hasTrouble(again), again.receipts]).toEqual([
    'unexplained',
    true,
    done.receipts,
  ])
})

it('a lot that is for a moment as nothing explains is looked at again', async () => {
  const done = await scene.apply(await oneShort(), await moving(1, 60))
  expect(changed(done)).toMatchObject([{ state: 'confirmed', discrepancy: null }])
  expect([done.state, hasTrouble(done)]).toEqual(['confirmed', false])
})

it('lots that are not as they were posted are told until they are counted again, for two weeks', async () => {
  await scene.apply(await oneShort(), await lagging(Infinity, 0))
  const [end] = await told()
  expect(describeWaiting(end!, Date.parse(end!.since) + HOUR_MS)).toBe(
    `${end!.plan} was posted, and 60 minutes ago 1 lot was not as posted: ` +
      `look at them, and count them again: tillage reconcile show ${end!.plan}`,
  )
  expect(await told(Date.now() + 14 * DAY_MS)).toEqual([])
  await scene.apply(await oneShort())
  expect(await told()).toEqual([])
})

it('a lot that another plan has posted since is stale, also where it came to the same quantity again', async () => {
  const [older, newer] = [await oneShort(), await oneShort()]
  const [{ batch_id: batch, inventory_id: room, qty_before: before }] = changed(
    await scene.apply(newer),
  ) as [ShownPlan['lines'][number]]
  const row = (await scene.stockOf(room)).find(({ batchId }) => batchId === batch)!
  await scene.setStock({ id: row.id, quantity: Number(before) })
  const done = await scene.apply(older)
  expect(changed(done)).toMatchObject([
    {
      batch_id: batch,
      state: 'stale',
      error: expect.stringMatching(
        /^the plan PLN-\S+ of \S+ has set this lot since it was counted: count it again$/,
      ) as string,
    },
  ])
  expect([hasTrouble(done), done.receipts]).toEqual([true, []])
  expect((await scene.stockOf(room)).find(({ id }) => id === row.id)!.quantity).toBe(Number(before))
})
