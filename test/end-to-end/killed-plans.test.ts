import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { localIso } from '../../calendar/clock.ts'
import { HOUR_MS } from '../../calendar/days.ts'
import { withPush } from '../../commands/push/open-push.ts'
import { loadConfig } from '../../config.ts'
import { showPlan } from '../../push/document.ts'
import type { PlanDocument } from '../../push/document.ts'
import { plansThatWait, refuseUnasked } from '../../push/waiting.ts'
import { firedOf, writesTo } from '../helpers/asked.ts'
import { control, startProject, storesOf, waitFor } from '../helpers/project.ts'

/** Applies that are killed, and what other commands make of what is left: each is a process. */
let started: Awaited<ReturnType<typeof startProject>>
beforeAll(async () => {
  started = await startProject({ stores: 1, days: 2, transactionsPerDay: 5 })
  started.project.configure(storesOf(started.sandbox))
})
afterAll(() => started.close())

async function run<Answer>(status: number, ...args: string[]): Promise<Answer> {
  const outcome = await started.project.run(...args, '--json')
  expect([args.join(' '), outcome.status, outcome.stderr]).toEqual([
    args.join(' '),
    status,
    expect.any(String),
  ])
  return JSON.parse(outcome.stdout === '' ? 'null' : outcome.stdout) as Answer
}

const writes = async (): Promise<number> => (await writesTo(started.sandbox)).length

/** Whether a write has arrived and waits for its answer. */
const areHeld = async (): Promise<boolean> =>
  (await firedOf(started.sandbox)).some(fired => fired > 0)

const config = () => loadConfig(join(started.project.folder, 'tillage.yaml'))

const KEYS = Array.from({ length: 9 }, (_, at) => `P-${1001 + at}`)

async function descriptions(): Promise<Map<string, unknown>> {
  const { id } = started.sandbox.stores[0]!
  const query = `records?store=${id}&stream=products&full=1`
  const answer = await fetch(`${started.sandbox.baseUrl}/_control/${query}`)
  const records = (await answer.text()).split('\n').filter(line => line !== '')
  return new Map(
    records
      .map(line => JSON.parse(line) as { externalId: string; description: unknown })
      .filter(({ externalId }) => KEYS.includes(externalId))
      .map(({ externalId, description }) => [externalId, description]),
  )
}

/** An approved plan of nine records and others, whose apply is killed at so many writes. */
async function killedAfter(many: number, text: string, others: string[] = []): Promise<string> {
  const file = join(started.project.folder, `${text}.csv`)
  const rows = [...KEYS.map(key => `${key},${text},`), ...others]
  writeFileSync(file, ['external_id,description,effective_at', ...rows].join('\n'))
  const { plan } = await run<PlanDocument>(0, 'push', 'plan', 'products', file)
  await run(0, 'push', 'approve', plan, '--by', 'Kim')
  await killApply(plan, many)
  return plan
}

/** Kills an apply as soon as so many writes were answered; those after them are under way. */
async function killApply(plan: string, many: number): Promise<void> {
  const held = [{ method: 'PUT', latencyMs: HOUR_MS, after: many }]
  await control(started.sandbox, 'POST', 'faults', held)
  const before = await writes()
  const child = started.project.start('push', 'apply', plan)
  await waitFor(
    async () => (await writes()) === before + many && (await areHeld()),
    `${many} writes, and one more`,
  )
  child.kill('SIGKILL')
  await child.outcome
  await control(started.sandbox, 'DELETE', 'faults')
}

/** Of a row of the first plan, which waits: the plan is made and killed within this time. */
const STARTED_MS = Date.now()
const DUE_MS = STARTED_MS + 120_000
let plan: string

test('a killed apply is over: no command that reads goes on with it, and each says so', async () => {
  const dueAt = localIso(DUE_MS, 'America/Los_Angeles').slice(0, 19)
  plan = await killedAfter(2, 'killed', [`P-1030,later,${dueAt}`])
  const sent = await writes()
  await run(0, 'sync', 'vendors', '--from', '2026-11-01', '--to', '2026-11-02')
  const up = started.project.start('up')
  let said = ''
  up.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await waitFor(() => said.includes('up: Temporal'), 'up to be up')
  const shown = await run<PlanDocument>(0, 'push', 'show', plan)
  expect(shown.interrupted).toMatchObject({ of: KEYS.length + 1 })
  const status = await started.project.run('status')
  expect([status.status, status.stdout.replaceAll(/\s+/g, ' ')]).toEqual([
    3,
    expect.stringContaining(`of ${KEYS.length + 1} were sent`),
  ])
  up.kill('SIGINT')
  await up.outcome
  expect(await writes()).toBe(sent)
})

test('a row that waits for its time is not sent by up after an apply that was killed', async () => {
  await withPush(config(), async push => {
    expect(await plansThatWait({ ...push, now: () => DUE_MS + 1 })).toEqual([])
    const due = refuseUnasked({ ...push, now: () => DUE_MS + 1 }, plan)
    await expect(due).rejects.toMatchObject({ code: 'PLAN_INTERRUPTED' })
  })
})

test('an apply after one that was killed sends the rest, and a row that waits for its time is waited for', async () => {
  const applied = await started.project.run('push', 'apply', plan)
  expect([applied.status, applied.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    0,
    expect.stringContaining('was interrupted'),
  ])
  expect([...(await descriptions()).values()]).toEqual(KEYS.map(() => 'killed'))
  await withPush(config(), async push => {
    const before = { ...push, now: () => STARTED_MS }
    const waits = (await showPlan(before, plan)).state === 'waiting'
    // Where the machine is so slow that its time has come, the apply has sent it.
    expect(await plansThatWait(before)).toEqual(waits ? [plan] : [])
  })
})

test('undo after a kill takes back every record that was changed, and ends what it undoes', async () => {
  const before = await descriptions()
  const plan = await killedAfter(6, 'undone')
  const changed = [...(await descriptions()).values()].filter(text => text === 'undone')
  const inverse = await run<PlanDocument>(0, 'push', 'undo', plan)
  expect(inverse.stores[0]!.counts.update).toBe(changed.length)
  await run(0, 'push', 'approve', inverse.plan, '--by', 'Kim')
  await run(0, 'push', 'apply', inverse.plan)
  expect(await descriptions()).toEqual(before)
  expect(await run(1, 'push', 'apply', plan)).toMatchObject({
    error: { code: 'PLAN_UNDONE', message: expect.stringContaining(inverse.plan) as string },
  })
  expect(await run<PlanDocument>(0, 'push', 'show', plan)).toMatchObject({
    state: 'undone',
    undoneBy: inverse.plan,
  })
})

test('approvals and applies are in the audit log, with who, what and from where', async () => {
  const { entries } = await run<{ entries: { act: string; detail: string }[] }>(0, 'audit-log')
  const acts = entries.map(({ act }) => act)
  for (const act of ['push approve', 'push apply', 'push undo']) expect(acts).toContain(act)
})
