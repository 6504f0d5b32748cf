import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SnapshotLine } from '../../audit/snapshot.ts'
import { discardPlan } from '../../outbound/discard.ts'
import { verifyEvidence } from '../../outbound/verify-evidence.ts'
import { waitingPlans } from '../../outbound/waiting-plans.ts'
import { judgeEnd } from '../../reconcile/operation-facts.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import type { Reconciling } from '../../reconcile/reconciling.ts'
import { askResolution } from '../../reconcile/resolve.ts'
import { AuditScene } from './audit-scene.ts'

/** A person gives up what of a reconciliation was not sent. */
let scene: AuditScene
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterAll(() => scene.close())

const BOTH = ['Store manager', 'Compliance lead'] as const
const WORD = { by: 'Kim', reason: 'the wrong room was counted' }
const discard = (kept: KeptPlan, word = WORD): Promise<number> =>
  discardPlan(scene.reconciling(), kept.plan, word)

/** Two rooms, in each of which a line is one short. */
async function twoRooms(): Promise<KeptPlan> {
  const snapshot = await scene.snapshot()
  const short = new Map<string, SnapshotLine>()
  for (const line of snapshot.lines)
    if (line.unit === 'EACH' && Number(line.expected) > 5 && !short.has(line.inventoryId))
      short.set(line.inventoryId, line)
  const ids = [...short.values()].map(({ lineId }) => lineId)
  const kept = await scene.plan(
    scene.count(snapshot, ({ lineId, expected }) => ({
      counted_qty: ids.includes(lineId) ? String(Number(expected) - 1) : expected,
    })),
  )
  expect(kept.document.operations).toHaveLength(2)
  return kept
}

const discards = async ({ plan: { plan } }: KeptPlan): Promise<string[]> =>
  (await scene.store.events(plan))
    .filter(({ op, event }) => op === null && event === 'discarded')
    .map(({ by, detail }) => `${by}: ${detail}`)

/** Whether `status` names it. */
async function waits(kept: KeptPlan): Promise<boolean> {
  const judge = async () => ({
    missingApproval: undefined,
    interrupted: (await scene.show(kept)).interrupted ?? undefined,
  })
  const plans = async (kind: 'push' | 'reconcile') =>
    (await scene.store.plans(kind)).filter(({ plan }) => plan === kept.plan.plan)
  const store = scene.sandbox.stores[0]!.id
  const at = { nowMs: Date.now(), judge, judgeEnd }
  return (await waitingPlans({ ...scene.store, plans }, store, at)).length > 0
}

/** Nothing more of it is sent, approved or given up. */
async function isOver(kept: KeptPlan): Promise<void> {
  const before = await scene.posted()
  await expect(scene.apply(kept)).rejects.toMatchObject({ code: 'PLAN_DISCARDED' })
  await expect(scene.approve(kept, 'Store manager')).rejects.toMatchObject({
    code: 'PLAN_DISCARDED',
  })
  expect(await scene.posted()).toEqual(before)
}

it('one that waits sends nothing any more, and takes no approval, with the reason', async () => {
  for (const approved of [false, true]) {
    const kept = await twoRooms()
    if (approved) await scene.approve(kept, ...BOTH)
    expect(await discard(kept)).toBe(2)
    const shown = await scene.show(kept)
    expect(shown).toMatchObject({ state: 'abandoned', interrupted: null, receipts: [] })
    expect(shown.operations.map(({ state }) => state)).toEqual(['abandoned', 'abandoned'])
    expect(shown.story.map(({ detail }) => detail).join()).toContain(WORD.reason)
    await isOver(kept)
    const tokens = kept.document.operations.map(({ token }) => token)
    expect((await scene.posted()).filter(token => tokens.includes(token))).toEqual([])
    expect(await waits(kept)).toBe(false)
  }
})

it('one that was sent in part keeps what was sent with its receipt, and sends no more', async () => {
  const kept = await twoRooms()
  await scene.approve(kept, ...BOTH)
  const { store } = scene
  const move: typeof store.move = step =>
    step.op === 'op-2' ? Promise.reject(new Error('the process died')) : store.move(step)
  const dying: Reconciling = { ...scene.reconciling(), store: { ...store, move } }
  await expect(scene.apply(kept, dying)).rejects.toThrow('the process died')
  expect((await scene.show(kept)).interrupted).toMatchObject({ sent: 1, of: 2 })
  expect(await discard(kept)).toBe(1)
  const shown = await scene.show(kept)
  expect(shown.operations.map(({ state }) => state)).toEqual(['confirmed', 'abandoned'])
  expect(shown.interrupted).toBeNull()
  expect(verifyEvidence(shown.receipts[0]!.path)).toMatchObject({ problems: [] })
  await isOver(kept)
  expect(await waits(kept)).toBe(false)
})

it('one that was killed before a receipt still gets it from the next apply, which sends no more', async () => {
  const kept = await twoRooms()
  await scene.approve(kept, ...BOTH)
  const { store } = scene
  const died = (): Promise<never> => Promise.reject(new Error('the process died'))
  const dying = { ...scene.reconciling(), store: { ...store, addReceipt: died } }
  await expect(scene.apply(kept, dying)).rejects.toThrow('the process died')
  expect(await discard(kept)).toBe(1)
  expect((await scene.show(kept)).interrupted).toMatchObject({ withoutReceipt: 1 })
  await isOver(kept)
  const done = await scene.show(kept)
  expect([done.interrupted, done.receipts.length]).toEqual([null, 1])
  expect(done.operations.map(({ state }) => state)).toEqual(['confirmed', 'abandoned'])
  expect(await waits(kept)).toBe(false)
})

it('one of which nothing is left is not given up, and no discard is noted', async () => {
  const kept = await twoRooms()
  await scene.approve(kept, ...BOTH)
  await scene.apply(kept)
  await expect(discard(kept)).rejects.toThrow('nothing is left to give up')
  expect(await discards(kept)).toEqual([])
  expect((await scene.show(kept)).state).toBe('confirmed')
})

it('one whose last room a person has given up by resolve has nothing left either', async () => {
  const kept = await twoRooms()
  await scene.approve(kept, ...BOTH)
  await scene.fault({ match: String.raw`/reconciliations$`, status: 503, times: 1 })
  const [parked] = (await scene.apply(kept)).operations
  await scene.noFaults()
  expect(parked!.state).toBe('unknown')
  await expect(discard(kept)).rejects.toThrow('unknown whether op-1')
  const of = { plan: kept.plan.plan, op: 'op-1' }
  await askResolution(scene.reconciling(), of, { ...WORD, as: 'abandon' })
  expect((await scene.resolve(kept)).operations[0]!.state).toBe('abandoned')
  await expect(discard(kept)).rejects.toThrow('nothing is left to give up')
  expect(await discards(kept)).toEqual([])
})

it('one is given up once: a second word changes neither who nor why', async () => {
  const kept = await twoRooms()
  await discard(kept)
  await expect(discard(kept, { by: 'Lee', reason: 'too late' })).rejects.toMatchObject({
    code: 'PLAN_DISCARDED',
    message: expect.stringContaining('Kim') as string,
  })
  expect(await discards(kept)).toEqual([`Kim: ${WORD.reason}`])
})

it('one that was killed while it was given up is given up by the next word', async () => {
  const kept = await twoRooms()
  const { store } = scene
  const note = () => Promise.reject(new Error('the process died'))
  const dying = { ...scene.reconciling(), store: { ...store, note } }
  await expect(discardPlan(dying, kept.plan, WORD)).rejects.toThrow('the process died')
  expect(await discards(kept)).toEqual([])
  expect(await discard(kept)).toBe(0)
  expect(await discards(kept)).toEqual([`Kim: ${WORD.reason}`])
  await isOver(kept)
})

it('one that another process carries out is not given up', async () => {
  const kept = await twoRooms()
  await scene.approve(kept, ...BOTH)
  const place = scene.reconciling()
  const busy = { ...place, runner: { ...place.runner, isRunning: () => true } }
  const { store } = scene
  let refused: Promise<number> | undefined
  const move: typeof store.move = async step => {
    refused ??= discardPlan(busy, kept.plan, WORD)
    await refused.catch(() => {})
    return store.move(step)
  }
  await scene.apply(kept, { ...place, store: { ...store, move } })
  await expect(refused).rejects.toMatchObject({ code: 'PLAN_BUSY' })
  expect(await discards(kept)).toEqual([])
})
