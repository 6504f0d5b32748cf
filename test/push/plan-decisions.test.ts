import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeMove, movedByMore } from '../../money/decimal.ts'
import { askForChanges, withdrawRequest } from '../../outbound/ask-changes.ts'
import { discardPlan } from '../../outbound/discard.ts'
import { comparePlans } from '../../push/compare-plans.ts'
import { loadPlan } from '../../push/load-plan.ts'
import { summarize, summarizeEnd } from '../../push/summary.ts'
import { operationsOf, startScene } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

const WORD = { by: 'Kim', reason: "the file was last week's" }
const discard = (plan: string, word = WORD) => {
  const { outbound: store, runner, now } = scene.push
  return discardPlan({ store, runner, now }, { plan, kind: 'push' }, word)
}

describe('a plan that a person gave up', () => {
  it('sends nothing any more, and takes no approval, with the reason', async () => {
    const { plan } = await scene.plan('products', 'external_id,description\nP-1001,discarded words')
    await scene.approve(plan)
    expect(await discard(plan)).toBe(1)
    const shown = await scene.show(plan)
    expect(shown).toMatchObject({ state: 'discarded' })
    expect(operationsOf(shown)).toMatchObject([{ state: 'failed', discarded: true }])
    expect(summarizeEnd(operationsOf(shown))).toBe(
      "1 discarded: Kim discarded it: the file was last week's",
    )
    const before = await scene.writes()
    await expect(scene.apply(plan)).rejects.toMatchObject({ code: 'PLAN_DISCARDED' })
    await expect(scene.approve(plan)).rejects.toMatchObject({
      code: 'PLAN_DISCARDED',
      message: expect.stringContaining(WORD.reason) as string,
    })
    expect(await scene.writes()).toEqual(before)
  })

  it('needs a name and a reason, and is not given up without them', async () => {
    const { plan } = await scene.plan('products', 'external_id,description\nP-1002,kept words')
    expect(() => discard(plan, { by: '', reason: 'x' })).toThrow('--by')
    expect(() => discard(plan, { by: 'Kim', reason: '' })).toThrow('--reason')
    await scene.approve(plan)
    expect(await scene.apply(plan)).toMatchObject({ state: 'applied' })
  })

  it('is not given up once nothing of it is left to send, and no discard is noted', async () => {
    const { plan } = await scene.plan('products', 'external_id,description\nP-1008,sent words')
    await scene.approve(plan)
    expect(await scene.apply(plan)).toMatchObject({ state: 'applied' })
    await expect(discard(plan)).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
      message: expect.stringContaining('nothing is left to give up') as string,
    })
    expect(await scene.show(plan)).toMatchObject({ state: 'applied' })
  })

  it('is given up once: a second word changes neither who nor why', async () => {
    const { plan } = await scene.plan('products', 'external_id,description\nP-1009,other words')
    await discard(plan)
    await expect(discard(plan, { by: 'Lee', reason: 'too late' })).rejects.toMatchObject({
      code: 'PLAN_DISCARDED',
      message: expect.stringContaining('Kim') as string,
    })
  })
})

describe('a plan that somebody wants otherwise', () => {
  const place = () => {
    const { outbound: store, runner, now } = scene.push
    return { store, runner, now }
  }
  const ask = (plan: string, word = WORD) => askForChanges(place(), { plan, kind: 'push' }, word)
  const withdraw = (plan: string, by: string) =>
    withdrawRequest(place(), { plan, kind: 'push' }, by)

  it('is neither approved nor sent, and its approvals count again once that is taken back', async () => {
    const { plan } = await scene.plan('products', 'external_id,description\nP-1020,asked words')
    await scene.approve(plan)
    await ask(plan)
    await ask(plan, { by: 'Lee', reason: 'and the price' })
    expect(await scene.show(plan)).toMatchObject({
      state: 'planned',
      changesAsked: [WORD, { by: 'Lee', reason: 'and the price' }],
    })
    const before = await scene.writes()
    const refused = { code: 'CHANGES_ASKED', message: expect.stringContaining('Kim') as string }
    await expect(scene.approve(plan)).rejects.toMatchObject(refused)
    await expect(scene.apply(plan)).rejects.toMatchObject(refused)
    expect(await scene.writes()).toEqual(before)
    await withdraw(plan, ' KIM')
    await expect(scene.apply(plan)).rejects.toMatchObject({ code: 'CHANGES_ASKED' })
    await withdraw(plan, 'Lee')
    expect(await scene.apply(plan)).toMatchObject({ state: 'applied', changesAsked: [] })
  })

  it('waits until whoever asked takes it back: nobody else can', async () => {
    const { plan } = await scene.plan('products', 'external_id,description\nP-1021,asked words')
    await expect(withdraw(plan, 'Kim')).rejects.toMatchObject({ code: 'NOT_ALLOWED' })
    await ask(plan)
    await expect(withdraw(plan, 'Lee')).rejects.toMatchObject({
      message: expect.stringContaining('Kim did') as string,
    })
    expect(await scene.show(plan)).toMatchObject({ changesAsked: [WORD] })
  })

  it('is asked with a name and a reason, while something of it is left to send', async () => {
    const { plan } = await scene.plan('products', 'external_id,description\nP-1022,sent words')
    expect(() => ask(plan, { by: '', reason: 'x' })).toThrow('--by')
    expect(() => ask(plan, { by: 'Kim', reason: '' })).toThrow('--reason')
    await scene.approve(plan)
    await scene.apply(plan)
    await expect(ask(plan)).rejects.toMatchObject({ code: 'NOT_ALLOWED' })
  })
})

it('a plan says the names of records, and what it did, in a line', async () => {
  const text = 'external_id,unit_price,description\nP-1003,51.00,\nP-1004,,more words'
  const planned = await scene.plan('products', text)
  const [first] = operationsOf(planned)
  const [record] = (await scene.records('products')).filter(one => one.externalId === 'P-1003')
  expect(first!.name).toBe(record!['name'])
  expect(summarize(operationsOf(planned))).toMatch(/^1 price, 1 other change/)
  await scene.approve(planned.plan)
  expect(summarizeEnd(operationsOf(await scene.apply(planned.plan)))).toMatch(/^1 sent|^2 sent/)
})

it('two plans differ in what the second would write otherwise, and not from themselves', async () => {
  const plan = async (text: string) => {
    const document = await scene.plan('products', text)
    return (await loadPlan(scene.push, document.plan)).operations.map(({ planned }) => planned)
  }
  const first = await plan('external_id,description\nP-1005,one\nP-1006,same')
  const second = await plan('external_id,description\nP-1005,two\nP-1006,same\nP-1007,new')
  expect(comparePlans(first, first)).toEqual([])
  const differences = comparePlans(first, second).map(one => [
    one.externalId,
    one.field,
    one.first,
    one.second,
  ])
  expect(differences).toEqual([
    ['P-1005', 'description', 'one', 'two'],
    ['P-1007', 'operation', null, 'update'],
    ['P-1007', 'description', null, 'new'],
  ])
})

it.each([
  ['20.00', '21.90', '+9.5 %'],
  ['20', '10.00', '-50.0 %'],
  ['3', '4', '+33.3 %'],
  ['0', '4', undefined],
  ['', '4', undefined],
])('a price that goes from %s to %s moves by %s', (from, to, move) => {
  expect(describeMove(from, to)).toBe(move)
})

it('a move that is said agrees with the guard on prices', () => {
  const price = fc.integer({ min: 1, max: 1_000_000 }).map(cents => (cents / 100).toFixed(2))
  fc.assert(
    fc.property(price, price, (from, to) => {
      const said = Number.parseFloat(describeMove(from, to)!)
      if (Math.abs(said) > 30) expect(movedByMore(from, to, 30n)).toBe(true)
      if (Math.abs(said) < 30) expect(movedByMore(from, to, 30n)).toBe(false)
    }),
  )
})
