import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findCatalogDrift } from '../../push/drift.ts'
import { planFile } from '../../push/plan-file.ts'
import { columnsOf } from '../../push/plan/columns.ts'
import { createReferences } from '../../push/plan/reference.ts'
import { readCatalog } from '../../push/read-list.ts'
import type { PushPolicy } from '../../push/settings.ts'
import { fillTemplate } from '../../push/template.ts'
import { recordsForExcel } from '../../text/write-csv.ts'
import { startScene, statesOf } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
let store: string
beforeAll(async () => {
  scene = await startScene()
  store = scene.sandbox.stores[0]!.id
})
afterAll(() => scene.close())

const signal = new AbortController().signal
const POLICY: PushPolicy = {
  fields: ['unit_price', 'description'],
  operations: 3,
  priceChangePercent: 10,
  creations: false,
}
let written = 0
const planned = async (rows: string, policy: PushPolicy | undefined = POLICY) => {
  const path = scene.write('scheduled.csv', `external_id,unit_price,description,tags\n${rows}\n`)
  utimesSync(path, ++written, written)
  const file = { store, catalog: 'products' as const, path, create: [] }
  return planFile({ ...scene.push, settings: { policy } }, file, signal)
}

it('a small safe plan is approved by policy, once; a file that did not change makes no plan', async () => {
  const first = await planned('P-1001,,by schedule,')
  expect(first).toMatchObject({ outcome: 'approved', detail: '1 operations' })
  const push = { ...scene.push, settings: { policy: POLICY } }
  expect(statesOf(await scene.apply(first.plan!, push))).toEqual({ 'P-1001': 'applied' })
  expect(await planned('P-1001,,by schedule,')).toMatchObject({
    outcome: 'unchanged',
    plan: first.plan,
  })
  expect(await planned('P-1001,,by schedule,\n')).toMatchObject({ outcome: 'nothing to do' })
})

it.each([
  ['another column', 'P-1002,,,a', 'tags is not among'],
  ['a price that moves too far', 'P-1002,42.00,,', 'more than 10 %'],
  ['a guarded change', 'P-1002,900.00,,', 'price_change'],
  ['too many operations', 'P-1002,,x,\nP-1003,,x,\nP-1004,,x,\nP-1005,,x,', 'more than 3'],
  ['a row that is blocked', 'P-nobody,1.00,,', 'blocked'],
])('%s waits for a person', async (_, rows, why) => {
  const waiting = await planned(rows)
  expect(waiting.outcome).toBe('waits for a person')
  expect(waiting.detail).toContain(why)
  expect((await scene.show(waiting.plan!)).approvals).toEqual([])
})

it('without a policy everything waits, and a bad file is no plan', async () => {
  const path = scene.write('other.csv', 'external_id,description\nP-1006,x\n')
  const file = { store, catalog: 'products' as const, path, create: [] }
  expect(await planFile(scene.push, file, signal)).toMatchObject({
    outcome: 'waits for a person',
    detail: 'no policy allows it',
  })
  expect(await planned('P-1001,$20,,')).toMatchObject({ outcome: 'bad file', plan: null })
})

it('a bad file is told each time, until what was missing is there; a new picture is a new file', async () => {
  const png = (content: string): Buffer =>
    Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(content)])
  const path = scene.write('pictures.csv', 'external_id,image_paths\nP-1015,later.png\n')
  const file = { store, catalog: 'products' as const, path, create: [] }
  const outcome = async () =>
    (await planFile({ ...scene.push, settings: { policy: POLICY } }, file, signal)).outcome
  expect([await outcome(), await outcome()]).toEqual(['bad file', 'bad file'])
  writeFileSync(join(scene.folder, 'later.png'), png('one'))
  expect([await outcome(), await outcome()]).toEqual(['waits for a person', 'unchanged'])
  writeFileSync(join(scene.folder, 'later.png'), png('another'))
  expect([await outcome(), await outcome()]).toEqual(['waits for a person', 'unchanged'])
})

it('what Excel keeps beside a workbook that is open is no file of a folder', async () => {
  const folder = join(scene.folder, 'incoming')
  mkdirSync(folder)
  writeFileSync(join(folder, 'products.csv'), 'external_id,description\nP-1016,x\n')
  writeFileSync(join(folder, '~$products.xlsx'), 'Ana')
  const file = { store, catalog: 'products' as const, path: folder, create: [] }
  expect(await planFile(scene.push, file, signal)).toMatchObject({
    outcome: 'waits for a person',
  })
})

it('what somebody else changed since our last push is told field by field', async () => {
  const record = (await scene.records('products')).find(one => one.externalId === 'P-1001')!
  expect((await findCatalogDrift(scene.push, store, signal)).drifted).toEqual([])
  await scene.edit('products', record.id, '{"unitPrice":77.70}')
  const { drifted } = await findCatalogDrift(scene.push, store, signal)
  expect(drifted).toMatchObject([
    {
      externalId: 'P-1001',
      modifiedAt: expect.stringMatching(/Z$/),
      changes: [{ field: 'unit_price', now: '77.70' }],
    },
  ])
})

it.each(['products', 'vendors'] as const)(
  'the live %s as a file, planned unchanged, ask for nothing',
  async catalog => {
    await scene.edit(
      'vendors',
      (await scene.records('vendors'))[0]!.id,
      '{"dbaName":"=1+1; \\"x\\" "}',
    )
    const { timeZone } = await scene.push.identify(store, signal)
    const live = await readCatalog(scene.push.store(store), scene.push.streams, catalog, signal)
    const { rows, leftOut } = fillTemplate(catalog, live, {
      timeZone,
      references: createReferences(live, new Map()),
      assetOf: () => undefined,
    })
    expect(leftOut).toBe(0)
    const columns = columnsOf(catalog).map(({ name }) => name)
    const { stores } = await scene.plan(catalog, recordsForExcel(columns, rows))
    expect(stores[0]!.counts).toEqual({
      create: 0,
      update: 0,
      deactivate: 0,
      reactivate: 0,
      noop: rows.length,
      conflict: 0,
      blocked: 0,
    })
  },
)
