import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { auditFolder } from '../../audit/folder.ts'
import { reconciliationHistory } from '../../audit/lists.ts'
import { readProducts } from '../../audit/quantities.ts'
import type { StoreApi } from '../../audit/store-api.ts'
import { TillageError } from '../../errors.ts'
import { approvePlan } from '../../outbound/approve.ts'
import { inRun } from '../../outbound/run.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import type { Reconciling } from '../../reconcile/reconciling.ts'
import { rulesOf } from '../../reconcile/rules.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'
import { AuditScene } from './audit-scene.ts'

let scene: AuditScene
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterAll(() => scene.close())

async function oneRoom(): Promise<KeptPlan> {
  const snapshot = await scene.snapshot('Quarantine')
  const kept = await scene.plan(
    scene.count(snapshot, ({ expected, unit }) => ({
      counted_qty:
        unit === 'EACH' && Number(expected) > 0 ? String(Number(expected) - 1) : expected,
    })),
  )
  await scene.approve(kept, 'Store manager', 'Compliance lead')
  return kept
}

/** The write-ahead record is there, and nothing after it. */
const dieRecorded = ({ document: { plan } }: KeptPlan) =>
  inRun(scene.reconciling(), { plan, act: 'apply' }, run =>
    scene.store.move({
      plan,
      op: 'op-1',
      from: ['planned'],
      to: 'submitted',
      sendsIn: run,
      at: new Date().toISOString(),
      event: 'sent',
      detail: '',
    }),
  )

const stateOf = ({ operations }: ShownPlan) => operations[0]!.state

/** Patience that no test would live to see the end of. */
const patient = (api: StoreApi = scene.api): Reconciling => ({
  ...scene.reconciling(),
  settings: { ...scene.settings, patienceSeconds: 3_600 },
  api: () => api,
})

it('a process that died before it had read the lots has sent nothing, and the next one sends', async () => {
  const kept = await oneRoom()
  await dieRecorded(kept)
  expect(stateOf(await scene.apply(kept, patient()))).toBe('confirmed')
  const { token } = kept.document.operations[0]!
  expect((await scene.posted()).filter(one => one === token)).toHaveLength(1)
})

it('a process that died before its receipt is told, and the next apply writes it and sends nothing', async () => {
  const kept = await oneRoom()
  const { store } = scene
  const died = () => Promise.reject(new Error('the process died'))
  const dying = { ...scene.reconciling(), store: { ...store, addReceipt: died, endRun: died } }
  await expect(scene.apply(kept, dying)).rejects.toThrow('the process died')
  const { token } = kept.document.operations[0]!
  const posted = async () => (await scene.posted()).filter(one => one === token).length
  expect(await posted()).toBe(1)
  const left = await scene.show(kept)
  expect(left).toMatchObject({ interrupted: { sent: 1, of: 1, withoutReceipt: 1 }, receipts: [] })
  // Who has approved it may not any more.
  const others = { ...scene.settings, approvers: [{ name: 'Bo', role: 'manager' }] }
  const done = await scene.apply(kept, { ...scene.reconciling(), settings: others })
  expect([done.interrupted, done.receipts.length, await posted()]).toEqual([null, 1, 1])
  const receipt = JSON.parse(readFileSync(done.receipts[0]!.path, 'utf8')) as object
  expect(receipt).toMatchObject({ approved_by: ['Store manager', 'Compliance lead'] })
})

it('an approval is given once, from where it was given, and of this document alone', async () => {
  const snapshot = await scene.snapshot('Quarantine')
  const kept = await scene.plan(scene.count(snapshot, () => ({ counted_qty: '0' })))
  await scene.approve(kept, 'Store manager')
  await expect(scene.approve(kept, 'Store manager')).rejects.toThrow('already')
  expect(await scene.store.approvals(kept.plan.plan)).toMatchObject([
    { by: 'Store manager', origin: 'kim@till-1', hash: kept.plan.hash },
  ])
  const judged = { plan: kept.plan, rules: rulesOf(kept, scene.settings) }
  const other = { by: 'Compliance lead', hash: '0'.repeat(64), atMs: Date.now(), origin: '' }
  await expect(approvePlan(scene.store, judged, other)).rejects.toThrow('hash')
})

it('what the approvals that count expire at is not what an older one did', async () => {
  const snapshot = await scene.snapshot('Quarantine')
  const kept = await scene.plan(scene.count(snapshot, () => ({ counted_qty: '0' })))
  const atMs = Date.now()
  const validMs = scene.settings.approvalValidSeconds * 1000
  await scene.approveAt(atMs - validMs, kept, 'Store manager')
  await scene.approveAt(atMs, kept, 'Compliance lead')
  expect(await scene.show(kept)).toMatchObject({
    expiresAt: new Date(atMs + validMs).toISOString(),
  })
})

it('a snapshot that was changed since is not what a plan is made on', async () => {
  const snapshot = await scene.snapshot('Quarantine')
  const file = scene.count(snapshot, ({ expected }) => ({ counted_qty: expected }))
  const path = join(
    auditFolder(scene.exports, snapshot.store, snapshot.audit).path,
    'snapshot.json',
  )
  const bytes = readFileSync(path, 'utf8')
  chmodSync(path, 0o644)
  writeFileSync(path, bytes.replaceAll(/"unitCost": "[^"]*"/g, '"unitCost": "0"'))
  await expect(scene.plan(file)).rejects.toMatchObject({ code: 'EVIDENCE_CHANGED' })
  writeFileSync(path, bytes)
  expect((await scene.plan(file)).document.lines).toHaveLength(snapshot.lines.length)
})

it('a history that will not hold still decides nothing: the operation is parked', async () => {
  const kept = await oneRoom()
  await dieRecorded(kept)
  const readList: StoreApi['readList'] = (list, query) =>
    list === reconciliationHistory
      ? Promise.reject(new TillageError('LIST_MOVED', 'the list changed each time'))
      : scene.api.readList(list, query)
  const api = { ...scene.api, readList }
  const reconciling = { ...scene.reconciling(), api: () => api }
  expect(stateOf(await scene.apply(kept, reconciling))).toBe('unknown')
})

it('a quantity that is no decimal, or is not there, is not taken for nothing', async () => {
  const answering = (quantity: unknown, batchId: string | null = 'B'): StoreApi => {
    const row = { batchId, inventoryId: 'R', quantity }
    const read = () => Promise.resolve({ items: [row], total: 1 })
    return { ...scene.api, read: read as unknown as StoreApi['read'] }
  }
  for (const odd of ['12,5', null, undefined, {}])
    await expect(readProducts(answering(odd), ['P'])).rejects.toThrow('needs batchId')
  await expect(readProducts(answering(1, null), ['P'])).rejects.toThrow('needs batchId')
  expect([...(await readProducts(answering(0, null), ['P'])).keys()]).toEqual([])
  expect([...(await readProducts(answering('12.5'), ['P'])).keys()]).toEqual(['R/B'])
})
