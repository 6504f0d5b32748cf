import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { WorkflowFailedError } from '@temporalio/client'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FindOrder, NightOrder } from '../../activities/orders.ts'
import { addDays, HOUR_MS } from '../../calendar/days.ts'
import { DatabaseError } from '../../errors.ts'
import { nightOrder } from '../../schedules/orders.ts'
import type { BackfilledNight } from '../../workflows/backfill-nights.ts'
import { syncStoreId } from '../../workflows/ids.ts'
import type { NightlyInput, NightResult } from '../../workflows/nightly.ts'
import { asSqlite } from '../connectors/sqlite/as-sqlite.ts'
import { control, waitFor } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'

let running: Running
let number = 0
beforeAll(async () => {
  running = await startRunning(
    {},
    { schedules: { nightly: { export: ['transactions'], formats: ['csv'] } } },
  )
})
afterAll(() => running.close())
beforeEach(() => control(running.sandbox, 'DELETE', 'faults'))

/** A night, and what is wanted of it. */
type Night = NightlyInput & NightOrder

const night = (change: Partial<Night>): Night => ({
  store: 'downtown',
  ...nightOrder(running.config, running.config.stores[0]!),
  streams: ['transactions'],
  pauses: { firstMs: 200, longestMs: 400 },
  ...change,
})
/** As if tillage.yaml wanted that of nights, from now on. */
const want = ({ store: _store, day: _day, ...order }: Night, asked = (): void => {}): void => {
  const findOrder: FindOrder = () => {
    asked()
    return order as never
  }
  running.worker.dependencies.findOrder = findOrder
}
const start = (
  input: Night,
  asked?: () => void,
): Promise<{ workflowId: string; result(): Promise<NightResult> }> => {
  want(input, asked)
  return running.worker.client.workflow.start('nightly', {
    workflowId: `test-${number++}`,
    taskQueue: running.worker.taskQueue,
    args: [{ store: input.store, day: input.day }],
  }) as Promise<{ workflowId: string; result(): Promise<NightResult> }>
}
const runOf = (day: string) =>
  asSqlite(running.worker.dependencies.destination)
    .db.selectFrom('runs')
    .selectAll()
    .where('day', '=', day)
    .executeTakeFirst()
const filesOf = (day: string): string[] => running.exported().filter(name => name.includes(day))

describe('a night', () => {
  test('takes the business day before its nominal time, and shows in its memo that its deadline is at risk', async () => {
    await control(running.sandbox, 'POST', 'faults', [{ match: 'transactions', status: 400 }])
    const zone = running.sandbox.stores[0]!.timeZone
    // Less than a first night is thought to take, and longer than a busy machine takes to look.
    const clock = new Intl.DateTimeFormat('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone: zone,
    }).format(Date.now() + 9 * 60_000)
    const handle = await start(night({ deadline: clock }))
    const { workflow } = running.worker.client
    const { startTime } = await workflow.getHandle(handle.workflowId).describe()
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(startTime)
    await waitFor(
      async () =>
        (await workflow.getHandle(handle.workflowId).describe()).memo?.['standing'] === 'at risk',
      'the alarm',
    )
    await control(running.sandbox, 'DELETE', 'faults')
    expect((await handle.result()).day).toBe(addDays(today, -1))
  })

  test('of a day that is long over reads what it lacks, writes its books, and leaves a trace', async () => {
    const done = await (await start(night({ day: '2026-03-10' }))).result()
    expect(done).toMatchObject({ day: '2026-03-10', files: 1, tries: 1 })
    expect(filesOf('2026-03-10').toSorted()).toEqual([
      'manifest_downtown_2026-03-10_r0.json',
      'transactions_downtown_2026-03-10_r0.csv',
    ])
    expect(await runOf('2026-03-10')).toMatchObject({
      kind: 'nightly',
      store_id: 'downtown',
      outcome: 'done',
      detail: '1 files',
    })
  })

  test('waits for proof, tells why meanwhile, and ends by itself when the API is back', async () => {
    await control(running.sandbox, 'POST', 'faults', [{ match: 'transactions', status: 400 }])
    const handle = await start(night({ day: '2026-03-12' }))
    await waitFor(
      async () => (await runOf('2026-03-12'))?.detail.includes('PARTNER_REFUSED') === true,
      'the reason',
    )
    expect(await runOf('2026-03-12')).toMatchObject({ outcome: 'running', finished_at: null })
    expect(filesOf('2026-03-12')).toEqual([])
    await control(running.sandbox, 'DELETE', 'faults')
    const done = await handle.result()
    expect(done.tries).toBeGreaterThan(1)
    expect(filesOf('2026-03-12')).toHaveLength(2)
  })

  test('waits for a database that is away for longer than a moment', async () => {
    let asked = 0
    const handle = await start(night({ day: '2026-03-10' }), () => {
      // It names its pause, so that nobody waits for it here.
      if (++asked <= 8) throw new DatabaseError('DATABASE_UNREACHABLE', 'away', { retryAfterMs: 1 })
    })
    expect(await handle.result()).toMatchObject({ day: '2026-03-10', tries: 1 })
    expect(asked).toBeGreaterThan(8)
  })

  test('fails with what nobody foresaw, after some tries', async () => {
    let asked = 0
    const handle = await start(night({ day: '2026-03-08' }), () => {
      // Its beginning has asked once.
      if (asked++ > 0) throw new RangeError('a fault of ours')
    })
    await expect(handle.result()).rejects.toMatchObject({
      cause: { type: 'RangeError', message: 'a fault of ours' },
    })
    expect(asked).toBe(1 + 5)
    expect(await runOf('2026-03-08')).toMatchObject({ outcome: 'failed' })
  })

  test('that waits to try again ends with the reason once nobody wants it any more', async () => {
    await control(running.sandbox, 'POST', 'faults', [{ match: 'transactions', status: 400 }])
    const handle = await start(night({ day: '2026-03-13' }))
    await waitFor(
      async () => (await runOf('2026-03-13'))?.detail.includes('PARTNER_REFUSED') === true,
      'the reason',
    )
    running.worker.dependencies.findOrder = () => undefined
    await expect(handle.result()).rejects.toMatchObject({
      cause: {
        type: 'NOT_ALLOWED',
        message: expect.stringContaining('has no nightly') as string,
      },
    })
    expect(await runOf('2026-03-13')).toMatchObject({ outcome: 'failed' })
  })

  test('whose store does not answer at first reads everything once it does, not only what its books need', async () => {
    // The zone is known from then on, so that only the reading asks for the store.
    await (await start(night({ day: '2026-03-10' }))).result()
    // As many tries as a sync makes before it gives up, within seconds.
    await control(running.sandbox, 'POST', 'faults', [{ match: '/store$', status: 500, times: 5 }])
    const handle = await start(
      night({
        streams: ['members', 'vendors'],
        needed: ['members'],
        books: { datasets: [], formats: [], journal: [] },
      }),
    )
    expect((await handle.result()).tries).toBe(2)
    const { ledger } = running.worker.dependencies.destination
    expect((await ledger.windows('downtown', 'vendors')).map(({ status }) => status)).toEqual([
      'proven',
    ])
  })

  test('whose reading somebody else stops tries again', async () => {
    await control(running.sandbox, 'POST', 'faults', [
      { match: 'transactions', latencyMs: HOUR_MS },
    ])
    const handle = await start(night({ day: '2026-03-11' }))
    const child = running.worker.client.workflow.getHandle(
      syncStoreId({ store: 'downtown', from: '2026-03-11', to: '2026-03-12' }, ['transactions']),
    )
    await waitFor(
      () =>
        child.describe().then(
          ({ status }) => status.name === 'RUNNING',
          () => false,
        ),
      'the reading',
    )
    await child.cancel()
    await waitFor(
      async () => (await runOf('2026-03-11'))?.detail.includes('INTERRUPTED') === true,
      'the reason',
    )
    await control(running.sandbox, 'DELETE', 'faults')
    expect((await handle.result()).tries).toBeGreaterThan(1)
    expect(await runOf('2026-03-11')).toMatchObject({ outcome: 'done' })
  })

  test('that is itself stopped stays stopped, and is not called running', async () => {
    await control(running.sandbox, 'POST', 'faults', [
      { match: 'transactions', latencyMs: HOUR_MS },
    ])
    const handle = await start(night({ day: '2026-03-07' }))
    const child = running.worker.client.workflow.getHandle(
      syncStoreId({ store: 'downtown', from: '2026-03-07', to: '2026-03-08' }, ['transactions']),
    )
    await waitFor(
      () =>
        child.describe().then(
          ({ status }) => status.name === 'RUNNING',
          () => false,
        ),
      'the reading',
    )
    await running.worker.client.workflow.getHandle(handle.workflowId).cancel()
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } })
    expect(await runOf('2026-03-07')).toMatchObject({
      outcome: 'failed',
      detail: expect.stringContaining('INTERRUPTED') as string,
    })
  })

  test('that never gets its proof fails with the reason, and has written nothing', async () => {
    await control(running.sandbox, 'POST', 'faults', [{ match: 'transactions', status: 400 }])
    const handle = await start(night({ day: '2026-03-06', giveUpAfterMs: 300 }))
    const error = await handle.result().catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(WorkflowFailedError)
    expect((error as WorkflowFailedError).cause).toMatchObject({
      type: 'NOT_PROVEN',
      details: [
        {
          remedy: expect.stringContaining(
            'tillage schedule backfill --store downtown --from 2026-03-06 --to 2026-03-07',
          ),
        },
      ],
    })
    expect(await runOf('2026-03-06')).toMatchObject({ outcome: 'failed' })
    expect(filesOf('2026-03-06')).toEqual([])
  })

  test('gives each earlier day in which something changed a revision, with its changes and its journal', async () => {
    const books = { ...night({}).books, journal: ['qbo' as const] }
    await (await start(night({ day: '2026-03-04', books }))).result()
    expect(filesOf('2026-03-04')).toContain('journal_qbo_downtown_2026-03-04_r0.csv')
    const records = (await control(
      running.sandbox,
      'GET',
      'records?store=downtown&stream=transactions&full=1',
    )) as {
      id: string
      transType: string
      status: string
      completedTime?: number
      modified: number
    }[]
    const noonMs = Date.parse('2026-03-04T20:00:00Z')
    const sale = records.find(
      ({ transType, status, completedTime }) =>
        transType === 'Sale' &&
        status === 'Completed' &&
        Math.abs((completedTime ?? 0) - noonMs) < 6 * 3_600_000,
    )!
    await control(running.sandbox, 'POST', 'records', {
      store: 'downtown',
      stream: 'transactions',
      op: 'edit',
      id: sale.id,
      patch: { status: 'Void', modified: Date.parse('2026-03-13T20:00:00Z') },
    })
    // Tests before this one have written these without the catalog: their costs have come.
    const beforeCosts = ['2026-03-11', '2026-03-12'].filter(day => filesOf(day).length > 0)
    const done = await (await start(night({ day: '2026-03-13', books }))).result()
    expect(done.manifests.map(path => basename(path))).toEqual([
      'manifest_downtown_2026-03-13_r0.json',
      'manifest_downtown_2026-03-04_r1.json',
      ...beforeCosts.map(day => `manifest_downtown_${day}_r1.json`),
    ])
    expect(filesOf('2026-03-04')).toEqual(
      expect.arrayContaining([
        'restatement_downtown_2026-03-04_r1.csv',
        'journal_qbo_downtown_2026-03-04_r1.csv',
        'manifest_downtown_2026-03-04_r1.json',
      ]),
    )
    // Nothing has changed since: the next night leaves it alone.
    expect(
      (await (await start(night({ day: '2026-03-13', books }))).result()).manifests,
    ).toHaveLength(1)
  })

  test('is done when its own books are, and names the earlier day that could not be revised', async () => {
    const folder = join(running.config.exports, 'downtown', '2026-03-01')
    const damaged = join(folder, 'manifest_downtown_2026-03-01_r0.json')
    mkdirSync(folder, { recursive: true })
    writeFileSync(damaged, '{}')
    const done = await (await start(night({ day: '2026-03-05' }))).result()
    rmSync(folder, { recursive: true })
    expect(done.notRevised).toEqual([{ day: '2026-03-01', code: 'EVIDENCE_CHANGED' }])
    expect(await runOf('2026-03-05')).toMatchObject({
      outcome: 'done',
      detail: '1 files; not revised: 2026-03-01 (EVIDENCE_CHANGED)',
    })
  })

  test('started twice at once gives one set of files', async () => {
    const both = await Promise.all([
      start(night({ day: '2026-03-08' })),
      start(night({ day: '2026-03-08' })),
    ])
    const results = await Promise.all(both.map(handle => handle.result()))
    expect(results.map(({ files }) => files)).toEqual([1, 1])
    expect(filesOf('2026-03-08')).toHaveLength(2)
  })
})

test('a backfill writes each day, tells the ones that cannot be proven, and goes on past them', async () => {
  await control(running.sandbox, 'POST', 'faults', [{ match: 'transactions', status: 400 }])
  want(night({}))
  const backfill = (from: string, to: string): Promise<BackfilledNight[]> =>
    running.worker.client.workflow.execute('backfillNights', {
      workflowId: `test-${number++}`,
      taskQueue: running.worker.taskQueue,
      args: [{ store: 'downtown', from, to }],
    }) as Promise<BackfilledNight[]>
  // The 10th was proven above; the 9th is not, and the API refuses it.
  const refused = await backfill('2026-03-09', '2026-03-11')
  expect(refused.map(({ day, outcome }) => [day, outcome])).toEqual([
    ['2026-03-09', 'failed'],
    ['2026-03-10', 'done'],
  ])
  expect(refused[0]!.why).toContain('unproven')
  await control(running.sandbox, 'DELETE', 'faults')
  const done = await backfill('2026-03-07', '2026-03-11')
  expect(done.map(({ outcome, why }) => `${outcome}${why}`)).toEqual(Array(4).fill('done'))

  await control(running.sandbox, 'POST', 'faults', [{ match: '/store$', status: 401 }])
  const unread = await backfill('2026-03-09', '2026-03-11')
  expect(unread.map(({ outcome, files }) => [outcome, files])).toEqual([
    ['done', 1],
    ['done', 1],
  ])
  for (const { why } of unread) expect(why).toContain('nothing new was read: PARTNER_KEYS')
})

describe('a night of a day that is proven already', () => {
  test.each([
    ['store that refuses its key', '/store$', 401, 'PARTNER_KEYS'],
    ['list that its books need and that is refused', 'transactions', 403, 'PARTNER_PERMISSION'],
    ['list of which nothing could be proven', '/transactions', 422, 'NOT_PROVEN'],
  ])(
    'has its books at once, and is done only when nothing new is left unread: %s',
    async (_, match, status, code) => {
      const { day } = await (await start(night({}))).result()
      // As if a sync had proven the day, and no night.
      const database = new Database(running.config.database)
      database.prepare('DELETE FROM runs WHERE day = ?').run(day)
      await control(running.sandbox, 'POST', 'faults', [{ match, status }])
      const handle = await start(night({}))
      await waitFor(async () => (await runOf(day))?.detail.includes(code) === true, 'the reason')
      expect(await runOf(day)).toMatchObject({
        outcome: 'running',
        detail: expect.stringContaining('1 files; nothing new was read: ') as string,
      })
      await control(running.sandbox, 'DELETE', 'faults')
      expect((await handle.result()).tries).toBeGreaterThan(1)
      expect(await runOf(day)).toMatchObject({ outcome: 'done', detail: '1 files' })

      database.prepare('DELETE FROM runs WHERE day = ?').run(day)
      database.close()
      await control(running.sandbox, 'POST', 'faults', [{ match, status }])
      const error = await (
        await start(night({ giveUpAfterMs: 300 }))
      )
        .result()
        .catch((cause: unknown) => cause)
      expect((error as WorkflowFailedError).cause).toMatchObject({
        type: code,
        message: expect.stringContaining(`downtown ${day} has its books`) as string,
      })
      expect(await runOf(day)).toMatchObject({
        outcome: 'failed',
        detail: expect.stringContaining(code) as string,
      })
    },
  )
})
