import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { localIso } from '../../calendar/clock.ts'
import { HOUR_MS } from '../../calendar/days.ts'
import { withPush } from '../../commands/push/open-push.ts'
import { loadConfig } from '../../config.ts'
import { approvePush } from '../../push/approve.ts'
import { showPlan } from '../../push/document.ts'
import type { PlanDocument } from '../../push/document.ts'
import { readInput } from '../../push/input/read-input.ts'
import { makePlan } from '../../push/plan/make-plan.ts'
import { startSandbox } from '../../sandbox/server.ts'
import { NOTHING_SCHEDULED, control, startProject, storesOf, waitFor } from '../helpers/project.ts'
import { applyInRun } from '../push/scene.ts'

/** Stores that come, go and move in tillage.yaml while something of them is under way. */
let started: Awaited<ReturnType<typeof startProject>>
beforeAll(async () => {
  started = await startProject({ stores: 2, days: 2, transactionsPerDay: 5 })
})
afterAll(() => started.close())
beforeEach(() => control(started.sandbox, 'DELETE', 'faults'))
/** A test that failed leaves the next one no `up` that takes its work. */
afterEach(() => started.project.endChildren())

const configure = (stores: readonly object[], nightly: object = NOTHING_SCHEDULED.nightly): void =>
  started.project.configure(stores, { schedules: { ...NOTHING_SCHEDULED, nightly } })
const [downtown, harbor] = [
  () => storesOf(started.sandbox)[0]!,
  () => storesOf(started.sandbox)[1]!,
]
const config = () => loadConfig(join(started.project.folder, 'tillage.yaml'))

/** `up`, and what it has said. */
async function startUp() {
  const up = started.project.start('up')
  let said = ''
  up.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
  /** Since what it was heard to say last. */
  const hears = async (text: string): Promise<void> => {
    await waitFor(() => said.includes(text), text).catch((error: unknown) => {
      throw new Error(`${String(error)}; up said:\n${said}`)
    })
    said = said.slice(said.indexOf(text) + text.length)
  }
  await hears('Ctrl-C stops everything in order')
  const stop = async (): Promise<void> => {
    up.kill('SIGINT')
    expect((await up.outcome).status).toBe(0)
  }
  return { hears, stop }
}

/** A plan of one row that waits for its time; its making takes none, however slow the machine. */
async function planThatWaits(name: string, waitMs: number): Promise<string> {
  const nowMs = Date.now()
  const dueAt = localIso(nowMs + waitMs, 'America/Los_Angeles').slice(0, 19)
  const path = join(started.project.folder, `${name}.csv`)
  writeFileSync(path, `external_id,description,effective_at\nP-1030,${name},${dueAt}\n`)
  const input = await readInput('products', path)
  return withPush(config(), async real => {
    const push = { ...real, now: () => nowMs, say: () => {} }
    const cap = { count: 0, percent: false }
    const order = { catalog: 'products' as const, input, stores: ['downtown'], create: [], cap }
    const signal = new AbortController().signal
    const plan = await makePlan(push, { ...order, deactivateMissing: false }, signal)
    await approvePush(push, plan, { by: 'Kim', origin: 'kim@till-1', guarded: [] })
    await applyInRun(push, plan)
    expect(statesIn(await showPlan(push, plan))).toEqual(['waiting'])
    return plan
  })
}
const statesIn = ({ stores }: PlanDocument): string[] =>
  stores[0]!.operations.map(({ state }) => state)
const shown = (plan: string): Promise<PlanDocument> =>
  withPush(config(), push => showPlan(push, plan))
const storeOf = async (plan: string) => (await shown(plan)).stores[0]!
const statesOf = async (plan: string): Promise<string[]> => statesIn(await shown(plan))

test('a row that waits for its time is sent once, though a store came to tillage.yaml meanwhile; where its store is elsewhere by then it is refused, and told', async () => {
  configure([downtown()])
  const added = await planThatWaits('added', 12_000)
  const up = await startUp()
  configure([downtown(), harbor()])
  await up.hears('tillage.yaml: stores taken up')
  await waitFor(async () => (await statesOf(added))[0] === 'applied', 'the row to be applied')

  // `up` hears of the move meanwhile, on a slow machine, too.
  const moved = await planThatWaits('moved', 40_000)
  const other = await startSandbox({ days: 1, until: '2026-03-15', transactionsPerDay: 5 })
  try {
    configure([{ ...downtown(), baseUrl: other.baseUrl }])
    await up.hears('tillage.yaml: stores taken up')
    await waitFor(
      async () => (await storeOf(moved)).error?.code === 'OTHER_TARGET',
      'the plan to say that it was refused',
    )
    const status = await started.project.run('status')
    expect(status.status).toBe(3)
    expect(status.stdout).toContain(`${moved} stopped`)
    expect(await statesOf(moved)).toEqual(['approved'])
    await up.stop()
  } finally {
    await other.close()
  }
})

test('a night of a store that is taken out of tillage.yaml ends with the reason', async () => {
  const nightly = { at: '03:30' }
  configure([downtown(), harbor()], nightly)
  const up = await startUp()
  await control(started.sandbox, 'POST', 'faults', [{ match: 'transactions', latencyMs: HOUR_MS }])
  const triggered = await started.project.run('schedule', 'trigger', 'nightly/harbor')
  expect(triggered.status).toBe(0)
  await up.hears('nightly harbor')
  configure([downtown()], nightly)
  await up.hears('tillage.yaml: stores taken up')
  await control(started.sandbox, 'DELETE', 'faults')
  const ended = (): unknown[] =>
    started.project.query("SELECT outcome, detail FROM runs WHERE store_id = 'harbor'")
  await waitFor(() => JSON.stringify(ended()).includes('failed'), 'the night to end')
  expect(JSON.stringify(ended())).toContain('there is no store harbor')
  await up.stop()
})
