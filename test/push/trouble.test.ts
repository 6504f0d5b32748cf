import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { resolveOperation } from '../../push/apply/resolve-operation.ts'
import type { Answer } from '../../push/apply/resolve-operation.ts'
import { planUndo } from '../../push/apply/undo-plan.ts'
import type { Push } from '../../push/push.ts'
import {
  dieSending,
  hurried,
  operationsOf,
  replacing,
  startScene,
  statesOf,
  through,
} from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
let stores: string[]
let category: string
beforeAll(async () => {
  scene = await startScene({ stores: 2 })
  stores = scene.sandbox.stores.map(({ id }) => id)
  category = (await scene.records('categories'))[0]!.externalId
})
afterAll(() => scene.close())

const signal = new AbortController().signal
const named = async (externalId: string, store?: string) =>
  (await scene.records('products', store)).filter(one => one.externalId === externalId)
const creation = (externalId: string): string =>
  [
    'external_id,name,sku,category_external_id,vendor_external_id',
    `${externalId},New,SKU-${externalId},${category},V-1001`,
  ].join('\n')

const png = (content: string): Buffer =>
  Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(content)])
const COLOURS = ['red', 'blue'] as const

it('one store that fails leaves the others done, says so, and goes on when it is back', async () => {
  const keys = ['P-1001', 'P-1002', 'P-1003']
  const text = ['external_id,description', ...keys.map(key => `${key},to both`)].join('\n')
  const planned = await scene.plan('products', text, { stores })
  expect(planned.stores.map(({ counts }) => counts.update)).toEqual([3, 3])
  await scene.approve(planned.plan)
  const ids = await Promise.all(keys.map(async key => (await named(key, stores[1]))[0]!.id))
  await scene.faults({ match: `/products/(${ids.join('|')})`, status: 503 })
  const half = await scene.apply(planned.plan, hurried(scene.push))
  await scene.faults()
  expect(half.stores.map(({ state }) => state)).toEqual(['applied', 'failed'])
  expect(half.stores[1]!.error).toMatchObject({ code: 'PARTNER_UNAVAILABLE' })
  const written = (await scene.writes()).length
  const whole = await scene.apply(planned.plan)
  expect(whole.stores.map(({ state }) => state)).toEqual(['applied', 'applied'])
  expect(await scene.writes()).toHaveLength(written + keys.length)
  for (const store of stores)
    expect((await named('P-1001', store))[0]!['description']).toBe('to both')
})

it('a picture is uploaded once for a store, and one that changed since the plan is not sent', async () => {
  writeFileSync(join(scene.folder, 'one.png'), png('one'))
  writeFileSync(join(scene.folder, 'two.png'), png('two'))
  const text = 'external_id,image_paths\nP-1004,one.png\nP-1005,one.png\nP-1006,two.png\n'
  const planned = await scene.plan('products', text)
  await scene.approve(planned.plan)
  writeFileSync(join(scene.folder, 'two.png'), png('another'))
  const written = (await scene.writes()).length
  const applied = await scene.apply(planned.plan)
  expect(statesOf(applied)).toEqual({
    'P-1004': 'applied',
    'P-1005': 'applied',
    'P-1006': 'failed',
  })
  expect(operationsOf(applied)[2]!.error).toContain('not the picture that was planned')
  const sent = (await scene.writes()).slice(written)
  expect(sent.filter(line => line.includes('/asset/upload/public'))).toHaveLength(1)
  expect(sent.filter(line => line.startsWith('PUT'))).toHaveLength(2)
  const again = await scene.plan('products', 'external_id,image_paths\nP-1004,one.png\n')
  expect(again.stores[0]!.counts).toMatchObject({ noop: 1, update: 0 })
})

it('operations that share a picture at the same time share its upload', async () => {
  writeFileSync(join(scene.folder, 'red.png'), png('red'))
  writeFileSync(join(scene.folder, 'blue.png'), png('blue'))
  const canary = Array.from({ length: 5 }, (_, at) => `P-${1010 + at},,first`)
  const shared = Array.from({ length: 8 }, (_, at) => `P-${1015 + at},${COLOURS[at % 2]}.png,`)
  const rows = ['external_id,image_paths,description', ...canary, ...shared]
  const planned = await scene.plan('products', rows.join('\n'))
  await scene.approve(planned.plan)
  const written = (await scene.writes()).length
  await scene.faults({ match: 'asset/upload', latencyMs: 200 })
  const applied = await scene.apply(planned.plan)
  await scene.faults()
  expect(new Set(Object.values(statesOf(applied)))).toEqual(new Set(['applied']))
  const uploads = (await scene.writes()).slice(written).filter(line => line.includes('/asset/'))
  expect(uploads).toHaveLength(COLOURS.length)
})

it('an upload that the API does not answer, or not with this key, is made again; a refusal is final', async () => {
  const names = ['lost', 'locked', 'refused']
  for (const name of names) writeFileSync(join(scene.folder, `${name}.png`), png(name))
  const apply = async (name: string, key: string, status: number) => {
    const text = `external_id,image_paths\n${key},${name}.png\n`
    const { plan } = await scene.plan('products', text)
    await scene.approve(plan)
    const written = (await scene.writes()).length
    await scene.faults({ match: 'asset/upload', status, ...(status === 503 ? { times: 1 } : {}) })
    const applied = await scene.apply(plan, hurried(scene.push))
    await scene.faults()
    const sent = (await scene.writes()).length - written
    return { plan, sent, state: statesOf(applied)[key], error: applied.stores[0]!.error }
  }
  expect(await apply('lost', 'P-1031', 503)).toMatchObject({ state: 'applied', error: null })
  const locked = await apply('locked', 'P-1032', 401)
  expect(locked).toMatchObject({ sent: 1, state: 'approved', error: { code: 'PARTNER_KEYS' } })
  expect(statesOf(await scene.apply(locked.plan))).toEqual({ 'P-1032': 'applied' })
  const refused = await apply('refused', 'P-1033', 400)
  expect(refused.state).toBe('failed')
  expect(statesOf(await scene.apply(refused.plan))).toEqual({ 'P-1033': 'failed' })
})

it('nothing is sent once the write-ahead record belongs to another run', async () => {
  const text = 'external_id,description\nP-1034,taken over\n'
  const { plan } = await scene.plan('products', text)
  await scene.approve(plan)
  const { outbound } = scene.push
  const move: typeof outbound.move = async step => {
    const at = new Date().toISOString()
    const again = { from: ['submitted'], to: 'submitted', detail: '' } as const
    if (step.event === 'sending') {
      const sendsIn = (await outbound.runs(plan)).at(-1)!.run
      await outbound.move({ plan, op: step.op, ...again, sendsIn, event: 'sent again', at })
    }
    return outbound.move(step)
  }
  const written = (await scene.writes()).length
  await scene.apply(plan, { ...hurried(scene.push), outbound: { ...outbound, move } })
  expect(await scene.writes()).toHaveLength(written)
  // Whoever has it brings it to its end.
  expect(statesOf(await scene.apply(plan, hurried(scene.push)))).toEqual({ 'P-1034': 'applied' })
  expect(await scene.writes()).toHaveLength(written + 1)
})

it('a creation is found in the list while the look-up by SKU is out of order', async () => {
  const planned = await scene.plan('products', creation('N-LIST'))
  await scene.approve(planned.plan)
  const written = (await scene.writes()).length
  await scene.faults(
    { method: 'POST', match: 'products', drop: true, times: 1 },
    { method: 'GET', match: '/products/sku/', status: 500, after: 1 },
  )
  const applied = await scene.apply(planned.plan, hurried(scene.push))
  await scene.faults()
  expect(statesOf(applied)).toEqual({ 'N-LIST': 'applied' })
  expect(await scene.writes()).toHaveLength(written + 1)
})

it('a parked creation is sent once more after a person says that it was not, and is undone like any other', async () => {
  const planned = await scene.plan('products', creation('N-PARKED'))
  await scene.approve(planned.plan)
  await scene.faults({ method: 'POST', status: 502, times: 1 })
  expect(statesOf(await scene.apply(planned.plan, hurried(scene.push)))).toEqual({
    'N-PARKED': 'unknown',
  })
  await scene.faults()
  const resolve = async (answer: Answer): Promise<void> => {
    await resolveOperation(scene.push, planned.plan, { op: 'op-1', by: 'Kim', answer, signal })
  }
  // Her word is not enough where the record that she names is not there, or is another one.
  await expect(resolve({ kind: 'sent', targetId: 'nobody' })).rejects.toThrow('no record nobody')
  const [other] = await named('P-1001')
  await expect(resolve({ kind: 'sent', targetId: other!.id })).rejects.toThrow('not as planned')
  await resolve({ kind: 'not sent' })
  expect(statesOf(await scene.apply(planned.plan))).toEqual({ 'N-PARKED': 'applied' })
  expect(await named('N-PARKED')).toHaveLength(1)
  await expect(resolve({ kind: 'not sent' })).rejects.toThrow('is not parked')

  const undo = await planUndo(scene.push, planned.plan, signal)
  await scene.approve(undo, ['all'])
  expect(statesOf(await scene.apply(undo))).toEqual({ 'N-PARKED': 'applied' })
  expect((await named('N-PARKED'))[0]).toMatchObject({ active: false })
})

/** Each record of what is about to be sent takes so long; others may act meanwhile. */
function withSlowDisk(takesMs: number, meanwhile: () => Promise<void> = async () => {}): Push {
  const push = hurried(scene.push)
  const { outbound } = push
  const move: typeof outbound.move = async step => {
    const isMoved = await outbound.move(step)
    if (step.event === 'sending') {
      await push.sleep(takesMs)
      await meanwhile()
    }
    return isMoved
  }
  return { ...push, outbound: { ...outbound, move } }
}

it('a disk on which a reading grows old before it is written down does not hang a push', async () => {
  const keys = Array.from({ length: 12 }, (_, at) => `P-${1020 + at}`)
  const text = ['external_id,description', ...keys.map(key => `${key},slow disk`)].join('\n')
  const { plan } = await scene.plan('products', text)
  await scene.approve(plan)
  const written = (await scene.writes()).length
  const applied = await scene.apply(plan, withSlowDisk(600))
  expect(statesOf(applied)).toEqual(Object.fromEntries(keys.map(key => [key, 'applied'])))
  expect(await scene.writes()).toHaveLength(written + keys.length)
})

it('what somebody edits while a slow disk writes down what goes is theirs', async () => {
  const { plan } = await scene.plan('products', 'external_id,description\nP-1032,ours\n')
  await scene.approve(plan)
  const { id } = (await named('P-1032'))[0]!
  const edit = () => scene.edit('products', id, '{"genetics":"theirs"}')
  expect(statesOf(await scene.apply(plan, withSlowDisk(600, edit)))).toEqual({ 'P-1032': 'stale' })
  expect((await named('P-1032'))[0]).toMatchObject({ genetics: 'theirs' })
})

it('what goes out has the stock of the last reading, and waits where that never stays the same', async () => {
  const { plan } = await scene.plan('products', 'external_id,description\nP-1039,in motion\n')
  await scene.approve(plan)
  const { id, modified } = (await named('P-1039'))[0]!
  let instock = true
  const sell = () => {
    instock = !instock
    return scene.edit('products', id, JSON.stringify({ instock, modified }))
  }
  const written = (await scene.writes()).length
  expect(statesOf(await scene.apply(plan, withSlowDisk(600, sell)))).toEqual({
    'P-1039': 'approved',
  })
  expect(await scene.writes()).toHaveLength(written)
  expect(statesOf(await scene.apply(plan))).toEqual({ 'P-1039': 'applied' })
})

/** An API that answers creations with a record that it had before. */
const answeringWith = (stranger: { id: string }, isCreated: boolean): Push =>
  through(hurried(scene.push), send => async (request, abort) => {
    if (request.method !== 'POST') return send(request, abort)
    const answer = isCreated ? await send(request, abort) : { status: 200, headers: {} }
    return { ...answer, body: Buffer.from(JSON.stringify({ id: stranger.id })) }
  })

it('a creation that the API answers with a record that was there before is searched for, and that record stays', async () => {
  const [stranger] = await named('P-1005')
  const applied = async (key: string, isCreated: boolean): Promise<string> => {
    const { plan } = await scene.plan('products', creation(key))
    await scene.approve(plan)
    const end = await scene.apply(plan, answeringWith(stranger!, isCreated))
    expect(statesOf(end)).toEqual({ [key]: isCreated ? 'applied' : 'unknown' })
    return plan
  }
  const undo = await planUndo(scene.push, await applied('N-CREATED', true), signal)
  const [created] = await named('N-CREATED')
  expect(operationsOf(await scene.show(undo))).toMatchObject([
    { op: 'deactivate', targetId: created!.id },
  ])
  await expect(planUndo(scene.push, await applied('N-ANSWERED', false), signal)).rejects.toThrow(
    'nothing to undo',
  )
})

it('a creation that the API answers with a record of other keys is not believed, and is searched for', async () => {
  const push = replacing(hurried(scene.push), '"N-KEYED"', '"THEIRS"')
  const { plan } = await scene.plan('products', creation('N-KEYED'))
  await scene.approve(plan)
  const [operation] = operationsOf(await scene.apply(plan, push))
  expect(operation).toMatchObject({ state: 'unknown', receipt: null })
  expect(operation!.error).toContain('which has another external id')
  const undo = await scene.show(await planUndo(scene.push, plan, signal))
  expect(operationsOf(undo)).toMatchObject([{ op: 'conflict' }])
})

it('a creation that the API answers with what somebody else has just created is found by its own keys', async () => {
  const { plan } = await scene.plan('products', creation('N-OURS'))
  await scene.approve(plan)
  const push = through(hurried(scene.push), send => async (request, abort) => {
    if (request.method !== 'POST') return send(request, abort)
    const theirs = (request.body as string).replaceAll('N-OURS', 'N-THEIRS')
    await send(request, abort)
    return send({ ...request, body: theirs }, abort)
  })
  const [operation] = operationsOf(await scene.apply(plan, push))
  const [ours] = await named('N-OURS')
  expect(operation).toMatchObject({ state: 'applied', targetId: ours!.id })
  expect(operation!.receipt).toMatchObject({ after: { externalId: 'N-OURS' } })
})

it.each([
  ['its external id in small letters', '"externalId":"N-LOOSE"', '"externalId":" n-loose "'],
  ['no external id', '"externalId":"N-LOOSE",', ''],
])('a creation that the API keeps with %s is ours, and is undone', async (_, sent, taken) => {
  const key = `N-LOOSE`
  const { plan } = await scene.plan('products', creation(key))
  await scene.approve(plan)
  const [operation] = operationsOf(
    await scene.apply(plan, replacing(hurried(scene.push), sent, taken)),
  )
  expect(operation!.state).toBe('failed')
  const undo = operationsOf(await scene.show(await planUndo(scene.push, plan, signal)))
  expect(undo).toMatchObject([{ op: 'deactivate' }])
  // The next case creates it anew.
  const patch = { externalId: 'gone', sku: `gone-${taken.length}`, deleted: true }
  await scene.edit('products', undo[0]!.targetId!, JSON.stringify(patch))
})

/** As if an earlier version had taken a record for what an operation has written. */
async function believed(plan: string, facts: Record<string, unknown>): Promise<void> {
  const { outbound, now } = scene.push
  await dieSending(scene.push, plan)
  const at = new Date(now()).toISOString()
  const step = { plan, op: 'op-1', at, detail: '' }
  await outbound.move({
    ...step,
    from: ['submitted'],
    to: 'confirmed',
    event: 'confirmed',
    facts,
  })
}

it('an old receipt of a record with another SKU than was sent is not undone', async () => {
  const [stranger] = await named('P-1041')
  await scene.edit('products', stranger!.id, '{"externalId":null}')
  const after = (await scene.records('products')).find(({ id }) => id === stranger!.id)
  const { plan } = await scene.plan('products', creation('N-RECEIPT'))
  await scene.approve(plan)
  await believed(plan, {
    targetId: stranger!.id,
    before: 'null',
    sent: '{}',
    after: JSON.stringify(after),
  })
  const undo = await scene.show(await planUndo(scene.push, plan, signal))
  expect(operationsOf(undo)).toMatchObject([
    { op: 'conflict', reason: 'it has another SKU, so we did not create it' },
  ])
})

it('an update that the API answers and does not store is told as that by every later search, too', async () => {
  const push = through(
    hurried(scene.push),
    send => async (request, abort) =>
      request.method === 'PUT'
        ? { status: 200, headers: {}, body: Buffer.from(request.body as string) }
        : send(request, abort),
  )
  const { plan } = await scene.plan('products', 'external_id,description\nP-1040,not stored')
  await scene.approve(plan)
  const errorAfterApply = async () => operationsOf(await scene.apply(plan, push))[0]!.error
  expect(await errorAfterApply()).toContain('still shows the former description')
  expect(await errorAfterApply()).toBe('the record still shows what it had before')
})

it('a record that the API shows as planned, and as deleted, is not applied', async () => {
  const push = through(hurried(scene.push), send => async (request, abort) => {
    const answer = await send(request, abort)
    const [written] = await named('N-DELETED')
    if (written !== undefined && written['deleted'] !== true)
      await scene.edit('products', written.id, '{"deleted":true}')
    return answer
  })
  const { plan } = await scene.plan('products', creation('N-DELETED'))
  await scene.approve(plan)
  const [operation] = operationsOf(await scene.apply(plan, push))
  expect(operation).toMatchObject({ state: 'unknown', receipt: null })
  const answer = { kind: 'sent', targetId: (await named('N-DELETED'))[0]!.id } as const
  const said = resolveOperation(scene.push, plan, { op: 'op-1', by: 'Kim', answer, signal })
  await expect(said).rejects.toThrow('no record')
})
