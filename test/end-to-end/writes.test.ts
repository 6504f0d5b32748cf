import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SHEET_COLUMNS } from '../../audit/count-sheet.ts'
import { localIso } from '../../calendar/clock.ts'
import { HOUR_MS } from '../../calendar/days.ts'
import { withOutbound } from '../../commands/plans/with-outbound.ts'
import { withPush } from '../../commands/push/open-push.ts'
import { loadConfig } from '../../config.ts'
import type {
  OperationState,
  OutboundOperation,
  OutboundPlan,
} from '../../connectors/destination/outbound.ts'
import { approvePush } from '../../push/approve.ts'
import { showPlan } from '../../push/document.ts'
import type { PlanDocument } from '../../push/document.ts'
import { readInput } from '../../push/input/read-input.ts'
import { makePlan } from '../../push/plan/make-plan.ts'
import type { ShownPlan } from '../../reconcile/show-plan.ts'
import type { FaultRule } from '../../sandbox/faults/rules.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { openConnection } from '../../temporal/open-connection.ts'
import { readCsv } from '../../text/read-csv.ts'
import { csvText } from '../../text/write-csv.ts'
import { applyId } from '../../workflows/ids.ts'
import { firedOf, writesTo } from '../helpers/asked.ts'
import { NOTHING_SCHEDULED, control, startProject, storesOf, waitFor } from '../helpers/project.ts'
import { waitForStop } from '../helpers/stopped.ts'
import type { TemporalNamespace } from '../helpers/temporal.ts'
import { applyInRun } from '../push/scene.ts'

/** Catalogs out and counts back, as people do it: every step is a process of its own. */
let started: Awaited<ReturnType<typeof startProject>>
beforeAll(async () => {
  started = await startProject({ stores: 1, days: 2, transactionsPerDay: 5 })
  configure(started.sandbox)
})
afterAll(() => started.close())

const configure = (sandbox: Sandbox): void =>
  started.project.configure(storesOf(sandbox), {
    // `up` is over, and a due night that no worker starts would be told by `status`.
    schedules: NOTHING_SCHEDULED,
    reconcile: {
      approvers: [
        { name: 'Store manager', role: 'manager' },
        { name: 'Compliance lead', role: 'compliance' },
      ],
      patienceSeconds: 60,
    },
  })

async function run<Answer>(status: number, ...args: string[]): Promise<Answer> {
  const outcome = await started.project.run(...args, '--json')
  expect([args.join(' '), outcome.status, outcome.stderr]).toEqual([
    args.join(' '),
    status,
    expect.any(String),
  ])
  return JSON.parse(outcome.stdout === '' ? 'null' : outcome.stdout) as Answer
}

async function writes(): Promise<string[]> {
  const sent = await writesTo(started.sandbox)
  return sent.map(({ method, path }) => `${method} ${path}`)
}

/** A client of the Temporal server that the commands use. */
async function withTemporal(work: (client: Client) => Promise<void>): Promise<void> {
  const { address, namespace } = started.project.temporal as TemporalNamespace
  const connection = await openConnection({ address })
  try {
    await work(new Client({ connection, namespace }))
  } finally {
    await connection.close()
  }
}

/** The workflow of a plan's newest run. */
async function runOf(plan: string): Promise<string> {
  const config = loadConfig(join(started.project.folder, 'tillage.yaml'))
  const runs = await withOutbound(config, store => store.runs(plan))
  return applyId(plan, runs.at(-1)!.run)
}

/** Until the rules are cleared, so many more writes are answered, and this happens to the rest. */
async function afterWrites(many: number, fault: FaultRule): Promise<void> {
  const rules = ['PUT', 'POST'].map(method => ({ method, match: '/api/', after: many, ...fault }))
  await control(started.sandbox, 'POST', 'faults', rules)
}

const firstHit = (): Promise<void> =>
  waitFor(
    async () => (await firedOf(started.sandbox)).some(fired => fired > 0),
    'a write that has no answer',
  )

/** Kills a command whose next write, after so many, has no answer and is carried out later. */
async function killAfter(many: number, ...args: string[]): Promise<void> {
  await afterWrites(many, { commitAfterMs: HOUR_MS })
  const child = started.project.start(...args)
  await firstHit()
  child.kill('SIGKILL')
  await child.outcome
  await control(started.sandbox, 'DELETE', 'faults')
}

/**
 * What Ctrl-C does (`interrupted.test.ts` presses it) while the first write is under way, which has
 * its answer when whoever sent it was told to stop. Answers how many writes there were.
 */
async function stopAtFirst(plan: string, ...args: string[]): Promise<number> {
  const before = (await writes()).length
  await afterWrites(0, { latencyMs: HOUR_MS })
  const stop = new AbortController()
  const running = started.project.runBeside(args, stop.signal)
  await firstHit()
  stop.abort()
  await withTemporal(async client => waitForStop(client, await runOf(plan)))
  await control(started.sandbox, 'DELETE', 'faults')
  const { status, stderr } = await running
  expect([status, stderr]).toEqual([1, expect.stringContaining('INTERRUPTED')])
  expect(stderr).toContain('Run the same command again')
  return (await writes()).length - before
}

const file = (name: string, text: string): string => {
  writeFileSync(join(started.project.folder, name), text)
  return name
}
const operations = ({ stores }: PlanDocument) => stores.flatMap(store => store.operations)
const states = (plan: PlanDocument): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { state } of operations(plan)) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

test('a push that is stopped and killed in the middle is finished with each record sent once', async () => {
  const keys = Array.from({ length: 12 }, (_, at) => `P-${1001 + at}`)
  const text = ['external_id,description', ...keys.map(key => `${key},pushed`), ''].join('\n')
  const planned = await run<PlanDocument>(0, 'push', 'plan', 'products', file('p.csv', text))
  const { plan } = planned
  for (const command of [['show'], ['approve', '--by', 'Kim'], ['apply'], ['undo']])
    expect(
      await run(2, 'push', command[0]!, plan, ...command.slice(1), '--store', 'other'),
    ).toMatchObject({ error: { message: `${plan} is of downtown, and is taken as a whole` } })
  await run(0, 'push', 'show', plan, '--store', 'downtown')
  await run(0, 'push', 'approve', plan, '--by', 'Kim', '--hash', planned.hash)
  const before = (await writes()).length
  expect(await stopAtFirst(plan, 'push', 'apply', plan)).toBe(1)
  await killAfter(3, 'push', 'apply', plan)
  const applied = await run<PlanDocument>(0, 'push', 'apply', plan)
  expect(states(applied)).toEqual({ applied: keys.length })
  // One for each record; what was on its way when it died is found, not sent again.
  const puts = (await writes()).slice(before)
  expect(new Set(puts).size).toBe(keys.length)
  // A crash may have come between a receipt's row and its file; nothing else is left to do.
  const receipts = join(dirname(applied.files[0]!.path), 'receipts')
  const last = readdirSync(receipts).toSorted().at(-1)!
  const bytes = readFileSync(join(receipts, last))
  rmSync(join(receipts, last))
  const sent = (await writes()).length
  await run(0, 'push', 'apply', plan)
  expect(await writes()).toHaveLength(sent)
  expect(readFileSync(join(receipts, last))).toEqual(bytes)
})

test('a row whose time comes while up runs is sent by it', async () => {
  const signal = new AbortController().signal
  const startedMs = Date.now()
  const dueMs = startedMs + 8_000
  const dueAt = localIso(dueMs, 'America/Los_Angeles').slice(0, 19)
  const text = `external_id,description,effective_at\nP-1030,on time,${dueAt}\n`
  const input = await readInput('products', join(started.project.folder, file('t.csv', text)))
  const config = loadConfig(join(started.project.folder, 'tillage.yaml'))
  const stores = config.stores.map(({ id }) => id)
  const cap = { count: 0, percent: false }
  const shown = (id: string): Promise<PlanDocument> =>
    withPush(config, push => showPlan({ ...push, now: () => startedMs }, id))
  // No time passes before `up` is there, however slow the machine is.
  const plan = await withPush(config, async real => {
    const push = { ...real, now: () => startedMs }
    const order = { catalog: 'products' as const, input, stores, create: [], cap }
    const id = await makePlan(
      { ...push, say: () => {} },
      { ...order, deactivateMissing: false },
      signal,
    )
    await approvePush(push, id, { by: 'Kim', origin: 'kim@till-1', guarded: [] })
    await applyInRun(push, id)
    return id
  })
  expect(states(await shown(plan))).toEqual({ waiting: 1 })
  const sent = (await writes()).length
  const up = started.project.start('up')
  await waitFor(async () => (await writes()).length > sent, 'the row to be sent')
  expect(Date.now()).toBeGreaterThanOrEqual(Math.floor(dueMs / 1000) * 1000)
  await waitFor(async () => states(await shown(plan))['applied'] === 1, 'it to be applied')
  up.kill('SIGINT')
  expect((await up.outcome).status).toBe(0)
  expect(await writes()).toHaveLength(sent + 1)
})

interface Snapshot {
  audit: string
  files: { path: string; format: string }[]
}

test('counts that are stopped and killed midway are posted once for each room', async () => {
  const rooms = ['--room', 'Quarantine', 'Vault', '--open']
  const snapshot = await run<Snapshot>(0, 'audit', 'snapshot', ...rooms)
  const sheet = snapshot.files.find(({ format }) => format === 'csv')!.path
  const short = new Set<string>()
  const counted = { counted_by: 'E-14', counted_at: new Date().toISOString() }
  const rows = readCsv(readFileSync(sheet, 'utf8').replace('\uFEFF', '')).map(row => {
    const { expected_qty: expected = '', unit, inventory_id: room = '' } = row
    const isShort = unit === 'EACH' && Number(expected) > 20 && !short.has(room)
    if (isShort) short.add(room)
    const counted_qty = isShort ? String(Number(expected) - 15) : expected
    const reason_code = isShort ? 'theft' : ''
    const filled: Record<string, string> = { ...row, ...counted, counted_qty, reason_code }
    return SHEET_COLUMNS.map(name => filled[name] ?? '')
  })
  const counts = file('counts.csv', csvText(SHEET_COLUMNS, rows))
  await run(0, 'audit', 'report', snapshot.audit, '--counts', counts)
  const { plan, requiredApprovals } = await run<ShownPlan>(0, 'reconcile', 'plan', counts)
  expect(requiredApprovals).toBe(2)
  expect(await run(2, 'reconcile', 'show', plan, '--store', 'other')).toMatchObject({
    error: { message: `${plan} is of downtown, and is taken as a whole` },
  })
  await run(0, 'reconcile', 'approve', plan, '--by', 'Store manager', '--store', 'downtown')
  await run(0, 'reconcile', 'approve', plan, '--by', 'Compliance lead')
  const before = (await writes()).length
  expect(await stopAtFirst(plan, 'reconcile', 'apply', plan)).toBe(1)
  await killAfter(0, 'reconcile', 'apply', plan)
  // What reads does not go on with it, and another server is not what it was planned for.
  await waitFor(async () => (await writes()).length === before + 2, 'the write under way')
  await run(0, 'sync', 'vendors', '--from', '2026-11-01', '--to', '2026-11-02')
  expect(await writes()).toHaveLength(before + 2)
  await refuseTwin(plan)
  const done = await run<ShownPlan>(0, 'reconcile', 'apply', plan)
  expect(done.operations.map(({ state }) => state)).toEqual(['confirmed', 'confirmed'])
  expect((await writes()).slice(before)).toHaveLength(2)
  expect(done.receipts).toHaveLength(2)
})

/** A server with the same stores, keys and ids, at another address. */
async function refuseTwin(plan: string): Promise<void> {
  const twin = await startSandbox({ stores: 1, days: 2, transactionsPerDay: 5 })
  configure(twin)
  const { error } = await run<{ error: { code: string; message: string } }>(
    1,
    'reconcile',
    'apply',
    plan,
  )
  expect(error).toMatchObject({ message: expect.stringContaining(twin.baseUrl) as string })
  expect(await writesTo(twin)).toEqual([])
  configure(started.sandbox)
  await twin.close()
}

test('an operation that is parked is named by status, which ends with 3 until somebody decided', async () => {
  const config = loadConfig(join(started.project.folder, 'tillage.yaml'))
  const parked = await withOutbound(config, async store => {
    const [{ plan }] = (await store.plans('reconcile')) as [OutboundPlan]
    const [{ op, state }] = (await store.operations(plan)) as [OutboundOperation]
    const at = new Date().toISOString()
    const step = { plan, op, at, event: 'parked', detail: '' } as const
    const move = (from: OperationState, to: OperationState): Promise<boolean> =>
      withOutbound(config, again => again.move({ ...step, from: [from], to }))
    return { plan, op, state, move }
  })
  const { plan, op, state, move } = parked
  const before = await started.project.run('status')
  expect(before.status, before.stdout).toBe(0)
  expect(await move(state, 'unknown')).toBe(true)
  const { stdout, status } = await started.project.run('status')
  expect([stdout.replaceAll(/\s+/g, ' '), status]).toEqual([
    expect.stringContaining(`${plan} has been parked with an unknown outcome`),
    3,
  ])
  const word = ['--as', 'confirm', '--by', 'Compliance lead', '--reason', 'it is there']
  await run(2, 'reconcile', 'resolve', plan, 'nope', ...word)
  await run(0, 'reconcile', 'resolve', plan, op, ...word)
  expect((await started.project.run('status')).status).toBe(0)
})

test('a confirmed discrepancy is shown by status until somebody has dealt with it', async () => {
  const folders = started.project.files().map(path => /audits.(AUD-[\w-]+)/.exec(path)?.[1])
  const audit = folders.find(folder => folder !== undefined)!
  const word = ['--by', 'Compliance lead', '--reason', 'the safe was open']
  await run(0, 'audit', 'confirm', audit, '--against-report', ...word)
  const status = async (): Promise<string> =>
    (await started.project.run('status')).stdout.replaceAll(/\s+/g, ' ')
  expect(await status()).toContain('notify the authorities of the significant discrepancy within')
  await run(0, 'audit', 'done', audit, 'notice', ...word)
  await run(0, 'audit', 'done', audit, 'report', ...word)
  expect(await status()).not.toContain('authorities')
})
