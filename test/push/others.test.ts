import { afterAll, beforeAll, expect, it } from 'vitest'
import { PartnerError } from '../../errors.ts'
import { resolveOperation } from '../../push/apply/resolve-operation.ts'
import { planUndo } from '../../push/apply/undo-plan.ts'
import type { Push } from '../../push/push.ts'
import { dieSending, operationsOf, startScene, UNPACED } from './scene.ts'
import type { Scene } from './scene.ts'

/** Whose work it is: what we sent has a receipt and can be undone, what others did has none. */
let scene: Scene
let id: string
let category: string
beforeAll(async () => {
  scene = await startScene()
  id = scene.sandbox.stores[0]!.id
  category = (await scene.records('categories'))[0]!.externalId
})
afterAll(() => scene.close())

type Send = ReturnType<Push['store']>['client']['send']

/** A push whose clock moves only while it waits, and with other requests than it asks for. */
function changed(change: { send?: (send: Send) => Send; waits?: () => Promise<void> }): Push {
  let nowMs = scene.push.now()
  const { client, ...rest } = scene.push.store(id)
  const send = change.send?.(client.send) ?? client.send
  const store: Push['store'] = () => ({ ...rest, client: { ...client, send }, governor: UNPACED })
  const sleep = async (ms: number): Promise<void> => {
    nowMs += ms
    await change.waits?.()
  }
  return { ...scene.push, store, now: () => nowMs, sleep }
}

const planOf = async (text: string): Promise<string> => {
  const { plan } = await scene.plan('products', text)
  await scene.approve(plan, ['all'])
  return plan
}
const undo = async (plan: string) =>
  scene.show(await planUndo(scene.push, plan, new AbortController().signal))
const productOf = async (key: string) =>
  (await scene.records('products')).find(({ externalId }) => externalId === key)!

it('a write that the API takes after it was given up has a receipt, and is undone', async () => {
  const plan = await planOf('external_id,description\nP-1011,taken late\n')
  let late: (() => Promise<unknown>) | undefined
  const send =
    (usual: Send): Send =>
    async (request, signal) => {
      if (request.method !== 'PUT' || late !== undefined) return usual(request, signal)
      late = () => usual(request)
      throw new PartnerError('PARTNER_UNREACHABLE', 'no answer')
    }
  const { outbound, ...push } = changed({ send })
  const move: typeof outbound.move = async step => {
    const done = await outbound.move(step)
    if (step.event === 'sent again') await late!()
    return done
  }
  const applied = await scene.apply(plan, { ...push, outbound: { ...outbound, move } })
  expect(operationsOf(applied)).toMatchObject([
    { state: 'applied', receipt: { after: { description: 'taken late' }, by: 'Ana' } },
  ])
  expect(operationsOf(applied)[0]!.receipt!.before).not.toBeNull()
  expect((await undo(plan)).stores[0]!.counts).toMatchObject({ update: 1, conflict: 0 })
})

it('what somebody else has written before anything was sent is theirs: no receipt, no undo', async () => {
  const product = await productOf('P-1012')
  const plan = await planOf('external_id,description\nP-1012,as planned\n')
  await scene.faults({ method: 'GET', match: `products/${product.id}`, status: 429, times: 1 })
  const waits = () => scene.edit('products', product.id, '{"description":"as planned"}')
  const applied = await scene.apply(plan, changed({ waits }))
  await scene.faults()
  expect(operationsOf(applied)).toMatchObject([{ state: 'noop', receipt: null }])
  await expect(undo(plan)).rejects.toThrow('nothing to undo')
})

it('a product that somebody else has created meanwhile is theirs, also if it is just as planned', async () => {
  const [header, row] = [
    'external_id,name,sku,category_external_id,vendor_external_id',
    `P-THEIRS,Theirs,SKU-THEIRS,${category},V-1001`,
  ]
  const plan = await planOf(`${header}\n${row}\n`)
  const { categoryId, vendorId } = await productOf('P-1001')
  const body = JSON.stringify({
    externalId: 'P-THEIRS',
    name: 'Theirs',
    sku: 'SKU-THEIRS',
    categoryId,
    vendorId,
  })
  let isThere = false
  const waits = async (): Promise<void> => {
    if (isThere) return
    isThere = true
    const path = '/api/v1/partner/products'
    await scene.push.store(id).client.send({ method: 'POST', path, body })
  }
  await scene.faults({ method: 'GET', match: 'products/sku', status: 429, times: 1 })
  const applied = await scene.apply(plan, changed({ waits }))
  await scene.faults()
  expect(operationsOf(applied)).toMatchObject([{ state: 'stale', receipt: null }])
  await expect(undo(plan)).rejects.toThrow('nothing to undo')
})

it('what was recorded and not sent when the process died is sent by the next apply, at once', async () => {
  const plan = await planOf(
    'external_id,name,sku,category_external_id,vendor_external_id\n' +
      `P-DIED,Died,SKU-DIED,${category},V-1001\n`,
  )
  await dieSending(scene.push, plan)
  const waits = () => Promise.reject(new Error('it waited'))
  expect(operationsOf(await scene.apply(plan, changed({ waits })))).toMatchObject([
    { state: 'applied' },
  ])
})

it('what was on its way when a plan stopped and its process died is decided by a person', async () => {
  const plan = await planOf('external_id,description\nP-1013,on its way\n')
  const { outbound } = scene.push
  const at = new Date(scene.push.now()).toISOString()
  await dieSending(scene.push, plan)
  const resolve = async () => {
    const answer = { kind: 'not sent' } as const
    const signal = new AbortController().signal
    await resolveOperation(scene.push, plan, { op: 'op-1', by: 'Ana', answer, signal })
  }
  await expect(resolve()).rejects.toThrow('not parked')
  await outbound.note({
    plan,
    op: null,
    at,
    event: 'stopped',
    by: null,
    detail: '20 writes failed',
  })
  expect(operationsOf(await scene.apply(plan))).toMatchObject([{ state: 'unknown' }])
  await resolve()
  expect(operationsOf(await scene.apply(plan))).toMatchObject([{ state: 'approved' }])
})

it('an update that a person calls sent, and of which nothing was written down, is not undone as a creation', async () => {
  const plan = await planOf('external_id,description\nP-1014,said to be sent\n')
  await dieSending(scene.push, plan)
  const at = new Date(scene.push.now()).toISOString()
  const stop = { op: null, at, event: 'stopped', by: null, detail: '20 writes failed' }
  await scene.push.outbound.note({ plan, ...stop })
  const { id: targetId } = await productOf('P-1014')
  await scene.edit('products', targetId, '{"description":"said to be sent"}')
  const answer = { kind: 'sent', targetId } as const
  const signal = new AbortController().signal
  await resolveOperation(scene.push, plan, { op: 'op-1', by: 'Ana', answer, signal })
  expect(operationsOf(await undo(plan))).toMatchObject([
    { op: 'conflict', reason: 'its receipt does not say what was there before' },
  ])
})
