import { afterAll, beforeAll, expect, it } from 'vitest'
import { operationsOf, replacing, startScene, statesOf } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

const planOf = async (key: string): Promise<string> => {
  const planned = await scene.plan('vendors', `external_id,name,active\n${key},Vendor ${key},true`)
  expect(operationsOf(planned)[0]!.changes).toContainEqual({
    field: 'active',
    old: null,
    new: 'true',
  })
  await scene.approve(planned.plan, ['all'])
  return planned.plan
}

it('a creation sends that a record is in use where the file says so', async () => {
  const plan = await planOf('V-USE')
  expect(statesOf(await scene.apply(plan))).toEqual({ 'V-USE': 'applied' })
  const [operation] = await scene.push.outbound.operations(plan)
  expect(JSON.parse(String(operation!.facts['sent']))).toMatchObject({ active: true })
})

it('a creation that the API takes and puts out of use is failed, and names the field', async () => {
  const plan = await planOf('V-OUT')
  const applied = await scene.apply(plan, replacing(scene.push, '"active":true', '"active":false'))
  expect(statesOf(applied)).toEqual({ 'V-OUT': 'failed' })
  expect(operationsOf(applied)[0]!.error).toContain('shows something else in active')
})

it('a file that does not say whether a record is in use does not send it', async () => {
  const planned = await scene.plan('vendors', 'external_id,name\nV-DEF,Vendor V-DEF')
  expect(operationsOf(planned)[0]!.changes.map(({ field }) => field)).not.toContain('active')
})
