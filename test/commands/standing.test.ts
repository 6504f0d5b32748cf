import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { coverage } from '../../commands/coverage.ts'
import { withPush } from '../../commands/push/open-push.ts'
import { scheduleList } from '../../commands/schedule/list.ts'
import { command as status } from '../../commands/status.ts'
import { countOperations } from '../../push/operation.ts'
import type { Operation } from '../../push/operation.ts'
import { savePlan } from '../../push/plan/make-plan.ts'
import { identifyProcess } from '../../temporal/server/process-identity.ts'
import { T1 } from '../exports/sales/worked-example.ts'
import { bookkeeper } from './bookkeeper.ts'

const WHOLE = { start: '2026-02-28T00:00:00.000Z', end: '2026-04-03T00:00:00.000Z' }
const LATER = '2026-04-04T00:00:00.000Z'
type Keeper = Awaited<ReturnType<typeof bookkeeper>>

const insert = ({ database }: Keeper, table: string, row: Readonly<Record<string, unknown>>) => {
  const names = Object.keys(row)
  const places = names.map(name => `@${name}`).join(', ')
  return database.connection
    .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`)
    .run(row)
}

const insertRun = (keeper: Keeper, kind: string, outcome: string, detail: string): unknown =>
  insert(keeper, 'runs', {
    kind,
    store_id: 'downtown',
    day: '2026-04-03',
    due_at: LATER,
    started_at: LATER,
    finished_at: outcome === 'failed' ? LATER : null,
    outcome,
    attempts: 1,
    detail,
  })

const insertProgram = (keeper: Keeper, problem: string | null): unknown => {
  const { pid, startedAt = '' } = identifyProcess()
  return insert(keeper, 'programs', {
    machine: hostname(),
    pid,
    process_started: startedAt,
    at: LATER,
    settings: '{}',
    problem,
  })
}

/** What each command says of a situation, with 3; undefined: it has nothing to do with it. */
interface Said {
  status: string
  list?: string
  coverage?: string
}

const OPERATION: Operation = {
  id: 'op-1',
  store: 'downtown',
  entity: 'products',
  op: 'update',
  row: 2,
  externalId: 'P-1',
  name: 'Flower 3.5g',
  targetId: 'T-1',
  match: 'target_id',
  changes: [{ field: 'unit_price', old: '12.00', new: '12.50', edits: [] }],
  flags: [],
  dependsOn: [],
  effectiveAt: null,
  reason: null,
  base: { modified: null, hash: 'HASH' },
}

/** A plan of one price, as `push plan` keeps it. */
async function insertPlan({ config }: Keeper): Promise<void> {
  await withPush(config, push =>
    savePlan(push, 'PL-1', {
      kind: 'push',
      of: null,
      entity: 'products',
      file: { path: 'products.csv', sha256: 'SHA', rows: 1 },
      parts: [
        {
          planned: {
            store: 'downtown',
            timeZone: 'UTC',
            error: null,
            counts: countOperations([OPERATION]),
            requests: { expected: 3, seconds: 1 },
          },
          operations: [OPERATION],
          target: { baseUrl: 'http://127.0.0.1:1', companyId: 'C', shopId: 'S' },
        },
      ],
    }),
  )
}

/** Its apply was killed before anything was sent. */
async function insertDeadApply(keeper: Keeper): Promise<void> {
  await insertPlan(keeper)
  insert(keeper, 'outbound_runs', {
    plan: 'PL-1',
    run: 'apply-1',
    act: 'apply',
    user: 'kim',
    host: 'till-1',
    pid: 1,
    started_at: LATER,
    alive_until: LATER,
  })
}

const SITUATIONS: readonly [string, (keeper: Keeper) => unknown, Said][] = [
  [
    'the last attempt to read was refused (401)',
    keeper =>
      insert(keeper, 'attempts', {
        store_id: 'downtown',
        at: LATER,
        outcome: 'failed',
        code: 'PARTNER_KEYS',
        detail: 'the API refused the keys',
      }),
    { status: 'the last attempt to read it failed, 2026-04-04 00:00 UTC: PARTNER_KEYS' },
  ],
  [
    'a window that was proven could not be proven when it was read again',
    keeper => keeper.sales([], { window: WHOLE, status: 'unproven', readAt: LATER }),
    { status: 'transactions: 1 window not proven', coverage: 'proven before, and not when it was' },
  ],
  [
    'a record could not be loaded',
    keeper => keeper.sales([{ ...T1, id: 'BAD', modified: 'yesterday' }], { window: WHOLE }),
    { status: 'transactions: 1 dead letter' },
  ],
  [
    'a push that somebody triggered failed',
    keeper => insertRun(keeper, 'push', 'failed', 'products bad file (line 3)'),
    {
      status: 'push/downtown of 2026-04-03 failed: products bad file (line 3)',
      list: 'push/downtown of 2026-04-03 failed: products bad file (line 3)',
    },
  ],
  [
    'a night that somebody triggered waits for keys',
    keeper => insertRun(keeper, 'nightly', 'running', 'PARTNER_KEYS: the API refused the keys'),
    {
      status: 'nightly/downtown of 2026-04-03 waits: PARTNER_KEYS',
      list: 'nightly/downtown of 2026-04-03 waits: PARTNER_KEYS',
    },
  ],
  [
    'a night that somebody triggered wrote what was proven before, and waits for keys',
    keeper =>
      insertRun(
        keeper,
        'nightly',
        'running',
        '4 files; nothing new was read: PARTNER_KEYS: the API refused the keys',
      ),
    {
      status: 'nightly/downtown of 2026-04-03 waits: 4 files; nothing new was read: PARTNER_KEYS',
      list: 'nightly/downtown of 2026-04-03 waits: 4 files; nothing new was read: PARTNER_KEYS',
    },
  ],
  [
    'schedules are applied and no worker is up',
    keeper =>
      insert(keeper, 'schedules', {
        schedule_id: 'sweep/downtown',
        kind: 'sweep',
        store_id: 'downtown',
        settings: JSON.stringify({
          every: 'week',
          at: '04:00',
          jitterMinutes: 0,
          timeZone: 'UTC',
          does: {},
        }),
        since: '2999-01-01T00:00:00.000Z',
      }),
    { status: 'no worker is up', list: 'no worker is up' },
  ],
  [
    'tillage up works by other settings',
    keeper => insertProgram(keeper, null),
    { status: 'not those of tillage.yaml (', list: 'not those of tillage.yaml (' },
  ],
  [
    'tillage up could not take up new settings',
    keeper => insertProgram(keeper, 'stores needs at least one store'),
    { status: 'stores needs at least one store', list: 'stores needs at least one store' },
  ],
  ['a push waits for somebody who approves it', insertPlan, { status: 'PL-1 has waited for' }],
  [
    'the process of an apply died in the middle of it',
    insertDeadApply,
    { status: 'the apply of kim at till-1, begun 2026-04-04 00:00Z, was interrupted: 0 of 1' },
  ],
  [
    'nobody knows whether a write of a push arrived',
    async keeper => {
      await insertPlan(keeper)
      keeper.database.connection.exec("UPDATE outbound_operations SET state = 'unknown'")
    },
    { status: 'PL-1 has been parked with an unknown outcome' },
  ],
  [
    'others changed what was pushed',
    keeper =>
      insert(keeper, 'drift_looks', { store_id: 'downtown', at: LATER, records: 9, drifted: 2 }),
    { status: '2 of 9 pushed records were changed by others: tillage push drift' },
  ],
  [
    'a journal is held back',
    async keeper => {
      keeper.sales([{ ...T1, payments: [] }], { window: WHOLE })
      await keeper.journal()
    },
    { status: 'the journal of 2026-03-08 is held back: TIE_OUT' },
  ],
]

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

async function ask(keeper: Keeper) {
  return {
    status: await keeper.listen(false, context => status.run(context, {})),
    list: await keeper.listen(false, context => scheduleList(context, {})),
    coverage: await keeper.listen(false, context => coverage(context, {}, 'transactions')),
  }
}

test.each(SITUATIONS)(
  '%s: every command that is about it says so and ends with 3',
  async (...row) => {
    const [, prepare, said] = row
    const keeper = await bookkeeper()
    keeper.sales([T1], { window: WHOLE })
    for (const [name, one] of Object.entries(await ask(keeper)))
      expect([name, one.status]).toEqual([name, 0])
    await prepare(keeper)
    const told = await ask(keeper)
    for (const name of ['status', 'list', 'coverage'] as const) {
      const expected = said[name]
      expect([name, told[name].status]).toEqual([name, expected === undefined ? 0 : 3])
      if (expected !== undefined) expect(oneLine(told[name].stdout)).toContain(expected)
    }
  },
)

test('a plan that was interrupted is told, too, when its store has left tillage.yaml or has another id there', async () => {
  const keeper = await bookkeeper(['downtown', 'harbor'])
  await insertDeadApply(keeper)
  insert(keeper, 'stores', { store_id: 'downtown', time_zone: 'UTC', checked_at: LATER })
  const [, harbor] = keeper.config.stores
  keeper.reconfigure({ stores: [{ ...harbor, limits: undefined }] })
  const told = await keeper.listen(false, context => status.run(context, {}))
  expect(oneLine(told.stdout)).toContain('the apply of kim at till-1, begun 2026-04-04 00:00Z')
  expect(told.status).toBe(3)
})

test('a window that was proven again since is told no more', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1], { window: WHOLE })
  keeper.sales([], { window: WHOLE, status: 'unproven', readAt: LATER })
  expect((await ask(keeper)).coverage.status).toBe(3)
  const half = '2026-03-15T00:00:00.000Z'
  const again = { readAt: '2026-04-04T00:05:00.000Z' }
  keeper.sales([T1], { window: { ...WHOLE, end: half }, ...again })
  expect((await ask(keeper)).status.status).toBe(3)
  keeper.sales([], { window: { ...WHOLE, start: half }, ...again })
  const told = await ask(keeper)
  expect([told.coverage.status, told.status.status]).toEqual([0, 0])
})

test('status has the last reading and the last attempt of each store, in its JSON too', async () => {
  const keeper = await bookkeeper()
  keeper.sales([T1], { window: WHOLE })
  insert(keeper, 'attempts', { store_id: 'downtown', at: LATER, outcome: 'answered' })
  const { stdout } = await keeper.listen(false, context => status.run(context, {}))
  expect(stdout).toMatch(/last read +last attempt/)
  const json = await keeper.listen(true, context => status.run(context, {}))
  const { stores, notices } = JSON.parse(json.stdout) as { stores: object[]; notices: object[] }
  expect(stores).toMatchObject([
    { lastReadAt: '2026-03-08T00:00:00.000Z', lastAttempt: { at: LATER, outcome: 'answered' } },
  ])
  expect(notices.every(notice => 'next' in notice && 'severity' in notice)).toBe(true)
})
