import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readInput } from '../../push/input/read-input.ts'
import { covers } from '../../push/plan/covers.ts'
import { isStocked } from '../../push/plan/guards.ts'
import { makePlan } from '../../push/plan/make-plan.ts'
import type { Push } from '../../push/push.ts'
import { parseExact } from '../../text/exact-json.ts'
import { applyInRun, operationsOf, startScene, statesOf } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

/** An API that writes its records in another way. */
function rewritten(rewrite: (text: string) => string, encoding: BufferEncoding = 'utf8'): Push {
  const store: Push['store'] = id => {
    const { client, endpoint, ...rest } = scene.push.store(id)
    const again = (body: Buffer): Buffer => Buffer.from(rewrite(body.toString('utf8')), encoding)
    const changed: typeof client = {
      ...client,
      get: async (...asked) => again(await client.get(...asked)),
      async send(...asked) {
        const answer = await client.send(...asked)
        return { ...answer, body: again(answer.body) }
      },
    }
    const place: typeof endpoint = stream => ({ ...endpoint(stream), client: changed })
    return { ...rest, client: changed, endpoint: place }
  }
  return { ...scene.push, store }
}

async function pushed(push: Push, text: string) {
  const input = await readInput('products', scene.write('other.csv', text))
  const signal = new AbortController().signal
  const order = { catalog: 'products', input, stores: [scene.sandbox.stores[0]!.id] } as const
  const cap = { count: 0, percent: false }
  const plan = async () => {
    const planning = { ...push, say: () => {} }
    return makePlan(planning, { ...order, create: [], deactivateMissing: false, cap }, signal)
  }
  const id = await plan()
  await scene.approve(id, ['all'])
  await applyInRun(push, id)
  return { applied: await scene.show(id), again: await scene.show(await plan()) }
}

const sortTags = (_: string, list: string): string =>
  `"tags":${JSON.stringify((JSON.parse(list) as string[]).toSorted().toReversed())}`

describe.each<[what: string, key: string, rewrite: (text: string) => string]>([
  [
    'decimals as texts',
    'P-1021',
    text => text.replaceAll(/"unitPrice":([\d.]+)/g, '"unitPrice":"$1"'),
  ],
  ['lists in its own order', 'P-1022', text => text.replaceAll(/"tags":(\[[^\]]*\])/g, sortTags)],
  ['characters in their own normal form', 'P-1023', text => text.normalize('NFD')],
  [
    '0 for an amount that was cleared',
    'P-1024',
    text => text.replaceAll('"salesPrice":null', '"salesPrice":0'),
  ],
])('an API that answers with %s', (_, key, rewrite) => {
  it('shows what was sent, and a second plan has nothing to do', async () => {
    const header = 'external_id,unit_price,sales_price,tags,description'
    const row = `${key},51.5,__CLEAR__,a;b,Café`
    const { applied, again } = await pushed(rewritten(rewrite), `${header}\n${row}\n`)
    expect(statesOf(applied)).toEqual({ [key]: 'applied' })
    expect(operationsOf(again)).toEqual([])
    expect(again.stores[0]!.counts).toMatchObject({ noop: 1, create: 0, update: 0 })
  })
})

it('a record whose letters nobody can read is not sent back: they would be lost in the store', async () => {
  const rename = (json: string): string =>
    json.replaceAll(/[^ -~]/g, '?').replaceAll('"name":"', '"name":"café ')
  const text = 'external_id,unit_price\nP-1025,61.25\n'
  const before = (await scene.writes()).length
  const unreadable = await pushed(rewritten(rename, 'latin1'), text)
  expect(statesOf(unreadable.applied)).toEqual({ 'P-1025': 'failed' })
  expect(operationsOf(unreadable.applied)[0]!.error).toContain('not UTF-8')
  expect((await scene.writes()).length).toBe(before)
  const readable = await pushed(rewritten(rename), text)
  expect(statesOf(readable.applied)).toEqual({ 'P-1025': 'applied' })
})

it('a key of digits that comes as a number is still that key, and nothing is created twice', async () => {
  const category = (await scene.records('categories'))[0]!.externalId
  const text = [
    'external_id,name,sku,category_external_id,vendor_external_id',
    `4711,Numbered,8815,${category},V-1001`,
  ].join('\n')
  const first = await scene.plan('products', text)
  await scene.approve(first.plan)
  expect(statesOf(await scene.apply(first.plan))).toEqual({ '4711': 'applied' })
  const numbers = (body: string): string =>
    body.replaceAll(/"(externalId|sku)":"(4711|8815)"/g, '"$1":$2')
  const { again } = await pushed(rewritten(numbers), text)
  expect(again.stores[0]!.counts).toMatchObject({ noop: 1, create: 0, update: 0 })
})

it('stock that is written as text is stock', () => {
  expect(isStocked({ quantities: [{ quantity: '3.5' }] })).toBe(true)
  expect(isStocked({ quantities: [{ quantity: '0.0' }] })).toBe(false)
})

it('a value covers what is asked for and nothing else', () => {
  const is = (value: string, asked: string): boolean => covers(parseExact(value), parseExact(asked))
  expect(is('[{"price":"30","id":"x"},{"price":5}]', '[{"price":5},{"price":30.00}]')).toBe(true)
  expect(is('["a","a","b"]', '["a","b","b"]')).toBe(false)
  expect(is('"12.50"', '12.51')).toBe(false)
  expect(is('null', '0')).toBe(false)
  expect(is('5', 'null')).toBe(false)
  expect(is('"Cafe"', '"Café"')).toBe(false)
})
