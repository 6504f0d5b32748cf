import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { auditFolder } from '../../audit/folder.ts'
import { reconciliationHistory } from '../../audit/lists.ts'
import { readProducts } from '../../audit/quantities.ts'
import type { StoreApi } from '../../audit/store-api.ts'
import { TillageError } from '../../errors.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import { approvePlan, carryOutOperation } from '../../reconcile/reconciler.ts'
import type { Reconciling } from '../../reconcile/reconciler.ts'
import { AuditScene } from './audit-scene.ts'

let scene: AuditScene
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterAll(() => scene.close())

const SIGNAL = new AbortController().signal

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
  scene.store.move({
    plan,
    op: 'op-1',
    from: ['planned'],
    to: 'submitted',
    sends: true,
    at: new Date().toISOString(),
    event: 'sent',
    detail: '',
  })

/** Patience that no test would live to see the end of. */
const patient = (api: StoreApi = scene.api): Reconciling => ({
  ...scene.reconciling(),
  settings: { ...scene.settings, patienceSeconds: 3_600 },
  api: () => api,
})

it('a process that died before it had read the lots has sent nothing, and the next one sends', async () => {
  const kept = await oneRoom()
  await dieRecorded(kept)
  const { plan } = kept.document
  expect(await carryOutOperation(patient(), plan, 'op-1', SIGNAL)).toBe('confirmed')
  const { token } = kept.document.operations[0]!
  expect((await scene.posted()).filter(one => one === token)).toHaveLength(1)
})

it('an approval that was recorded before the process died is not a second one', async () => {
  const snapshot = await scene.snapshot('Quarantine')
  const kept = await scene.plan(scene.count(snapshot, () => ({ counted_qty: '0' })))
  const asked = { by: 'Store manager', hash: kept.hash, atMs: Date.now() }
  await approvePlan(scene.reconciling(), kept, asked)
  await approvePlan(scene.reconciling(), kept, asked)
  expect(await scene.store.approvals(kept.document.plan)).toHaveLength(1)
  const later = { ...asked, atMs: asked.atMs + 1 }
  await expect(approvePlan(scene.reconciling(), kept, later)).rejects.toThrow('already')
  const stranger = { ...asked, hash: '0'.repeat(64) }
  await expect(approvePlan(scene.reconciling(), kept, stranger)).rejects.toThrow('hash')
})

it('what the approvals that count expire at is not what an older one did', async () => {
  const snapshot = await scene.snapshot('Quarantine')
  const kept = await scene.plan(scene.count(snapshot, () => ({ counted_qty: '0' })))
  const atMs = Date.now()
  const validMs = scene.settings.approvalValidSeconds * 1000
  await approvePlan(scene.reconciling(), kept, { by: 'Store manager', atMs: atMs - validMs })
  await approvePlan(scene.reconciling(), kept, { by: 'Compliance lead', atMs })
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
  const { plan } = kept.document
  expect(await carryOutOperation(reconciling, plan, 'op-1', SIGNAL)).toBe('unknown')
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
