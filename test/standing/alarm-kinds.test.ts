import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS, toIso } from '../../calendar/days.ts'
import type { DueLine } from '../../schedules/read-due.ts'
import { ALARM_KIND_NAMES, needsPerson } from '../../standing/alarm-kinds.ts'
import type { AlarmKindName } from '../../standing/alarm-kinds.ts'
import { judgeInstallation } from '../../standing/judge-installation.ts'
import type { InstallationFacts } from '../../standing/judge-installation.ts'
import { judgePlans } from '../../standing/judge-plans.ts'
import { judgeReading } from '../../standing/judge-reading.ts'
import type { ReadingFacts } from '../../standing/judge-reading.ts'
import { judgeRuns } from '../../standing/judge-runs.ts'
import { judgeBusiness } from '../../standing/judge-store.ts'
import type { BusinessFacts } from '../../standing/judge-store.ts'
import { TITLES } from '../../standing/notice.ts'
import type { Notice } from '../../standing/notice.ts'
import { installation } from '../notify/scene.ts'
import { UNREAD } from './unread-stream.ts'

/** What the judges are told of a thing, from the facts that open it; the first is healthy. */
const T0 = Date.parse('2026-03-02T11:30:00Z')
const LONG_AGO = toIso(T0 - 2 * DAY_MS)
const store = 'downtown'

const GOOD = { ...UNREAD, rows: 1, lastReadAt: LONG_AGO }
const readStream = (change: Partial<typeof UNREAD>): Notice[] =>
  judgeReading({ ...READ, streams: [{ ...GOOD, ...change }] })
const READ: ReadingFacts = {
  store,
  streams: [GOOD],
  attempt: undefined,
  clockSkewMs: 0,
  zoneProblem: undefined,
}
/** A scheduled run met it. */
const failedWith = (code: string): Notice[] => {
  const run = { kind: 'nightly', store, day: '2026-03-01', outcome: 'running', detail: '' } as const
  const times = { dueAt: LONG_AGO, deadlineAt: undefined, startedAt: LONG_AGO }
  const attempt = { store, at: toIso(T0), outcome: 'failed', code, failingSince: LONG_AGO } as const
  const runs = [{ ...run, ...times, finishedAt: undefined, attempts: 1 }]
  return judgeReading({ ...READ, attempt: { ...attempt, detail: 'no' }, runs })
}
const due = (change: Partial<DueLine>): Notice[] =>
  judgeRuns(
    [
      {
        schedule: `nightly/${store}`,
        store,
        timeZone: 'UTC',
        day: '2026-03-01',
        dueAt: LONG_AGO,
        deadlineAt: null,
        standing: 'done',
        overdue: false,
        since: LONG_AGO,
        detail: '',
        ...change,
      },
    ],
    [],
  )
const BUSINESS: BusinessFacts = {
  store,
  unposted: { days: [], notComputed: 0 },
  held: [],
  unfinished: [],
  restated: [],
  chart: undefined,
  drift: undefined,
  reconcile: undefined,
  clocks: [],
  earlyNight: undefined,
}
const business = (change: Partial<BusinessFacts>): Notice[] =>
  judgeBusiness({ ...BUSINESS, ...change })
const INSTALLED: InstallationFacts = {
  start: 'tillage up',
  temporalAddress: undefined,
  workerIsUp: true,
  stranded: [],
  missingRoles: [],
  isServerGone: false,
  activeSchedules: 1,
  notApplied: [],
  logBytes: 0,
  disk: { holds: 'database', freeBytes: 2e9, neededBytes: 1e9 },
  failing: [],
}
const installed = (change: Partial<InstallationFacts>): Notice[] =>
  judgeInstallation({ ...INSTALLED, ...change })
const plan = (why: 'not approved' | 'parked'): Notice[] =>
  judgePlans(store, [{ plan: 'P-1', kind: 'push', why, detail: '1', since: LONG_AGO }], T0)
const revision = { day: '2026-02-20', number: 'J-1', amount: '4.00', at: toIso(T0) }
const overdue = { overdue: true } as const

const OPENERS: Readonly<Record<AlarmKindName, () => Notice[]>> = {
  night_at_risk: () => due({ standing: 'at risk', detail: 'transactions unproven' }),
  night_missed: () => due({ standing: 'missed', ...overdue }),
  night_failed: () => due({ standing: 'failed', ...overdue }),
  journal_held: () => business({ held: [{ day: '2026-03-01', why: 'UNBALANCED', counted: '1' }] }),
  day_restated: () => business({ restated: [{ night: '2026-03-01', revisions: [revision] }] }),
  unproven: () => readStream({ unproven: 1, unprovenSince: LONG_AGO }),
  keys_refused: () => failedWith('PARTNER_KEYS'),
  permission_lost: () => failedWith('PARTNER_PERMISSION'),
  store_unreachable: () => failedWith('PARTNER_UNREACHABLE'),
  disk_low: () => installed({ disk: { holds: 'database', freeBytes: 1, neededBytes: 2 } }),
  approval_waiting: () => plan('not approved'),
  write_parked: () => plan('parked'),
  shape_changed: () => readStream({ shapeChanges: [{ detail: 'a field', since: LONG_AGO }] }),
  dead_letters: () => readStream({ deadLetters: 1 }),
  reconciliation_due: () =>
    business({
      reconcile: {
        days: 40,
        limit: 30,
        isOverdue: true,
        dueAt: '2026-03-01T00:00:00.000Z',
        attention: ['40 days'],
      },
    }),
  discrepancy_clock: () =>
    business({ clocks: [{ audit: 'AU-1', text: 'AU-1', leftMs: HOUR_MS, dueAt: toIso(T0) }] }),
  schedule_paused: () => due({ standing: 'paused', ...overdue }),
  backup_old: () =>
    due({ schedule: `backup/${store}`, standing: 'failed', detail: 'no folder', ...overdue }),
  delivery_failed: () => installed({ failing: [{ channel: 'mail', since: LONG_AGO, detail: '' }] }),
}

test('a backup that failed is made once more by the schedule that makes it', () => {
  expect(OPENERS.backup_old()[0]!.next).toEqual([
    { does: 'makes one now', command: `tillage schedule trigger backup/${store}` },
  ])
})

test.each(ALARM_KIND_NAMES)('%s opens once, is told again after a day, and closes once', kind => {
  const here = installation()
  const told = [
    ...here.tell(OPENERS[kind](), T0),
    ...here.tell(OPENERS[kind](), T0 + MINUTE_MS),
    ...here.tell(OPENERS[kind](), T0 + DAY_MS),
    ...here.tell([], T0 + DAY_MS + MINUTE_MS),
  ]
  expect(told.map(one => [one.kind, one.state])).toEqual([
    [kind, 'opened'],
    [kind, 'again'],
    [kind, 'closed'],
  ])
  expect(new Set(told.map(({ id }) => id)).size).toBe(1)
  for (const { link, text } of told)
    expect([link, text]).toEqual([`docs/alarms.md#${kind}`, expect.stringMatching(/\w/)])
})

test('where nothing is wrong no judge says anything', () => {
  expect([...due({}), ...readStream({}), ...business({}), ...installed({})]).toEqual([])
})

test('what has to stand for a while first calls nobody before', () => {
  const early = toIso(T0 - 29 * MINUTE_MS)
  const young = [
    ...readStream({ unproven: 1, unprovenSince: early }),
    ...due({ standing: 'paused', since: early, ...overdue }),
    ...installed({ failing: [{ channel: 'mail', since: early, detail: '' }] }),
  ]
  expect(young.map(({ kind }) => kind)).toEqual(['unproven', 'schedule_paused', 'delivery_failed'])
  expect(installation().tell(young, T0)).toEqual([])
})

test('keys that lacked a permission and are refused then are one thing that got worse', () => {
  const here = installation()
  const told = [
    ...here.tell(failedWith('PARTNER_PERMISSION'), T0),
    ...here.tell(failedWith('PARTNER_KEYS'), T0 + HOUR_MS),
  ]
  expect(told.map(one => `${one.kind} ${one.state}`)).toEqual([
    'permission_lost opened',
    'keys_refused worse',
  ])
})

/** Each with why somebody who looks at `status` is early enough. */
const CALLS_NOBODY: Readonly<Record<string, string>> = {
  never_read: 'somebody is setting it up',
  left_settings: 'somebody took it out',
  gap: 'nobody asked for it yet',
  clock_wrong: 'what it keeps from being proven is unproven or a night',
  zone_wrong: 'the night that it holds calls',
  reading_failed: 'the night that it holds calls',
  run_missed: 'no books wait for it',
  run_failed: 'no books wait for it',
  night_early: 'somebody chose the time',
  day_changed: 'the next night revises it, and that calls',
  day_unfinished: 'it may be under way; a night that fails is called for',
  chart_changed: 'somebody changed it',
  drift: 'nothing is sent because of it',
  worker_missing: 'nobody is there to call: the heartbeat',
  role_missing: 'the night that it holds up calls',
  work_stranded: 'nobody is there to call: the heartbeat',
  settings_not_applied: 'somebody changed them',
  log_long: 'it ends with its reader',
}

test('whatever can stand open calls somebody, or is in the list of what does not', () => {
  expect([...ALARM_KIND_NAMES, ...Object.keys(CALLS_NOBODY)].toSorted()).toEqual(
    Object.keys(TITLES).toSorted(),
  )
})

test('a hint needs nobody, unless it calls somebody all the same, or a clock runs', () => {
  const of = (kind: Notice['kind'], severity: Notice['severity']) => needsPerson({ kind, severity })
  expect([of('shape_changed', 'hint'), of('day_restated', 'hint')]).toEqual([true, true])
  expect(of('discrepancy_clock', 'hint')).toBe(true)
  expect([of('gap', 'hint'), of('gap', 'warning')]).toEqual([false, true])
})
