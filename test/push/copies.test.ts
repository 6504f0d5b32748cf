import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPush } from '../../activities/create-push.ts'
import { copyDatabase, markRestored } from '../../connectors/database.ts'
import { SENT_BY_ANOTHER } from '../../outbound/outcome.ts'
import { PERHAPS_OURS } from '../../outbound/restored.ts'
import { planUndo } from '../../push/apply/undo-plan.ts'
import { showPlan } from '../../push/document.ts'
import type { Push } from '../../push/push.ts'
import { summarizeEnd } from '../../push/summary.ts'
import { openPushPlace } from './push-place.ts'
import { operationsOf, startScene, statesOf } from './scene.ts'
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

describe('a plan of a restored database', () => {
  const planned = async (...products: string[]): Promise<string> => {
    const rows = products.map(product => `${product},changed\n`).join('')
    const { plan } = await scene.plan('products', `external_id,description\n${rows}`)
    await scene.approve(plan, ['all'])
    return plan
  }

  it('says of what is as planned already that it may have been sent after the backup', async () => {
    const plan = await planned('P-1012')
    const restored = await copyOf(true)
    await scene.apply(plan)
    await scene.apply(plan, restored)
    const shown = operationsOf(await showPlan(restored, plan))
    expect(shown).toMatchObject([{ state: 'noop', reason: PERHAPS_OURS }])
    expect(summarizeEnd(shown)).toBe(`1 already as planned: ${PERHAPS_OURS}`)
  })

  it('says so of nothing where no backup was restored', async () => {
    const plan = await planned('P-1013')
    const copy = await copyOf()
    await scene.apply(plan)
    await scene.apply(plan, copy)
    const shown = operationsOf(await showPlan(copy, plan))
    expect(shown).toMatchObject([{ state: 'noop', reason: null }])
    expect(summarizeEnd(shown)).toBe('1 already as planned')
  })

  it('says so of nothing that was as planned before the backup was made', async () => {
    const plan = await planned('P-1019', 'P-1020')
    const [first] = (await scene.push.outbound.operations(plan)).map(({ op }) => op)
    const at = new Date().toISOString()
    const step = {
      plan,
      op: first!,
      from: ['planned'],
      event: 'unchanged',
      detail: '',
      at,
    } as const
    expect(await scene.push.outbound.move({ ...step, to: 'unchanged' })).toBe(true)
    const restored = await copyOf(true)
    expect(operationsOf(await showPlan(restored, plan))[0]).toMatchObject({
      state: 'noop',
      reason: null,
    })
  })

  it('is not undone where it has no receipt, and says where they are', async () => {
    const plan = await planned('P-1014')
    const restored = await copyOf(true)
    await scene.apply(plan)
    await scene.apply(plan, restored)
    await expect(planUndo(restored, plan, new AbortController().signal)).rejects.toMatchObject({
      message: expect.stringContaining('was restored') as string,
      remedy: expect.stringContaining(join(plan, 'receipts')) as string,
    })
  })

  it('is undone as far as it has receipts, and names what it has none of', async () => {
    const plan = await planned('P-1015', 'P-1016')
    const restored = await copyOf(true)
    await sendOneByHand('P-1016')
    await scene.apply(plan, restored)
    const { signal } = new AbortController()
    const inverse = await showPlan(restored, await planUndo(restored, plan, signal))
    expect(operationsOf(inverse)).toMatchObject([
      { externalId: 'P-1015', op: 'update' },
      {
        externalId: 'P-1016',
        op: 'conflict',
        reason: expect.stringContaining(PERHAPS_OURS) as string,
      },
    ])
  })

  it('is not undone in what is not due here, and may have been sent elsewhere', async () => {
    const { plan } = await scene.plan(
      'products',
      'external_id,description,effective_at\nP-1017,changed,\nP-1018,changed,2099-01-01T08:00\n',
    )
    await scene.approve(plan, ['all'])
    const restored = await copyOf(true)
    await scene.apply(plan, restored)
    const { signal } = new AbortController()
    const inverse = await showPlan(restored, await planUndo(restored, plan, signal))
    expect(operationsOf(inverse)).toMatchObject([
      { externalId: 'P-1017', op: 'update' },
      { externalId: 'P-1018', op: 'conflict' },
    ])
  })

  /** As the database wrote it after the backup was made. */
  async function sendOneByHand(product: string): Promise<void> {
    const found = (await scene.records('products')).find(one => one.externalId === product)
    await scene.edit('products', found!.id, '{"description":"changed"}')
  }
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
    expect(said).toContain('another copy of this database has sent it')
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
