import { expect, it } from 'vitest'
import { planUndo } from '../../push/apply/undo-plan.ts'
import { sized } from '../helpers/size.ts'
import { operationsOf, startScene } from './scene.ts'
import type { ApiRecord, Scene } from './scene.ts'

const PRODUCTS = sized(120, 2_000)
const CHANGES = sized(30, 300)
const CREATIONS = sized(4, 40)
const CONFLICTS = sized(3, 10)
const STALE = sized(2, 5)

const never = new AbortController().signal

/** So many products of our own, each with fields that no documentation knows. */
async function fill(scene: Scene): Promise<void> {
  const [category] = await scene.records('categories')
  const [vendor] = await scene.records('vendors')
  for (let at = 0; at < PRODUCTS + CONFLICTS; at++) {
    // The last ones share an external id with another: nobody can tell which is meant.
    const key = at < PRODUCTS ? at : at - PRODUCTS
    const record = `{"name":"Big ${at}","externalId":"B-${key}","sku":"BIG-${at}","active":true,
      "categoryId":"${category!.id}","vendorId":"${vendor!.id}","unitPrice":20.00,"purchasePrice":8.00,
      "unknownToUs":{"big":98765432109876543210,"long":0.10000000000000000000${at}}}`
    await fetch(`${scene.sandbox.baseUrl}/_control/records`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"store":"${scene.sandbox.stores[0]!.id}","stream":"products","op":"insert","record":${record}}`,
    })
  }
}

function fileOf(category: string): string {
  const rows = Array.from({ length: PRODUCTS }, (_, at) => {
    const isChanged = at >= CONFLICTS && at < CONFLICTS + CHANGES
    return `B-${at},${isChanged ? '21.50' : '20.00'},,,,`
  })
  const created = Array.from(
    { length: CREATIONS },
    (_, at) => `C-${at},12.50,Created ${at},CR-${at},${category},V-1001`,
  )
  const header = 'external_id,unit_price,name,sku,category_external_id,vendor_external_id'
  return [header, ...rows, ...created].join('\n')
}

/** What a list holds, by id, without when it was modified and what the server counts. */
const contents = async (scene: Scene): Promise<Map<string, string>> =>
  new Map(
    (await scene.raw('products')).map(line => {
      const { id } = JSON.parse(line) as ApiRecord
      return [
        id,
        line
          .replace(/"modified":\d+/, '"modified":0')
          .replace(/"updated":(true|false)/, '"updated":0'),
      ]
    }),
  )

const seconds = (sinceMs: number): string =>
  `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`

it('a catalog of thousands is pushed under lost replies and edits, exactly as planned, and undone exactly', async () => {
  const scene = await startScene()
  try {
    await fill(scene)
    const category = (await scene.records('categories'))[0]!.externalId
    const before = await contents(scene)
    const told: string[] = []
    let startMs = performance.now()
    const planned = await scene.plan('products', fileOf(category))
    told.push(`planned in ${seconds(startMs)}`)
    expect(planned.stores[0]!.counts).toEqual({
      create: CREATIONS,
      update: CHANGES,
      deactivate: 0,
      reactivate: 0,
      noop: PRODUCTS - CHANGES - CONFLICTS,
      conflict: CONFLICTS,
      blocked: 0,
    })
    await scene.approve(planned.plan)
    const edited = operationsOf(planned)
      .filter(({ op }) => op === 'update')
      .slice(10, 10 + STALE)
    for (const { targetId } of edited)
      await scene.edit('products', targetId!, '{"description":"by somebody"}')
    await scene.faults(
      { method: 'PUT', drop: true, rate: 0.1 },
      { method: 'POST', match: 'products', drop: true, rate: 0.1 },
    )
    startMs = performance.now()
    const applied = await scene.apply(planned.plan)
    told.push(`applied in ${seconds(startMs)}`)
    const counted = Map.groupBy(operationsOf(applied), ({ state }) => state)
    expect(counted.get('stale')).toHaveLength(STALE)
    expect(counted.get('applied')).toHaveLength(CHANGES - STALE + CREATIONS)
    await judgeApplied(scene, before, new Set(edited.map(({ targetId }) => targetId!)))

    startMs = performance.now()
    const inverse = await scene.show(await planUndo(scene.push, planned.plan, never))
    await scene.approve(inverse.plan, ['all'])
    const undone = await scene.apply(inverse.plan)
    told.push(`undone in ${seconds(startMs)}`)
    expect(undone.state).toBe('applied')
    await judgeUndone(scene, before, new Set(edited.map(({ targetId }) => targetId!)))
    const writes = await scene.writes()
    told.push(`${writes.length} writes for ${2 * (CHANGES - STALE + CREATIONS)} operations`)
    if (process.env['TILLAGE_TELL'] === '1') console.log(told.join(', '))
  } finally {
    await scene.close()
  }
})

async function judgeApplied(
  scene: Scene,
  before: ReadonlyMap<string, string>,
  edited: ReadonlySet<string>,
): Promise<void> {
  const now = await contents(scene)
  expect(now.size).toBe(before.size + CREATIONS)
  let changed = 0
  for (const [id, line] of before) {
    if (edited.has(id)) {
      expect(now.get(id)).toContain('"description":"by somebody"')
      expect(now.get(id)).toContain('"unitPrice":20.00')
    } else if (now.get(id) !== line) {
      changed++
      expect(exactly(now.get(id)!.replace('"unitPrice":21.50', '"unitPrice":20.00'))).toEqual(
        exactly(line),
      )
    }
  }
  expect(changed).toBe(CHANGES - STALE)
}

async function judgeUndone(
  scene: Scene,
  before: ReadonlyMap<string, string>,
  edited: ReadonlySet<string>,
): Promise<void> {
  const now = await contents(scene)
  for (const [id, line] of before)
    if (!edited.has(id)) expect(exactly(now.get(id)!)).toEqual(exactly(line))
  const created = (await scene.records('products')).filter(({ externalId }) =>
    externalId.startsWith('C-'),
  )
  expect(created).toHaveLength(CREATIONS)
  expect(created.every(({ active }) => active === false)).toBe(true)
}

const SERVERS_OWN = ['instock', 'quantities', 'totalSellableQuantity', 'category']

/** A record whose numbers are their digits: none of them may differ. */
function exactly(line: string): Record<string, unknown> {
  const digits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' ? context!.source : value
  const record = JSON.parse(line, digits) as Record<string, unknown>
  for (const field of SERVERS_OWN) delete record[field]
  return record
}
