import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPush } from '../../activities/create-push.ts'
import { migrate, openOutboundStore, openPushMemory } from '../../connectors/database.ts'
import { withSql } from '../../connectors/postgres/connection/sql-connection.ts'
import { resolveOperation } from '../../push/apply/resolve-operation.ts'
import { planUndo } from '../../push/apply/undo-plan.ts'
import { approvePush } from '../../push/approve.ts'
import { showPlan } from '../../push/document.ts'
import type { PlanDocument } from '../../push/document.ts'
import { readInput } from '../../push/input/read-input.ts'
import { planFolder } from '../../push/load-plan.ts'
import { makePlan } from '../../push/plan/make-plan.ts'
import type { Push } from '../../push/push.ts'
import { postgresForTests } from '../helpers/postgres.ts'
import { applyInRun, startScene, statesOf } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
let url: string
const closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  scene = await startScene()
  ;({ url } = await postgresForTests())
  await migrate(url, [])
})
afterAll(async () => {
  for (const close of closing) await close()
  await scene.close()
})

/** A machine with a folder of its own, which works with the database of all. */
async function machine(name: string): Promise<Push> {
  const outbound = await openOutboundStore(url)
  const memory = await openPushMemory(url)
  closing.push(
    () => outbound.close(),
    () => memory.close(),
  )
  const { settings, runner } = scene.push
  const localFiles = join(scene.folder, name, 'tillage.db')
  return createPush({ outbound, memory, localFiles, settings, runner }, scene.dependencies)
}

/** The file of the catalog, and its pictures, are gone afterwards. */
async function planOn(push: Push, text: string, pictures: readonly string[] = []): Promise<string> {
  const from = join(scene.folder, 'catalog')
  mkdirSync(from)
  for (const name of pictures)
    writeFileSync(join(from, name), Buffer.concat([PNG, Buffer.from(name)]))
  writeFileSync(join(from, 'catalog.csv'), text)
  const plan = await makePlan(
    { ...push, say: () => {} },
    {
      catalog: 'products',
      input: await readInput('products', join(from, 'catalog.csv')),
      stores: [scene.sandbox.stores[0]!.id],
      create: [],
      deactivateMissing: false,
      cap: { count: 5, percent: true },
    },
    new AbortController().signal,
  )
  rmSync(from, { recursive: true })
  return plan
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const applyOn = async (push: Push, plan: string): Promise<PlanDocument> => {
  await applyInRun(push, plan)
  return showPlan(push, plan)
}

it('a plan of one machine is shown, approved, applied and undone on others, pictures and all', async () => {
  const [one, two, three] = [await machine('one'), await machine('two'), await machine('three')]
  const text = 'external_id,description,image_paths\nP-1004,of one,a.png\nP-1005,of one,\n'
  const plan = await planOn(one, text, ['a.png'])
  const shown = await showPlan(two, plan)
  expect(shown).toMatchObject({ ...(await showPlan(one, plan)), files: expect.anything() })
  for (const name of ['plan.jsonl', 'plan.csv', 'plan.html', 'input.csv'])
    expect(readFileSync(join(planFolder(two.folder, plan), name))).toEqual(
      readFileSync(join(planFolder(one.folder, plan), name)),
    )
  await approvePush(two, plan, { by: 'Ana', origin: 'ana@two', guarded: [] })
  const applied = await applyOn(three, plan)
  expect(statesOf(applied)).toEqual({ 'P-1004': 'applied', 'P-1005': 'applied' })
  const inverse = await planUndo(two, plan, new AbortController().signal)
  expect(await showPlan(one, inverse)).toMatchObject({ kind: 'undo', of: plan })
  expect(await showPlan(three, plan)).toMatchObject({ undoneBy: inverse })
})

it('an operation that is parked on one machine is resolved on another', async () => {
  const [one, two] = [await machine('one'), await machine('two')]
  const plan = await planOn(one, 'external_id,description\nP-1007,parked\n')
  await approvePush(one, plan, { by: 'Ana', origin: 'ana@one', guarded: [] })
  const at = new Date(one.now()).toISOString()
  const step = { plan, op: 'op-1', at, detail: '' } as const
  await one.outbound.move({ ...step, from: ['planned'], to: 'unknown', event: 'parked' })
  const signal = new AbortController().signal
  const resolution = { op: 'op-1', by: 'Ana', answer: { kind: 'not sent' } as const, signal }
  await resolveOperation(two, plan, resolution)
  expect(statesOf(await applyOn(two, plan))).toEqual({ 'P-1007': 'applied' })
})

it('a plan whose files nobody kept is said to lack them', async () => {
  const [one, other] = [await machine('one'), await machine('other')]
  const plan = await planOn(one, 'external_id,description\nP-1009,of an earlier version\n')
  await withSql(url, sql => sql.run('DELETE FROM plan_documents WHERE folder = @plan', { plan }))
  await expect(showPlan(other, plan)).rejects.toThrow(`the document of ${plan} is gone`)
})

it('what the database has otherwise than it was planned is not obeyed', async () => {
  const [one, other] = [await machine('one'), await machine('other')]
  const plan = await planOn(one, 'external_id,description\nP-1008,as planned\n')
  await withSql(url, sql =>
    sql.run(
      `UPDATE plan_documents SET bytes = bytes || 'x'::bytea
       WHERE folder = @plan AND name = 'plan.jsonl'`,
      { plan },
    ),
  )
  await expect(showPlan(other, plan)).rejects.toThrow('its document of')
  expect(existsSync(planFolder(other.folder, plan))).toBe(false)
  expect((await showPlan(one, plan)).plan).toBe(plan)
})
