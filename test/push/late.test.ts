import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PartnerError } from '../../errors.ts'
import { planUndo } from '../../push/apply/undo-plan.ts'
import { findCatalogDrift } from '../../push/drift.ts'
import type { Push } from '../../push/push.ts'
import { parseExact } from '../../text/exact-json.ts'
import type { JsonRecord } from '../../text/exact-json.ts'
import { operationsOf, startScene, statesOf, UNPACED } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

const never = new AbortController().signal
type Client = ReturnType<Push['store']>['client']
type Answer = Awaited<ReturnType<Client['send']>>
type Show = (record: JsonRecord, before: JsonRecord, reading: number) => JsonRecord

/** An API that takes an update, and whose readings after it show what `show` makes of them. */
function showing(show: Show): Push {
  let nowMs = scene.push.now()
  const before = new Map<string, Answer>()
  const written = new Map<string, number>()
  const read = ({ body }: Answer) => parseExact(body.toString('utf8')) as JsonRecord
  const speak = (client: Client): Client['send'] =>
    async function send(request, signal) {
      const answer = await client.send(request, signal)
      const { method, path } = request
      if (method === 'PUT') written.set(path, 0)
      if (method !== 'GET') return answer
      const reading = written.get(path)
      if (reading === undefined) before.set(path, answer)
      const was = before.get(path)
      if (reading === undefined || was === undefined) return answer
      written.set(path, reading + 1)
      return {
        ...answer,
        body: Buffer.from(JSON.stringify(show(read(answer), read(was), reading))),
      }
    }
  const store: Push['store'] = id => {
    const { client, ...rest } = scene.push.store(id)
    return { ...rest, governor: UNPACED, client: { ...client, send: speak(client) } }
  }
  // Waiting takes no time.
  return { ...scene.push, store, now: () => nowMs, sleep: async ms => void (nowMs += ms) }
}

/** The former record, this many times. */
const former =
  (readings: number): Show =>
  (record, before, reading) =>
    reading < readings ? before : record

const approved = async (...rows: string[]): Promise<string> => {
  const { plan } = await scene.plan(
    'products',
    ['external_id,unit_price,description', ...rows].join('\n'),
  )
  await scene.approve(plan, ['all'])
  return plan
}
const written = async (): Promise<number> => (await scene.writes()).length
const drifted = async (): Promise<string[]> => {
  const { drifted: found } = await findCatalogDrift(scene.push, scene.sandbox.stores[0]!.id, never)
  return found.map(({ externalId }) => externalId)
}
const undo = async (plan: string) => scene.show(await planUndo(scene.push, plan, never))

/** How a plan stands after an apply, and how often its one record was read. */
async function applyCounting(plan: string, show: Show) {
  let readings = 0
  const counting: Show = (record, before, reading) => {
    readings = reading + 1
    return show(record, before, reading)
  }
  const applied = await scene.apply(plan, showing(counting))
  return { applied, readings }
}

describe('an update that the API has taken', () => {
  it.each([2, 5])(
    'and shows after %i readings is applied, sent once, undone and no drift',
    async readings => {
      const key = `P-100${readings}`
      const plan = await approved(`${key},61.25,shown late`)
      const before = await written()
      const applied = await scene.apply(plan, showing(former(readings)))
      expect(operationsOf(applied)).toMatchObject([
        { state: 'applied', error: null, receipt: { after: { description: 'shown late' } } },
      ])
      expect(await written()).toBe(before + 1)
      expect(await drifted()).not.toContain(key)
      expect((await undo(plan)).stores[0]!.counts).toMatchObject({ update: 1, conflict: 0 })
    },
  )

  it('and does not show in ten seconds is parked, and a later apply finds it without sending', async () => {
    const plan = await approved('P-1010,,still to come')
    const before = await written()
    const parked = await scene.apply(plan, showing(former(Infinity)))
    expect(operationsOf(parked)).toMatchObject([
      {
        state: 'unknown',
        error: 'the API took it, and still shows the former description',
        receipt: null,
      },
    ])
    const applied = await scene.apply(plan)
    expect(operationsOf(applied)).toMatchObject([
      { state: 'applied', receipt: { after: { description: 'still to come' } } },
    ])
    expect(await written()).toBe(before + 1)
    expect((await undo(plan)).stores[0]!.counts).toMatchObject({ update: 1, conflict: 0 })
  })

  it('and does not show is found by its undo, too', async () => {
    const plan = await approved('P-1011,,undone late')
    await scene.apply(plan, showing(former(Infinity)))
    expect((await undo(plan)).stores[0]!.counts).toMatchObject({ update: 1, conflict: 0 })
    expect(statesOf(await scene.show(plan))).toEqual({ 'P-1011': 'applied' })
  })

  it('and of which it keeps a field as it was has failed at once, with a receipt', async () => {
    const plan = await approved('P-1013,63.25,one field')
    const kept: Show = (record, before) => ({ ...record, unitPrice: before['unitPrice'] })
    const { applied, readings } = await applyCounting(plan, kept)
    const [operation] = operationsOf(applied)
    expect(operation).toMatchObject({
      state: 'failed',
      error: 'the API took it, and shows something else in unit_price',
      receipt: { after: { description: 'one field' } },
    })
    expect(readings).toBe(1)
  })

  it('and of which it shows that it changed it, and nothing else, has failed at once', async () => {
    const plan = await approved('P-1016,,ignored')
    const ignored: Show = (record, before) => ({ ...before, modified: record['modified']! })
    const { applied, readings } = await applyCounting(plan, ignored)
    expect(statesOf(applied)).toEqual({ 'P-1016': 'failed' })
    expect(readings).toBe(1)
  })

  it('and shows late with a value of its own has failed as soon as that is seen', async () => {
    const plan = await approved('P-1014,,words that are cut')
    const own: Show = (record, before, reading) =>
      reading < 2 ? before : { ...record, description: 'words' }
    const { applied, readings } = await applyCounting(plan, own)
    expect(operationsOf(applied)).toMatchObject([
      { state: 'failed', receipt: { after: { description: 'words' } } },
    ])
    expect(readings).toBe(3)
  })

  it('and that somebody else has written over is not waited for', async () => {
    const plan = await approved('P-1015,,written over')
    const theirs: Show = (_, before) => ({ ...before, genetics: 'theirs' })
    const { applied, readings } = await applyCounting(plan, theirs)
    expect(operationsOf(applied)).toMatchObject([
      { state: 'failed', receipt: { after: { genetics: 'theirs' } } },
    ])
    expect(readings).toBe(1)
  })
})

it('a creation that cannot be read for twenty seconds is waited for, as the contract has it', async () => {
  const [category] = await scene.records('categories')
  const keys = 'external_id,name,sku,category_external_id,vendor_external_id'
  const row = `P-LATE,Late creation,SKU-LATE,${category!.externalId},V-1001`
  const { plan } = await scene.plan('products', `${keys}\n${row}`)
  await scene.approve(plan, ['all'])
  let nowMs = scene.push.now()
  let shownAtMs = nowMs
  const store: Push['store'] = id => {
    const { client, ...rest } = scene.push.store(id)
    const refuseEarly = (): void => {
      if (nowMs < shownAtMs) throw new PartnerError('PARTNER_UNREACHABLE', 'no answer')
    }
    const endpoint: typeof rest.endpoint = stream => {
      refuseEarly()
      return rest.endpoint(stream)
    }
    const send: typeof client.send = async (request, signal) => {
      if (request.method === 'GET') refuseEarly()
      const answer = await client.send(request, signal)
      if (request.method === 'POST') shownAtMs = nowMs + 20_000
      return answer
    }
    return { ...rest, endpoint, governor: UNPACED, client: { ...client, send } }
  }
  const sleep = async (ms: number): Promise<void> => void (nowMs += ms)
  const applied = await scene.apply(plan, { ...scene.push, store, now: () => nowMs, sleep })
  expect(statesOf(applied)).toEqual({ 'P-LATE': 'applied' })
})

const KEYS = ['P-1021', 'P-1022', 'P-1023', 'P-1024']

it('a plan that stopped because nothing showed is looked at by a later apply, which sends nothing', async () => {
  const plan = await approved(...KEYS.map(key => `${key},,seen later`))
  const before = await written()
  const stopped = await scene.apply(plan, showing(former(Infinity)))
  expect(stopped.state).toBe('stopped')
  expect(Object.values(statesOf(stopped))).toEqual(['unknown', 'unknown', 'unknown', 'approved'])
  const later = await scene.apply(plan)
  expect(Object.values(statesOf(later))).toEqual(['applied', 'applied', 'applied', 'approved'])
  expect(await written()).toBe(before + 3)
  expect(later.state).toBe('stopped')
  const stops = (await scene.push.outbound.events(plan)).filter(({ event }) => event === 'stopped')
  expect(stops).toHaveLength(1)
})

it('what stays parked is counted once, however often it is looked at', async () => {
  const keys = ['P-1031', 'P-1032']
  const plan = await approved(...keys.map(key => `${key},,parked twice`))
  const silent = showing(former(Infinity))
  await scene.apply(plan, silent)
  const again = await scene.apply(plan, silent)
  expect(Object.values(statesOf(again))).toEqual(['unknown', 'unknown'])
  expect(again.state).toBe('incomplete')
})

it('a plan that stopped, and of which everything showed later, is applied', async () => {
  const plan = await approved(...['P-1041', 'P-1042', 'P-1043'].map(key => `${key},,all seen`))
  expect((await scene.apply(plan, showing(former(Infinity)))).state).toBe('stopped')
  expect(await scene.apply(plan)).toMatchObject({
    state: 'applied',
    stores: [{ state: 'applied' }],
  })
})
