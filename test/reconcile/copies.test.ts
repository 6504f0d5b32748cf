import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { HOUR_MS } from '../../calendar/days.ts'
import { copyDatabase, markRestored, openOutboundStore } from '../../connectors/database.ts'
import type { OutboundStore } from '../../connectors/destination/outbound.ts'
import { SENT_BY_ANOTHER } from '../../outbound/outcome.ts'
import type { KeptPlan } from '../../reconcile/plan-files.ts'
import type { Reconciling } from '../../reconcile/reconciling.ts'
import { showPlan } from '../../reconcile/show-plan.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'
import { askedOf } from '../helpers/asked.ts'
import { waitFor } from '../helpers/project.ts'
import { AuditScene } from './audit-scene.ts'

/** Once means once for the API: what another copy of the database has posted is not sent again. */
let scene: AuditScene
const stores: OutboundStore[] = []
beforeAll(async () => {
  scene = await AuditScene.start()
})
afterAll(async () => {
  for (const store of stores) await store.close()
  await scene.close()
})

const SIGNAL = new AbortController().signal
const POSTS = String.raw`/reconciliations$`
const HISTORY = '/reconciliations'

async function oneRoom(): Promise<KeptPlan> {
  const snapshot = await scene.snapshot('Quarantine')
  const line = snapshot.lines.find(one => one.unit === 'EACH' && Number(one.expected) > 5)!
  const kept = await scene.plan(
    scene.count(snapshot, ({ lineId, expected }) => ({
      counted_qty: lineId === line.lineId ? String(Number(expected) - 1) : expected,
    })),
  )
  await scene.approve(kept, 'Store manager', 'Compliance lead')
  return kept
}

/** The same plans, in another database. */
async function copyOf(options: { isRestored?: boolean } = {}): Promise<Reconciling> {
  const path = join(mkdtempSync(join(scene.folder, 'copy-')), 'tillage.db')
  await copyDatabase(scene.database, path, { signal: SIGNAL, progress: () => {} })
  const now = new Date().toISOString()
  if (options.isRestored) markRestored(path, { backupAt: now, at: now })
  const store = await openOutboundStore(path)
  stores.push(store)
  return { ...scene.reconciling(), store }
}

async function applyIn(copy: Reconciling, kept: KeptPlan): Promise<ShownPlan> {
  await scene.apply(kept, copy)
  return showPlan(copy, kept)
}

/** How often the API's history was asked for. */
async function searches(): Promise<number> {
  const { requests } = await askedOf(scene.sandbox)
  return requests.filter(({ method, path }) => method === 'GET' && path.endsWith(HISTORY)).length
}

const timesPosted = async ({ document }: KeptPlan): Promise<number> => {
  const tokens = new Set(document.operations.map(({ token }) => token))
  return (await scene.posted()).filter(token => tokens.has(token)).length
}

it('a room that a copy of the database has posted is taken for sent, and the story says so', async () => {
  const kept = await oneRoom()
  const copy = await copyOf()
  const first = await scene.apply(kept)
  const shown = await applyIn(copy, kept)
  expect(shown.operations).toMatchObject([
    { state: 'confirmed', reconciliation_id: first.operations[0]!.reconciliation_id },
  ])
  expect(shown.lines.filter(({ delta }) => delta !== '0')).toMatchObject([{ state: 'confirmed' }])
  expect(shown.story.map(({ detail }) => detail).join('\n')).toContain(SENT_BY_ANOTHER)
  expect(shown.receipts).toEqual([])
  expect(await timesPosted(kept)).toBe(1)
})

/** Through whom each lot is posted as 1. */
async function postingOnes(): Promise<Reconciling> {
  const api = await scene.openBehind(async ({ method, body, pass }) =>
    method === 'POST' ? pass(body.replaceAll(/"newQuantity":\d+/g, '"newQuantity":1')) : undefined,
  )
  return scene.reconciling(api)
}

it('a room that was posted under its token with other counts is stale, and is not posted', async () => {
  const kept = await oneRoom()
  const copy = await copyOf()
  await scene.apply(kept, await postingOnes())
  const shown = await applyIn(copy, kept)
  expect(shown.operations).toMatchObject([{ state: 'stale' }])
  expect(shown.operations[0]!.error).toContain('with other counts')
  expect(await timesPosted(kept)).toBe(1)
})

it('a room of a restored database that was posted with other counts is confirmed, and says which', async () => {
  const kept = await oneRoom()
  const restored = await copyOf({ isRestored: true })
  await scene.apply(kept, await postingOnes())
  const shown = await applyIn(restored, kept)
  const [line] = shown.lines.filter(({ delta }) => delta !== '0')
  expect(line).toMatchObject({ state: 'confirmed', discrepancy: 'unexplained' })
  expect([shown.state, await timesPosted(kept)]).toEqual(['unexplained', 1])
})

it('a room of a restored database whose posting arrives late is found before it is sent', async () => {
  const kept = await oneRoom()
  const restored = await copyOf({ isRestored: true })
  await scene.fault({ match: POSTS, commitAfterMs: HOUR_MS, times: 1 })
  expect((await scene.apply(kept)).operations).toMatchObject([{ state: 'unknown' }])
  const settings = { ...scene.settings, patienceSeconds: 3_600 }
  const before = await searches()
  const applied = applyIn({ ...restored, settings }, kept)
  await waitFor(async () => (await searches()) > before, 'a search that does not find it')
  await scene.noFaults()
  const shown = await applied
  expect(shown.operations).toMatchObject([{ state: 'confirmed' }])
  expect(shown.story.map(({ event }) => event)).toContain('restored')
  expect(await timesPosted(kept)).toBe(1)
})

it('a room of a restored database that nothing shows is posted, and its receipt has a place', async () => {
  const kept = await oneRoom()
  const restored = await copyOf({ isRestored: true })
  const shown = await applyIn(restored, kept)
  expect(shown.operations).toMatchObject([{ state: 'confirmed' }])
  expect(shown.receipts).toHaveLength(1)
  expect(await timesPosted(kept)).toBe(1)
})
