import { afterAll, beforeAll, expect, it } from 'vitest'
import { hasTrouble } from '../../commands/reconcile/plans.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import type { Reconciling } from '../../reconcile/reconciling.ts'
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

/** An API that shows for so many looks after a posting what lots had before it. */
async function lagging(looks: number, patienceSeconds: number): Promise<Reconciling> {
  const before = new Map<string, Spoken>()
  let left = 0
  const api = await scene.openBehind(async asked => {
    const { method, url } = asked
    if (method === 'POST' && url.endsWith('/reconciliations')) left = looks
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
