import { afterAll, beforeAll, expect, it } from 'vitest'
import { resolveOperation } from '../../push/apply/resolve-operation.ts'
import type { Answer } from '../../push/apply/resolve-operation.ts'
import { approvePush } from '../../push/approve.ts'
import type { Push } from '../../push/push.ts'
import { hurried, operationsOf, startScene } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

const signal = new AbortController().signal

/** With these approvers, and no others. */
function may(push: Push, ...names: string[]): Push {
  const approvers = names.map(name => ({ name, role: 'manager' }))
  return { ...push, settings: { ...push.settings, approvers } }
}

it('a receipt names whose approval counted, and of a guarded change who named it', async () => {
  const all = may(scene.push, 'Ana', 'Bo', 'Cy')
  const said = { origin: 'ana@till-1' }
  const approved = async (text: string): Promise<string> => {
    const { plan } = await scene.plan('products', text)
    await approvePush(all, plan, { ...said, by: 'Ana', guarded: ['all'] })
    await approvePush(all, plan, { ...said, by: 'Bo', guarded: [] })
    await approvePush(all, plan, { ...said, by: 'Cy', guarded: ['all'] })
    return plan
  }
  const receiptsOf = async (plan: string, push: Push) =>
    operationsOf(await scene.apply(plan, push)).map(({ flags, receipt }) => [flags, receipt!.by])
  const text = (price: number): string =>
    `external_id,unit_price,description\nP-1050,,price ${price}\nP-1051,${price},\n`
  expect(await receiptsOf(await approved(text(900)), all)).toEqual([
    [[], 'Ana, Bo, Cy'],
    [['price_change'], 'Ana, Cy'],
  ])
  expect(await receiptsOf(await approved(text(9000)), may(scene.push, 'Ana', 'Bo'))).toEqual([
    [[], 'Ana, Bo'],
    [['price_change'], 'Ana'],
  ])
})

it('a receipt names who had approved as it was sent, whoever may, or does, when it is written', async () => {
  const [category] = await scene.records('categories')
  const creation =
    'external_id,name,sku,category_external_id,vendor_external_id\n' +
    `N-LEFT,New,SKU-LEFT,${category!.externalId},V-1001`
  const approved = async (): Promise<string> => {
    const { plan } = await scene.plan('products', creation)
    const ana = { by: 'Ana', origin: 'ana@till-1', guarded: ['all'] }
    await approvePush(may(scene.push, 'Ana'), plan, ana)
    return plan
  }
  const parked = await approved()
  await scene.faults({ method: 'POST', status: 502, times: 1 })
  await scene.apply(parked, may(hurried(scene.push), 'Ana'))
  const bo = { by: 'Bo', origin: 'bo@till-2', guarded: ['all'] }
  await approvePush(may(scene.push, 'Bo'), parked, bo)
  await scene.faults()
  await scene.apply(await approved(), may(scene.push, 'Ana'))
  const records = await scene.records('products')
  const created = records.find(({ externalId }) => externalId === 'N-LEFT')
  const answer: Answer = { kind: 'sent', targetId: created!.id }
  const resolution = { op: 'op-1', by: 'Kim', answer, signal }
  await resolveOperation(may(scene.push, 'Bo'), parked, resolution)
  expect(operationsOf(await scene.show(parked))[0]!.receipt!.by).toBe('Ana')
})
