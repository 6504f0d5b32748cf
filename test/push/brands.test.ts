import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGovernor } from '../../connectors/partner/governor.ts'
import { planUndo } from '../../push/apply/undo-plan.ts'
import type { Push } from '../../push/push.ts'
import { startScene, statesOf } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

it('brands are looked up in a list, also where only one request may be under way', async () => {
  const governor = createGovernor({ concurrency: 1, requestsPerSecond: Infinity })
  const store: Push['store'] = id => ({ ...scene.push.store(id), governor })
  const oneByOne = { ...scene.push, store }
  const category = (await scene.records('categories'))[0]!.externalId
  const text = [
    'external_id,name,category_external_id,vendor_external_id,brand_external_id,brand_name',
    `P-BRAND,New,${category},V-1001,BR-ONE,Brand`,
  ].join('\n')
  const { plan } = await scene.plan('products', text, { create: ['brands'] })
  await scene.approve(plan, ['all'])
  const applied = await scene.apply(plan, oneByOne)
  expect(statesOf(applied)).toEqual({ 'BR-ONE': 'applied', 'P-BRAND': 'applied' })
  const inverse = await planUndo(scene.push, plan, new AbortController().signal)
  await scene.approve(inverse, ['all'])
  const undone = await scene.apply(inverse, oneByOne)
  expect(statesOf(undone)).toEqual({ 'BR-ONE': 'applied', 'P-BRAND': 'applied' })
  const brand = (await scene.records('brands')).find(one => one.externalId === 'BR-ONE')
  expect(brand).toMatchObject({ active: false })
})
