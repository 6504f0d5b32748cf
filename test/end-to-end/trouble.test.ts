import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../calendar/days.ts'
import type { SyncReport } from '../../temporal/run-sync.ts'
import { answeredBy } from '../helpers/asked.ts'
import {
  control,
  CORE,
  Project,
  RANGE,
  startProject,
  storesOf,
  waitFor,
} from '../helpers/project.ts'
import { LONG } from '../helpers/size.ts'
import { ownNamespace } from '../helpers/temporal.ts'

/** One list of each kind: calendar days, milliseconds, whole; all of them in the long suite. */
const STREAMS = LONG
  ? CORE
  : ['transactions', 'members', 'purchase_orders', 'products', 'vendors', 'batches']

/** What an undisturbed run leaves behind; every disturbed one must leave the same (INV-2). */
let started: Awaited<ReturnType<typeof startProject>>
let golden: Record<string, unknown[]>
const firstStore = (): object[] => storesOf(started.sandbox).slice(0, 1)
beforeAll(async () => {
  started = await startProject()
  started.project.configure(firstStore())
  expect((await started.project.run('sync', ...STREAMS, ...RANGE)).status).toBe(0)
  golden = started.project.tables()
})
afterAll(() => started.close())

const FAULTS = {
  'lets 40 requests a second through, and answers 429 now and then, with Retry-After and without': [
    { rateLimit: { perSecond: 40 } },
    { status: 429, retryAfter: 1, rate: 0.06 },
    { status: 429, rate: 0.1 },
  ],
  'fails, hangs up and cuts off one answer in five': [
    { status: 500, rate: 0.08 },
    { drop: true, rate: 0.06 },
    { truncate: true, rate: 0.06 },
  ],
}

describe.each(Object.entries(FAULTS))('an API that %s', (_, faults) => {
  test('costs requests, and no row', async () => {
    const project = new Project(await ownNamespace())
    try {
      project.configure(firstStore())
      await control(started.sandbox, 'POST', 'faults', faults)
      const outcome = await project.run('sync', ...STREAMS, ...RANGE, '--json')
      expect(outcome.stderr).not.toContain('unproven')
      expect(outcome.status).toBe(0)
      expect(project.tables()).toEqual(golden)
    } finally {
      await control(started.sandbox, 'DELETE', 'faults')
      await project.remove()
    }
  })
})

test('Ctrl-C ends a run in order: status 1, a word on how to go on, and going on gives the same tables', async () => {
  const project = new Project(await ownNamespace())
  try {
    project.configure(firstStore())
    await control(started.sandbox, 'POST', 'reset')
    await control(started.sandbox, 'POST', 'faults', [{ latencyMs: HOUR_MS, after: 19 }])
    const running = project.start('sync', ...STREAMS, ...RANGE)
    await waitFor(
      async () => (await answeredBy(started.sandbox)) === 19,
      'the answers before those that hang',
    )
    running.kill('SIGINT')
    const outcome = await running.outcome
    expect(outcome.status).toBe(1)
    expect(outcome.stderr).toContain('INTERRUPTED')
    expect(outcome.stderr).toContain('Run the same command again')
    await control(started.sandbox, 'DELETE', 'faults')
    const again = await project.run('sync', ...STREAMS, ...RANGE)
    expect([again.status, again.stderr]).toEqual([0, expect.anything()])
    expect(project.tables()).toEqual(golden)
  } finally {
    await control(started.sandbox, 'DELETE', 'faults')
    await project.remove()
  }
})

test('one bad window and one bad store stop nobody else', async () => {
  const project = new Project(await ownNamespace())
  try {
    const [downtown, harbor] = storesOf(started.sandbox)
    project.configure([downtown!, { ...harbor, developerKey: 'not-a-key' }])
    await control(started.sandbox, 'POST', 'faults', [
      { match: 'transactions.*startDate=03%2F03', status: 400 },
    ])
    const outcome = await project.run('sync', 'transactions', 'vendors', ...RANGE, '--json')
    expect(outcome.status).toBe(1)
    const { stores } = JSON.parse(outcome.stdout) as SyncReport
    expect(stores[1]!.error).toMatchObject({ code: 'PARTNER_KEYS' })
    const [transactions, vendors] = stores[0]!.streams
    expect(transactions!.windows.unproven).toBe(1)
    expect(transactions!.windows.proven).toBeGreaterThan(1)
    expect(transactions!.findings).toEqual([expect.objectContaining({ code: 'PARTNER_REFUSED' })])
    expect(vendors!.windows).toEqual({ proven: 1, unproven: 0 })
    const coverage = await project.run('coverage', 'transactions', '--store', 'downtown', ...RANGE)
    expect(coverage.status).toBe(3)
    expect(coverage.stdout).toContain('PARTNER_REFUSED')

    await control(started.sandbox, 'DELETE', 'faults')
    const repaired = await project.run(
      'sync',
      'transactions',
      '--store',
      'downtown',
      ...RANGE,
      '--json',
    )
    expect(repaired.status).toBe(0)
    expect((JSON.parse(repaired.stdout) as SyncReport).stores[0]!.streams[0]!.windows).toEqual({
      proven: 1,
      unproven: 0,
    })
  } finally {
    await control(started.sandbox, 'DELETE', 'faults')
    await project.remove()
  }
})

test('rows of a window that was not read to its end are kept, and the window says why it is unproven', async () => {
  const project = new Project(await ownNamespace())
  try {
    project.configure(firstStore())
    await control(started.sandbox, 'POST', 'faults', [
      { match: 'transactions.*startDate=03%2F08.*skip=99', status: 400 },
    ])
    const outcome = await project.run('sync', 'transactions', ...RANGE, '--json')
    expect(outcome.status).toBe(3)
    const [{ windows, records }] = (JSON.parse(outcome.stdout) as SyncReport).stores[0]!
      .streams as [SyncReport['stores'][number]['streams'][number]]
    expect(windows.unproven).toBe(1)
    expect(records.fetched).toBe(
      records.inserted + records.updated + records.unchanged + records.duplicate,
    )
    const held = project.query(
      `SELECT count(*) FROM transactions
       WHERE modified >= unixepoch('2026-03-09') * 1000
         AND modified < unixepoch('2026-03-12') * 1000`,
    )[0] as [number]
    expect(held[0]).toBeGreaterThan(50)
    expect(project.query("SELECT status FROM windows WHERE status = 'unproven'")).toHaveLength(1)
  } finally {
    await control(started.sandbox, 'DELETE', 'faults')
    await project.remove()
  }
})
