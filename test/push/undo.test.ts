import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY_MS } from '../../calendar/days.ts'
import { discardPlan } from '../../outbound/discard.ts'
import { resolveOperation } from '../../push/apply/resolve-operation.ts'
import type { Answer } from '../../push/apply/resolve-operation.ts'
import { planUndo } from '../../push/apply/undo-plan.ts'
import type { PlanDocument } from '../../push/document.ts'
import type { Push } from '../../push/push.ts'
import { plansThatWait } from '../../push/waiting.ts'
import { UNPACED, operationsOf, replacing, startScene, statesOf } from './scene.ts'
import type { ApiRecord, Scene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

const never = new AbortController().signal
const undo = async (plan: string) => scene.show(await planUndo(scene.push, plan, never))
const push = async (text: string, guarded: string[] = [], order = {}) => {
  const { plan } = await scene.plan('products', text, order)
  await scene.approve(plan, guarded)
  return scene.apply(plan)
}
/** Everything of a list but when it was modified. */
const contents = async (stream: string): Promise<ApiRecord[]> => {
  const records = await scene.records(stream)
  for (const record of records) for (const field of ['modified', 'updated']) delete record[field]
  return records
}

it('undo puts back what each field was, and what was absent is absent again', async () => {
  const before = await contents('products')
  const applied = await push(
    [
      'external_id,unit_price,description,tags,active,license',
      'P-1001,51.00,new words,a;b,,',
      'P-1002,,__CLEAR__,,,',
      'P-1003,,,,false,',
    ]
      .map(line => line.slice(0, line.lastIndexOf(',')))
      .join('\n'),
    ['all'],
  )
  expect(Object.values(statesOf(applied))).toEqual(['applied', 'applied', 'applied'])
  expect(await contents('products')).not.toEqual(before)
  const inverse = await undo(applied.plan)
  expect(inverse).toMatchObject({ kind: 'undo', of: applied.plan, state: 'planned' })
  expect(inverse.stores[0]!.counts).toMatchObject({ update: 2, reactivate: 1, conflict: 0 })
  await scene.approve(inverse.plan, ['all'])
  expect((await scene.apply(inverse.plan)).state).toBe('applied')
  const sort = (records: { id: string }[]) => records.toSorted((a, b) => a.id.localeCompare(b.id))
  expect(sort(await contents('products'))).toEqual(sort(before))
})

it('what the API took otherwise than it was sent has a receipt too, and is undone', async () => {
  const prices = async () =>
    (await scene.records('products'))
      .filter(one => one.externalId === 'P-1008')
      .map(one => one['unitPrice'])
  const before = await prices()
  const { plan } = await scene.plan(
    'products',
    [
      'external_id,description,unit_price,name,sku,category_external_id,vendor_external_id',
      'P-1008,words that are cut,49.50,,,,',
      `P-CUT,words that are cut,7.00,Cut,SKU-CUT,${(await scene.records('categories'))[0]!.externalId},V-1001`,
    ].join('\n'),
  )
  await scene.approve(plan, ['all'])
  const applied = await scene.apply(plan, replacing(scene.push, 'words that are cut', 'words'))
  expect(statesOf(applied)).toEqual({ 'P-1008': 'failed', 'P-CUT': 'failed' })
  for (const { error, receipt } of operationsOf(applied)) {
    expect(error).toContain('something else in description')
    expect(receipt).toMatchObject({ after: { description: 'words' }, by: 'Ana' })
  }
  const inverse = await undo(plan)
  expect(inverse.stores[0]!.counts).toMatchObject({ update: 1, deactivate: 1, conflict: 0 })
  await scene.approve(inverse.plan, ['all'])
  expect(statesOf(await scene.apply(inverse.plan))).toEqual({
    'P-1008': 'applied',
    'P-CUT': 'applied',
  })
  expect(await prices()).toEqual(before)
  const created = (await scene.records('products')).find(one => one.externalId === 'P-CUT')
  expect(created).toMatchObject({ active: false })
})

it('what the API refused has no receipt, and there is nothing to undo', async () => {
  const { plan } = await scene.plan('products', 'external_id,description\nP-1009,refused\n')
  await scene.approve(plan)
  await scene.faults({ method: 'PUT', status: 400, times: 1 })
  const applied = await scene.apply(plan)
  await scene.faults()
  expect(operationsOf(applied)).toMatchObject([{ state: 'failed', receipt: null }])
  await expect(undo(plan)).rejects.toThrow('nothing to undo')
})

it('a plan whose undo died before it was there is not undone, and the next undo has all of it', async () => {
  const { plan } = await push('external_id,description\nP-1012,died\n')
  const savePlan = () => Promise.reject(new Error('the process died'))
  const dying = { ...scene.push, outbound: { ...scene.push.outbound, savePlan } }
  await expect(planUndo(dying, plan, never)).rejects.toThrow('the process died')
  expect(await scene.show(plan)).toMatchObject({ state: 'applied', undoneBy: null })
  const inverse = await undo(plan)
  expect(inverse.stores[0]!.counts).toMatchObject({ update: 1 })
  expect(await scene.show(plan)).toMatchObject({ state: 'undo planned', undoneBy: inverse.plan })
})

const WORD = { by: 'Kim', reason: 'it was right all the same' }
const discard = ({ plan }: PlanDocument): Promise<number> => {
  const { outbound: store, runner, now } = scene.push
  return discardPlan({ store, runner, now }, { plan, kind: 'push' }, WORD)
}
/** Waiting takes no time; `aheadMs` later than now. */
function hurried(aheadMs = 0): Push {
  let nowMs = scene.push.now() + aheadMs
  const store: Push['store'] = id => ({ ...scene.push.store(id), governor: UNPACED })
  return { ...scene.push, store, now: () => nowMs, sleep: async ms => void (nowMs += ms) }
}

it('while an undo is only planned nothing more is sent, and once it is discarded the rest is', async () => {
  const { plan } = await scene.plan(
    'products',
    'external_id,description,effective_at\nP-1013,now,\nP-1014,later,2030-01-01T00:00\n',
  )
  await scene.approve(plan)
  expect((await scene.apply(plan)).state).toBe('waiting')
  expect(await plansThatWait(scene.push)).toEqual([plan])
  const first = await undo(plan)
  expect(await plansThatWait(scene.push)).toEqual([])
  await discard(first)
  expect(await plansThatWait(scene.push)).toEqual([plan])
  const second = await undo(plan)
  const planned = await scene.show(plan)
  expect(planned).toMatchObject({ state: 'undo planned', undoneBy: second.plan })
  await expect(scene.apply(plan)).rejects.toMatchObject({
    code: 'PLAN_UNDONE',
    message: `${plan} goes no further: ${second.plan}, which undoes it, is planned; nothing more of it is sent unless ${second.plan} is discarded`,
  })
  await discard(second)
  expect(await scene.show(plan)).toMatchObject({ state: 'waiting', undoneBy: null })
  const done = await scene.apply(plan, hurried(10 * 365 * DAY_MS))
  expect(statesOf(done)).toEqual({ 'P-1013': 'applied', 'P-1014': 'applied' })
  expect((await undo(plan)).stores[0]!.counts).toMatchObject({ update: 2, conflict: 0 })
})

it('of two undos of a plan the one that was not discarded counts', async () => {
  const { plan } = await push('external_id,description\nP-1015,twice\n')
  const [first, second] = [await undo(plan), await undo(plan)]
  await discard(second)
  expect(await scene.show(plan)).toMatchObject({ state: 'undo planned', undoneBy: first.plan })
  await discard(first)
  expect(await scene.show(plan)).toMatchObject({ state: 'applied', undoneBy: null })
})

it('an undo that was sent in part has undone its plan, also once its rest is discarded', async () => {
  const text = 'external_id,unit_price,description\nP-1016,,in part\nP-1017,900,\n'
  const { plan } = await push(text, ['all'])
  const inverse = await undo(plan)
  await scene.approve(inverse.plan)
  expect(Object.values(statesOf(await scene.apply(inverse.plan))).toSorted()).toEqual([
    'applied',
    'planned',
  ])
  expect(await scene.show(plan)).toMatchObject({ state: 'undone' })
  await discard(inverse)
  expect(await scene.show(plan)).toMatchObject({ state: 'undone', undoneBy: inverse.plan })
  await expect(scene.apply(plan)).rejects.toThrow('undoes it, and nothing more of it is sent')
})

it('what was not taken before an undo that was discarded is sent by the next apply', async () => {
  const text = 'external_id,description\nP-1018,taken\nP-1019,not taken\n'
  const { plan } = await scene.plan('products', text)
  await scene.approve(plan)
  const { id } = (await scene.records('products')).find(one => one.externalId === 'P-1019')!
  await scene.faults({ method: 'PUT', match: `/products/${id}`, status: 429, retryAfter: 0 })
  expect((await scene.apply(plan, hurried())).state).toBe('incomplete')
  await scene.faults()
  await discard(await undo(plan))
  expect(statesOf(await scene.apply(plan))).toEqual({ 'P-1018': 'applied', 'P-1019': 'applied' })
})

it('what somebody edited since is a conflict, and stays as it is', async () => {
  const applied = await push('external_id,description\nP-1005,ours\nP-1006,ours\n')
  const edited = (await scene.records('products')).find(one => one.externalId === 'P-1005')!
  await scene.edit('products', edited.id, '{"genetics":"theirs"}')
  const inverse = await undo(applied.plan)
  expect(inverse.stores[0]!.counts).toMatchObject({ update: 1, conflict: 1 })
  const conflict = operationsOf(inverse).find(({ op }) => op === 'conflict')
  expect(conflict).toMatchObject({
    externalId: 'P-1005',
    reason: expect.stringContaining('genetics'),
  })
  await scene.approve(inverse.plan)
  await scene.apply(inverse.plan)
  const now = (await scene.records('products')).find(({ id }) => id === edited.id)!
  expect(now).toMatchObject({ description: 'ours', genetics: 'theirs' })
})

it('what was created goes out of use, the product before its brand and category', async () => {
  const applied = await push(
    [
      'external_id,name,sku,category_external_id,category_name,brand_external_id,brand_name,vendor_external_id',
      'P-U,Undo me,SKU-UNDO,CAT-U,Undo category,BR-U,Undo brand,V-1001',
    ].join('\n'),
    ['all'],
    { create: ['brands', 'categories'] },
  )
  const inverse = await undo(applied.plan)
  expect(operationsOf(inverse).map(({ entity, op }) => `${op} ${entity}`)).toEqual([
    'deactivate products',
    'deactivate categories',
    'deactivate brands',
  ])
  await scene.approve(inverse.plan, ['all'])
  expect(Object.values(statesOf(await scene.apply(inverse.plan)))).toEqual([
    'applied',
    'applied',
    'applied',
  ])
  for (const [stream, key] of [
    ['products', 'P-U'],
    ['brands', 'BR-U'],
    ['categories', 'CAT-U'],
  ] as const)
    expect((await scene.records(stream)).find(one => one.externalId === key)!['active']).toBe(false)
})

it('a person says that it was not sent, and it is; or that it was, and it must show', async () => {
  const park = async (key: string) => {
    const { plan } = await scene.plan(
      'products',
      `external_id,name,sku,category_external_id,vendor_external_id\n${key},Parked ${key},S-${key},CAT-U,V-1001\n`,
    )
    await scene.approve(plan)
    await scene.faults({ method: 'POST', status: 503, times: 1 })
    let nowMs = scene.push.now()
    await scene.apply(plan, {
      ...scene.push,
      now: () => nowMs,
      sleep: async ms => void (nowMs += ms),
    })
    await scene.faults()
    expect(statesOf(await scene.show(plan))).toEqual({ [key]: 'unknown' })
    return plan
  }
  const answer = async (plan: string, said: Answer) =>
    resolveOperation(scene.push, plan, {
      op: 'op-1',
      by: 'Ana',
      answer: said,
      signal: never,
    })
  const first = await park('P-P1')
  await answer(first, { kind: 'not sent' })
  expect(statesOf(await scene.apply(first))).toEqual({ 'P-P1': 'applied' })
  await expect(answer(first, { kind: 'not sent' })).rejects.toThrow('not parked')

  const second = await park('P-P2')
  const other = (await scene.records('products')).find(one => one.externalId === 'P-P1')!
  await expect(answer(second, { kind: 'sent', targetId: other.id })).rejects.toThrow(
    'not as planned',
  )
  await expect(answer(second, { kind: 'sent', targetId: 'nobody' })).rejects.toThrow('no record')
  await scene.edit(
    'products',
    other.id,
    '{"externalId":"P-P2","name":"Parked P-P2","sku":"S-P-P2"}',
  )
  await answer(second, { kind: 'sent', targetId: other.id })
  const shown = await scene.show(second)
  expect(operationsOf(shown)[0]).toMatchObject({ state: 'applied', targetId: other.id })
  expect(operationsOf(shown)[0]!.receipt).not.toBeNull()
})
