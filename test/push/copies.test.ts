import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPush } from '../../activities/create-push.ts'
import { copyDatabase, markRestored } from '../../connectors/database.ts'
import { SENT_BY_ANOTHER } from '../../outbound/outcome.ts'
import { planUndo } from '../../push/apply/undo-plan.ts'
import type { Push } from '../../push/push.ts'
import { openPushPlace } from './push-place.ts'
import { startScene, statesOf } from './scene.ts'
import type { Scene } from './scene.ts'

/** Once means once for the API: what another copy of the database has sent is not sent again. */
let scene: Scene
let category: string
const closing: (() => Promise<void>)[] = []
beforeAll(async () => {
  scene = await startScene()
  category = (await scene.records('categories'))[0]!.externalId
})
afterAll(async () => {
  for (const close of closing) await close()
  await scene.close()
})

let copies = 0
/** The same plans in a folder of their own. */
async function copyOf(isRestored = false): Promise<Push> {
  const path = join(scene.folder, `copy-${++copies}.db`)
  const quiet = { signal: new AbortController().signal, progress: () => {}, say: () => {} }
  await copyDatabase(join(scene.folder, 'tillage.db'), path, quiet)
  const now = new Date().toISOString()
  if (isRestored) expect(markRestored(path, { backupAt: now, at: now })).not.toEqual([])
  const place = openPushPlace(path)
  closing.push(() => place.close())
  const { settings, runner } = scene.push
  return createPush({ ...place, settings, runner }, scene.dependencies)
}

it('an undo on a restored database says where the receipts are that it does not know', async () => {
  const { plan } = await scene.plan('products', 'external_id,description\nP-1012,changed\n')
  await scene.approve(plan, ['all'])
  const restored = await copyOf(true)
  await scene.apply(plan)
  await scene.apply(plan, restored)
  expect(await restored.outbound.operations(plan)).toMatchObject([{ state: 'unchanged' }])
  await expect(planUndo(restored, plan, new AbortController().signal)).rejects.toMatchObject({
    message: expect.stringContaining('was restored') as string,
    remedy: expect.stringContaining(join(plan, 'receipts')) as string,
  })
})

const CREATIONS = [
  {
    catalog: 'products',
    text: (key: string) =>
      `external_id,name,sku,category_external_id,vendor_external_id\n` +
      `${key},New,SKU-${key},${category},V-1001`,
  },
  { catalog: 'vendors', text: (key: string) => `external_id,name\n${key},Vendor ${key}` },
] as const

describe.each(CREATIONS)('a creation in $catalog', ({ catalog, text }) => {
  const prepare = async (key: string): Promise<string> => {
    const { plan } = await scene.plan(catalog, text(key))
    await scene.approve(plan, ['all'])
    return plan
  }
  const named = async (key: string) =>
    (await scene.records(catalog)).filter(({ externalId }) => externalId === key)
  const key = (name: string): string => `${name}-${catalog}`

  it('that a copy of the database has sent is taken for sent, and the story says so', async () => {
    const plan = await prepare(key('once'))
    const copy = await copyOf()
    await scene.apply(plan)
    const [created] = await named(key('once'))
    const applied = await scene.apply(plan, copy)
    expect(statesOf(applied)).toEqual({ [key('once')]: 'applied' })
    expect(await named(key('once'))).toHaveLength(1)
    const events = await copy.outbound.events(plan)
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'found', detail: SENT_BY_ANOTHER }),
    )
    const [operation] = await copy.outbound.operations(plan)
    expect(operation!.facts).toMatchObject({ targetId: created!.id })
    expect(await copy.outbound.receipts(plan)).toEqual([])
  })

  it('that is there with another content is stale, and names what differs', async () => {
    const plan = await prepare(key('other'))
    const copy = await copyOf()
    await scene.apply(plan)
    const [created] = await named(key('other'))
    await scene.edit(catalog, created!.id, '{"name":"renamed since"}')
    const { outbound } = copy
    await scene.apply(plan, copy)
    expect(await outbound.operations(plan)).toMatchObject([{ state: 'stale' }])
    expect((await outbound.events(plan)).at(-1)!.detail).toContain('with another name')
  })

  it('of a restored database is waited for before it is sent', async () => {
    const plan = await prepare(key('late'))
    const restored = await copyOf(true)
    let isTaken = false
    const sleep = async (): Promise<void> => {
      if (!isTaken) await scene.apply(plan)
      isTaken = true
    }
    await scene.apply(plan, { ...restored, sleep })
    expect(isTaken).toBe(true)
    expect(await named(key('late'))).toHaveLength(1)
    const said = (await restored.outbound.events(plan)).map(({ detail }) => detail)
    expect(said).toContain('it was sent after the backup was made')
  })

  it('of a restored database is sent once nothing shows it with patience', async () => {
    const plan = await prepare(key('never'))
    const restored = await copyOf(true)
    let nowMs = restored.now()
    const sleep = async (ms: number): Promise<void> => void (nowMs += ms)
    await scene.apply(plan, { ...restored, now: () => nowMs, sleep })
    expect(nowMs - restored.now()).toBeGreaterThan(20_000)
    expect(await named(key('never'))).toHaveLength(1)
    expect(await restored.outbound.operations(plan)).toMatchObject([{ state: 'confirmed' }])
  })
})
