import { afterAll, beforeAll, expect, it } from 'vitest'
import { planUndo } from '../../push/apply/undo-plan.ts'
import type { Push } from '../../push/push.ts'
import { governorAlone } from '../helpers/governor.ts'
import { operationsOf, startScene, statesOf } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

it('brands are looked up in a list, also where only one request may be under way', async () => {
  const governor = governorAlone({ concurrency: 1, requestsPerSecond: Infinity })
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

it('a brand of the same name is not made again, however its accent is composed', async () => {
  const category = (await scene.records('categories'))[0]!.externalId
  const rowOf = (product: string, brand: string, name: string): string =>
    [
      'external_id,name,category_external_id,vendor_external_id,brand_external_id,brand_name',
      `${product},New ${product},${category},V-1001,${brand},${name}`,
    ].join('\n')
  const first = await scene.plan('products', rowOf('P-N1', 'BR-N1', 'Caf\u00e9  Verde'), {
    create: ['brands'],
  })
  await scene.approve(first.plan, ['all'])
  expect(statesOf(await scene.apply(first.plan))).toMatchObject({ 'BR-N1': 'applied' })
  const again = await scene.plan('products', rowOf('P-N2', 'BR-N2', 'CAFE\u0301 verde '), {
    create: ['brands'],
  })
  expect(operationsOf(again).map(({ entity, op }) => [entity, op])).not.toContainEqual([
    'brands',
    'create',
  ])
})
