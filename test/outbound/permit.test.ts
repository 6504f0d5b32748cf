import { cpSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../calendar/days.ts'
import { openOutboundStore } from '../../connectors/sqlite/tables/outbound.ts'
import { approvePush } from '../../push/approve.ts'
import { planFile } from '../../push/plan-file.ts'
import type { ScheduledFile } from '../../push/plan-file.ts'
import type { Push } from '../../push/push.ts'
import { pushSettings } from '../../push/settings.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import type { Reconciling } from '../../reconcile/reconciling.ts'
import { showPlan } from '../../reconcile/show-plan.ts'
import { startScene, statesOf } from '../push/scene.ts'
import type { Scene } from '../push/scene.ts'
import { AuditScene } from '../reconcile/audit-scene.ts'

describe('a reconciliation', () => {
  let scene: AuditScene
  beforeAll(async () => {
    scene = await AuditScene.start()
  })
  afterAll(() => scene.close())

  /** One lot more in each of two rooms, approved by two. */
  async function twoRooms(): Promise<KeptPlan> {
    const snapshot = await scene.snapshot()
    const rooms = new Set<string>()
    const count = scene.count(snapshot, ({ expected, inventoryId }) => {
      const isFirst = !rooms.has(inventoryId)
      rooms.add(inventoryId)
      return { counted_qty: isFirst ? String(Number(expected) + 1) : expected }
    })
    const kept = await scene.plan(count)
    await scene.approve(kept, 'Store manager', 'Compliance lead')
    return kept
  }

  it('whose approvals expire after its first room posts no second one', async () => {
    const kept = await twoRooms()
    const before = (await scene.posted()).length
    const real = scene.reconciling()
    let lateMs = 0
    const store: Reconciling['store'] = {
      ...real.store,
      async move(step) {
        const isMoved = await real.store.move(step)
        if (step.event === 'verified') lateMs = 25 * HOUR_MS
        return isMoved
      },
    }
    const slow = { ...real, store, now: () => Date.now() + lateMs }
    await expect(scene.apply(kept, slow)).rejects.toMatchObject({
      code: 'NOT_APPROVED',
      message: expect.stringContaining('2 expired') as string,
    })
    expect(await scene.posted()).toHaveLength(before + 1)
    const { operations } = await scene.show(kept)
    expect(operations.map(({ state }) => state).toSorted()).toEqual(['approved', 'confirmed'])
    // Within the time the same plan goes on.
    expect((await scene.apply(kept)).operations.map(({ state }) => state)).toEqual([
      'confirmed',
      'confirmed',
    ])
  })

  it('is not posted to a server with the same ids of another company', async () => {
    const kept = await twoRooms()
    const before = (await scene.posted()).length
    const twin = { ...scene.target, companyId: 'another' }
    const elsewhere = { ...scene.reconciling(), target: async () => twin }
    await expect(scene.apply(kept, elsewhere)).rejects.toMatchObject({
      code: 'OTHER_TARGET',
      message: expect.stringContaining('now it is another') as string,
    })
    expect(await scene.posted()).toHaveLength(before)
    expect((await scene.apply(kept)).state).toBe('confirmed')
  })

  it('that is applied in a copy of its folder writes nothing into the original', async () => {
    const kept = await twoRooms()
    const copy = mkdtempSync(join(tmpdir(), 'tillage-copy-'))
    cpSync(scene.exports, join(copy, 'exports'), { recursive: true })
    const original = new Database(scene.database)
    await original.backup(join(copy, 'tillage.db'))
    original.close()
    const store = openOutboundStore(join(copy, 'tillage.db'))
    const there = { ...scene.reconciling(), store, exports: join(copy, 'exports') }
    await scene.apply(kept, there)
    const path = kept.path.replace(scene.exports, there.exports)
    const { receipts } = await showPlan(there, { ...kept, path })
    expect(receipts).toHaveLength(2)
    for (const receipt of receipts) {
      expect(existsSync(receipt.path)).toBe(true)
      expect(existsSync(receipt.path.replace(there.exports, scene.exports))).toBe(false)
    }
    await store.close()
  })
})

describe('a push', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene()
  })
  afterAll(() => scene.close())

  const pushWith = (settings: object): Push => ({
    ...scene.push,
    settings: pushSettings.parse(settings),
  })
  const POLICY = { policy: { fields: ['description'] } }

  it('that a policy approved is sent only while the policy of now allows it', async () => {
    const path = scene.write('policy.csv', 'external_id,description\nP-1001,by policy\n')
    const store = scene.sandbox.stores[0]!.id
    const file: ScheduledFile = { store, catalog: 'products', path, create: [] }
    const signal = new AbortController().signal
    const { outcome, plan } = await planFile(pushWith(POLICY), file, signal)
    expect(outcome).toBe('approved')
    const refused = { code: 'NOT_APPROVED' }
    await expect(scene.apply(plan!, pushWith({}))).rejects.toMatchObject(refused)
    const narrower = pushWith({ policy: { fields: ['unit_price'] } })
    await expect(scene.apply(plan!, narrower)).rejects.toMatchObject(refused)
    expect(statesOf(await scene.apply(plan!, pushWith(POLICY)))).toEqual({ 'P-1001': 'applied' })
  })

  it('is approved by whom the settings name, and not sent when they do not name him any more', async () => {
    const { plan } = await scene.plan('products', 'external_id,description\nP-1002,by name\n')
    const named = (...names: string[]): Push =>
      pushWith({ approvers: names.map(name => ({ name, role: 'manager' })) })
    const ana = { by: ' ANA ', origin: 'ana@till-1', guarded: [] }
    await expect(approvePush(named('Kim'), plan, ana)).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
    })
    await approvePush(named('Kim', 'Ana'), plan, ana)
    await expect(scene.apply(plan, named('Kim'))).rejects.toMatchObject({ code: 'NOT_APPROVED' })
    expect(statesOf(await scene.apply(plan, named('Ana')))).toEqual({ 'P-1002': 'applied' })
  })

  it('is not approved by a person under the name of the policy', async () => {
    const { plan } = await scene.plan('products', 'external_id,description\nP-1003,as policy\n')
    const posing = { by: 'Policy of tillage.yaml', origin: 'x@y', guarded: [] }
    await expect(approvePush(scene.push, plan, posing)).rejects.toThrow('is not a person')
  })

  it('of a store whose shop is another by now leaves that store alone, and says so', async () => {
    const { plan } = await scene.plan('products', 'external_id,description\nP-1004,twin\n')
    await scene.approve(plan)
    const written = (await scene.writes()).length
    const identify: Push['identify'] = async (store, signal) => ({
      ...(await scene.push.identify(store, signal)),
      companyId: 'another',
    })
    const { stores } = await scene.apply(plan, { ...scene.push, identify })
    expect(stores).toMatchObject([{ state: 'failed', error: { code: 'OTHER_TARGET' } }])
    expect(await scene.writes()).toHaveLength(written)
    expect(statesOf(await scene.apply(plan))).toEqual({ 'P-1004': 'applied' })
  })
})
