import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRun } from '../../outbound/run.ts'
import { planUndo } from '../../push/apply/undo-plan.ts'
import { approvePush } from '../../push/approve.ts'
import { showPlan } from '../../push/document.ts'
import { readInput } from '../../push/input/read-input.ts'
import { textField } from '../../push/live.ts'
import { CATALOGS } from '../../push/operation.ts'
import { makePlan } from '../../push/plan/make-plan.ts'
import type { Push } from '../../push/push.ts'
import { readList } from '../../push/read-list.ts'
import { runPlan } from '../../temporal/run-plan.ts'
import type { RunningWorker } from '../../temporal/session.ts'
import { originHere } from '../../temporal/this-process.ts'
import { tokenOf } from '../../text/exact-json.ts'

const [PRODUCTS] = CATALOGS
const PRICES = 3

/** Three prices of a store go up by a dollar, through a plan, and back by its inverse. */
export async function demoPush(
  worker: RunningWorker,
  { store, folder, signal }: { store: string; folder: string; signal: AbortSignal },
): Promise<string> {
  const { push } = worker
  const file = join(folder, 'three-prices.csv')
  writeFileSync(file, await threePrices(push, store, signal))
  const input = await readInput(PRODUCTS, file)
  const cap = { count: 0, percent: false }
  const plan = await makePlan(
    { ...push, say: () => {} },
    { catalog: PRODUCTS, input, stores: [store], create: [], deactivateMissing: false, cap },
    signal,
  )
  const applied = await approveAndApply(worker, plan, signal)
  const inverse = await planUndo(push, plan, signal)
  const undone = await approveAndApply(worker, inverse, signal)
  return (
    `${applied} prices of ${store} were pushed as plan ${plan}, ` +
    `and ${undone} undone as ${inverse}: approved, each read right before and again after`
  )
}

/** Products that are in use, with a price that a dollar more does not move by 30 %. */
async function threePrices(push: Push, store: string, signal: AbortSignal): Promise<string> {
  const list = await readList(push.store(store), push.streams[PRODUCTS], signal)
  const rows = list.records
    .filter(record => record['active'] === true && Number(tokenOf(record['unitPrice'])) > 10)
    .slice(0, PRICES)
    .map(record => {
      const price = Number(tokenOf(record['unitPrice'])) + 1
      return `${textField(record, 'externalId')},${price.toFixed(2)}`
    })
  return ['external_id,unit_price', ...rows, ''].join('\n')
}

/** Answers how many operations are applied. */
async function approveAndApply(
  worker: RunningWorker,
  id: string,
  signal: AbortSignal,
): Promise<number> {
  const { push } = worker
  const approval = { by: 'the demo', origin: originHere(), guarded: ['all'] }
  await approvePush(push, id, approval)
  const place = { store: push.outbound, runner: push.runner, now: push.now }
  await inRun(place, { plan: id, act: 'apply' }, run => runPlan(worker, { plan: id, run }, signal))
  const { stores } = await showPlan(push, id)
  return stores.flatMap(({ operations }) => operations).filter(({ state }) => state === 'applied')
    .length
}
