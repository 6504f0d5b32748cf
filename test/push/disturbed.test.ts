import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadPlan } from '../../push/load-plan.ts'
import type { Push } from '../../push/push.ts'
import { sized } from '../helpers/size.ts'
import { operationsOf, startScene, UNPACED } from './scene.ts'
import type { ApiRecord, Scene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

class Killed extends Error {}

interface Disturbance {
  /** Products by number: what the file asks of them. */
  rows: { product: number; price: number | null; words: string | null }[]
  created: number
  /** Share of lost replies and refusals of pace, each. */
  lost: number
  busy: number
  /** The process dies before or after these steps of its memory. */
  kills: number[]
  /** Somebody edits a record right before these sendings begin. */
  edits: number[]
  /** To write down what is about to be sent takes so long. */
  diskMs: number
  approveGuarded: boolean
}

const disturbance: fc.Arbitrary<Disturbance> = fc.record({
  rows: fc.uniqueArray(
    fc.record({
      product: fc.integer({ min: 1001, max: 1040 }),
      price: fc.option(fc.integer({ min: 1, max: 90 })),
      words: fc.option(fc.string({ unit: 'grapheme-ascii', maxLength: 12 })),
    }),
    { minLength: 1, maxLength: 9, selector: row => row.product },
  ),
  created: fc.integer({ min: 0, max: 2 }),
  lost: fc.constantFrom(0, 0.1, 0.4),
  busy: fc.constantFrom(0, 0.2),
  kills: fc.uniqueArray(fc.nat(60), { maxLength: 4 }),
  edits: fc.uniqueArray(fc.nat(10), { maxLength: 3 }),
  diskMs: fc.constantFrom(0, 0, 600),
  approveGuarded: fc.boolean(),
})

const fileOf = ({ rows, created }: Disturbance): string => {
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`
  return [
    'external_id,unit_price,description,name,sku,category_external_id,vendor_external_id',
    ...rows.map(
      ({ product, price, words }) => `P-${product},${price ?? ''},${cell(words ?? '')},,,,`,
    ),
    ...Array.from(
      { length: created },
      (_, at) => `N-${at},5.00,made,Made ${at},N${at},${category},V-1001`,
    ),
  ].join('\n')
}
let category = ''

/** Its memory kills the process, and lets others edit what is about to be read. */
function disturbed({ kills, edits, diskMs }: Disturbance, edited: Set<string>): () => Push {
  const left = kills.toSorted((a, b) => a - b)
  let step = 0
  let sending = 0
  const die = (): void => {
    if (left[0] !== step++) return
    left.shift()
    throw new Killed()
  }
  let nowMs = scene.push.now()
  const { outbound } = scene.push
  return () => ({
    ...scene.push,
    // A governor that was refused often is slow for minutes, which is tested where it stands.
    store: id => ({ ...scene.push.store(id), governor: UNPACED }),
    now: () => (nowMs = Math.max(nowMs, Date.now())),
    sleep: async ms => void (nowMs += ms),
    outbound: {
      ...outbound,
      async move(change) {
        die()
        if (change.sendsIn !== undefined && edits.includes(sending++))
          await editBySomebody(change, edited)
        const moved = await outbound.move(change)
        if (change.event === 'sending') nowMs += diskMs
        die()
        return moved
      },
      async addReceipt(receipt, last) {
        die()
        const added = await outbound.addReceipt(receipt, last)
        die()
        return added
      },
    },
  })
}

async function editBySomebody(
  { plan, op }: { plan: string; op: string },
  edited: Set<string>,
): Promise<void> {
  const { operations } = await loadPlan(scene.push, plan)
  const found = operations.find(({ planned }) => planned.id === op)!
  const { targetId, externalId } = found.planned
  const { attempt } = found.stands
  // What may be on its way already cannot be told from an edit by anybody.
  if (targetId === null || attempt > 0) return
  await scene.edit('products', targetId, '{"genetics":"by somebody"}')
  edited.add(externalId)
}

const reset = (): Promise<Response> =>
  fetch(`${scene.sandbox.baseUrl}/_control/reset`, { method: 'POST' })

type Spoil = (push: Push) => Push

/** Plans, approves and applies under the disturbance, and judges what it came to. */
async function withstand(scenario: Disturbance, spoil: Spoil = push => push): Promise<void> {
  await reset()
  category = (await scene.records('categories'))[0]!.externalId
  const before = byKey(await scene.records('products'))
  const planned = await scene.plan('products', fileOf(scenario))
  await scene.approve(planned.plan, scenario.approveGuarded ? ['all'] : [])
  await scene.faults(
    { method: 'PUT', drop: true, rate: scenario.lost },
    { method: 'POST', match: 'products', drop: true, rate: scenario.lost },
    { match: 'products/', status: 429, retryAfter: 0, rate: scenario.busy },
  )
  const edited = new Set<string>()
  const alive = disturbed(scenario, edited)
  for (let lives = 0; lives <= scenario.kills.length; lives++)
    try {
      await scene.apply(planned.plan, spoil(alive()))
      break
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
  await scene.faults()
  await judge(await scene.show(planned.plan), before, edited)
}

it('what was applied was approved, nobody is overwritten, and nothing is created twice', async () => {
  await fc.assert(
    fc.asyncProperty(disturbance, scenario => withstand(scenario)),
    { numRuns: sized(8, 400) },
  )
})

describe('the same judge', () => {
  const quiet: Disturbance = {
    rows: [{ product: 1001, price: null, words: 'ours' }],
    created: 1,
    lost: 0,
    busy: 0,
    kills: [],
    edits: [],
    diskMs: 0,
    approveGuarded: true,
  }
  type Send = ReturnType<Push['store']>['client']['send']
  const sending = (change: (send: Send) => Send): Spoil => {
    return push => ({
      ...push,
      store: id => {
        const store = push.store(id)
        const { client } = store
        return { ...store, client: { ...client, send: change(client.send.bind(client)) } }
      },
    })
  }

  it('finds nothing wrong with a push as it is', async () => {
    await withstand({ ...quiet, edits: [0] })
    await withstand({ ...quiet, rows: [{ product: 1001, price: null, words: '00' }] })
  })

  it('catches a client that sends a creation again by itself', async () => {
    const twice = sending(send => async (request, ...rest) => {
      if (request.method === 'POST') await send(request, ...rest)
      return send(request, ...rest)
    })
    await expect(withstand(quiet, twice)).rejects.toThrow('stands there once')
  })

  it('catches a push that takes an old reading for the last one', async () => {
    const seen = new Map<string, Awaited<ReturnType<Send>>>()
    await reset()
    const remembering = sending(send => async (request, ...rest) => {
      const known = seen.get(request.path)
      if (request.method === 'GET' && known !== undefined) return known
      return send(request, ...rest)
    })
    const { id } = (await scene.records('products')).find(one => one.externalId === 'P-1001')!
    const { client } = scene.push.store(scene.sandbox.stores[0]!.id)
    const path = `/api/v1/partner/products/${id}`
    seen.set(path, await client.send({ method: 'GET', path, redactedPath: path }))
    const blind = withstand({ ...quiet, created: 0, edits: [0] }, remembering)
    await expect(blind).rejects.toThrow()
  })
})

const byKey = (records: readonly ApiRecord[]): Map<string, ApiRecord[]> =>
  Map.groupBy(records, record => record.externalId)

async function judge(
  shown: Awaited<ReturnType<Scene['show']>>,
  before: Map<string, ApiRecord[]>,
  edited: ReadonlySet<string>,
): Promise<void> {
  const now = byKey(await scene.records('products'))
  const operations = new Map(operationsOf(shown).map(one => [one.externalId, one]))
  for (const [key, records] of now) {
    expect(records, `${key} stands there once`).toHaveLength(1)
    const operation = operations.get(key)
    const was = before.get(key)?.[0]
    const wanted = Object.fromEntries(
      (operation?.changes ?? []).map(change => [FIELDS[change.field]!, change.new]),
    )
    const isApplied = operation?.state === 'applied'
    const record = records[0]!
    if (edited.has(key)) expect(record['genetics']).toBe('by somebody')
    if (was === undefined) continue
    for (const [field, value] of Object.entries(wanted))
      expect(String(record[field]), `${key} ${field}, ${operation!.state}`).toBe(
        isApplied ? shownAs(field, value) : String(was[field]),
      )
    // Whatever no operation was about is as it was.
    for (const [field, value] of Object.entries(was))
      if (!(field in wanted) && ![...SERVERS_OWN, 'genetics'].includes(field))
        expect(record[field], `${key} ${field}`).toEqual(value)
  }
  for (const operation of operations.values())
    if (operation.approval === 'required') expect(operation.state).toBe('planned')
}

/** The server keeps these itself. */
const SERVERS_OWN = ['modified', 'updated', 'quantities', 'instock', 'totalSellableQuantity']

const FIELDS: Readonly<Record<string, string>> = {
  unit_price: 'unitPrice',
  description: 'description',
}

/** A price is a number there, and a text that looks like one stays as it is. */
const shownAs = (field: string, value: string | null): string =>
  field === 'unitPrice' && value !== null ? String(Number(value)) : String(value)
