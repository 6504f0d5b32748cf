import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, toIso } from '../../calendar/days.ts'
import type { KnownRun } from '../../connectors/destination/runs.ts'
import type { DueLine } from '../../schedules/read-due.ts'
import { judgeInstallation } from '../../standing/judge-installation.ts'
import type { InstallationFacts } from '../../standing/judge-installation.ts'
import { judgeStreams } from '../../standing/judge-reading.ts'
import { judgeRuns } from '../../standing/judge-runs.ts'
import { judgeBusiness } from '../../standing/judge-store.ts'
import { needsSomebody } from '../../standing/notice.ts'
import { judgeStoreRuns } from '../../standing/read-store.ts'
import type { StreamStatus } from '../../standing/stream-status.ts'
import { takesUp } from '../../temporal/find-stranded.ts'
import { UNREAD } from './unread-stream.ts'

const GOOD: StreamStatus = { ...UNREAD, rows: 1, lastReadAt: toIso(DAY_MS) }

const textsOf = (streams: readonly StreamStatus[], due: readonly DueLine[]): string[] =>
  [...judgeRuns(due, []), ...judgeStreams('downtown', streams)].map(({ text }) => text)

const NIGHT = {
  schedule: 'nightly/downtown',
  store: 'downtown',
  timeZone: 'UTC',
  day: '2026-03-01',
  dueAt: '',
  deadlineAt: null,
  since: '',
}

test('what is overdue comes before what is not proven, and nothing is said where nothing is wrong', () => {
  const overdue = {
    ...NIGHT,
    standing: 'missed' as const,
    overdue: true,
    detail: 'transactions unproven',
  }
  expect(
    textsOf(
      [GOOD, { ...GOOD, stream: 'members', unproven: 2, deadLetters: 1 }],
      [overdue, { ...overdue, overdue: false }],
    ),
  ).toEqual([
    'nightly/downtown of 2026-03-01 missed: transactions unproven',
    'members: 2 windows not proven',
    'members: 1 dead letter',
  ])
  expect(textsOf([GOOD], [])).toEqual([])
  expect(textsOf([{ ...GOOD, lastReadAt: null }], [])).toEqual(['nothing was read yet'])
})

test('a night that waits for somebody, or is short of time, needs attention before it is missed', () => {
  const night = {
    ...NIGHT,
    standing: 'running' as const,
    overdue: false,
    detail: 'JOURNAL_HELD: it does not tie out',
  }
  const busy = { ...night, detail: 'PARTNER_UNAVAILABLE: the API failed' }
  expect(textsOf([GOOD], [night, busy])).toEqual([
    'nightly/downtown of 2026-03-01 waits: JOURNAL_HELD: it does not tie out',
  ])
  expect(textsOf([GOOD], [{ ...busy, standing: 'at risk' }])).toEqual([
    'nightly/downtown of 2026-03-01 may be late: PARTNER_UNAVAILABLE: the API failed',
  ])
  const full = { ...night, detail: 'DATABASE_FULL: the disk that holds exports is full' }
  expect(textsOf([GOOD], [full])).toHaveLength(1)
  expect(textsOf([GOOD], [{ ...night, detail: '' }])).toEqual([])
})

const runOf = (day: string, startedAt: string, change: Partial<KnownRun> = {}): KnownRun => ({
  kind: 'nightly',
  store: 'downtown',
  day,
  startedAt,
  dueAt: startedAt,
  deadlineAt: undefined,
  finishedAt: startedAt,
  outcome: 'failed',
  attempts: 1,
  detail: `why ${day}`,
  ...change,
})

const toldOf = (runs: readonly KnownRun[]): string[] =>
  judgeStoreRuns({
    store: 'downtown',
    nowMs: Date.parse('2026-11-28T20:00:00.000Z'),
    due: [],
    runs,
  }).map(({ text }) => text)

test('a backup that failed is over once a later one was made; a night that failed is not', () => {
  const at = '2026-11-28T19:00:00.000Z'
  const outcomes = (kind: KnownRun['kind']): KnownRun[] => [
    runOf('2026-11-26', at, { kind, outcome: 'done' }),
    runOf('2026-11-25', at, { kind }),
  ]
  expect(toldOf(outcomes('backup'))).toEqual([])
  expect(toldOf(outcomes('backup').slice(1))).toHaveLength(1)
  expect(toldOf(outcomes('nightly'))).toHaveLength(1)
})

test('of nights that were asked for together and failed, one line names the days', () => {
  const lately = '2026-11-28T19:00:00.000Z'
  const told = (days: readonly string[], rest: readonly KnownRun[] = []): string[] =>
    toldOf([...days.map(day => runOf(day, lately)), ...rest])
  expect(told(['2026-11-25'])).toEqual(['nightly/downtown of 2026-11-25 failed: why 2026-11-25'])
  expect(told(['2026-11-25', '2026-11-24'])).toEqual([
    'nightly/downtown of 2026-11-25 and 2026-11-24 failed: why 2026-11-25',
  ])
  const days = ['2026-11-05', '2026-11-04', '2026-11-03', '2026-11-02', '2026-11-01']
  expect(told(days)).toEqual([
    'nightly/downtown of 2026-11-05, 2026-11-04, 2026-11-03 and 2 more failed: why 2026-11-05',
  ])
  // What failed weeks ago is told of the newest day alone, and of no other store.
  const old = runOf('2026-10-01', '2026-10-02T00:00:00.000Z')
  expect(told([], [old, { ...old, day: '2026-09-30' }])).toEqual([
    'nightly/downtown of 2026-10-01 failed: why 2026-10-01',
  ])
  expect(told(['2026-11-25'], [old, { ...old, store: 'harbor' }])).toHaveLength(1)
  expect(told(['2026-11-25'], [old])).toEqual(told(['2026-11-25']))
})

/** An installation of which there is nothing to tell. */
const QUIET: InstallationFacts = {
  start: 'tillage up',
  temporalAddress: undefined,
  workerIsUp: true,
  stranded: [],
  missingRoles: [],
  isServerGone: false,
  activeSchedules: 0,
  notApplied: [],
  logBytes: 0,
  disk: { holds: 'database', freeBytes: 2e9, neededBytes: 1e9 },
  failing: [],
}

test.each([
  [undefined, 'tillage worker'],
  ['1.0', 'tillage worker move 1.0'],
])(
  'work that no worker continues is told with what continues it, of release %s',
  (pin, command) => {
    const work = { workflowId: 'sync/downtown', ...(pin === undefined ? {} : { pinnedTo: pin }) }
    const [notice, ...others] = judgeInstallation({
      ...QUIET,
      start: 'tillage worker',
      stranded: [work],
    })
    expect(others).toEqual([])
    expect(notice).toMatchObject({ kind: 'work_stranded', severity: 'critical' })
    expect(notice!.next).toMatchObject([{ command }])
    expect(notice!.text).toContain(command)
  },
)

test('work that is pinned to a release is continued by workers of that release alone', () => {
  const pollers = [{ buildId: '1.1' }, { buildId: '' }]
  const taken = (work: { pinnedTo?: string }) => pollers.map(one => takesUp(one, work))
  expect(taken({ pinnedTo: '1.1' })).toEqual([true, false])
  expect(taken({ pinnedTo: '1.0' })).toEqual([false, false])
  expect(taken({})).toEqual([true, true])
})

test('a role that no worker has is told with what to start, where something is scheduled', () => {
  const cluster = { ...QUIET, start: 'tillage worker', activeSchedules: 1 }
  const [notice, ...others] = judgeInstallation({ ...cluster, missingRoles: ['export'] })
  expect(others).toEqual([])
  // A sync that is typed where nothing is scheduled lacks nobody.
  expect(judgeInstallation({ ...QUIET, missingRoles: ['export'] })).toEqual([])
  expect(notice).toMatchObject({ kind: 'role_missing', severity: 'critical', object: 'export' })
  expect(notice!.next).toMatchObject([{ command: 'tillage worker --role export' }])
})

test('a server of Temporal that does not answer is told with what to do: it is started anew, or seen to', () => {
  const gone = { ...QUIET, isServerGone: true }
  expect(judgeInstallation(gone)[0]).toMatchObject({
    kind: 'worker_missing',
    next: [{ command: 'tillage up' }],
  })
  const elsewhere = { ...gone, temporalAddress: 'temporal.example:7233' }
  // Without schedules nothing waits for it.
  expect(judgeInstallation(elsewhere)).toEqual([])
  const [notice] = judgeInstallation({ ...elsewhere, activeSchedules: 1 })
  expect(notice!.text).toContain('see to the server at temporal.example:7233')
  expect(notice!.next).toMatchObject([{ command: 'tillage doctor' }])
})

test('a log that somebody keeps long is a hint, which changes no exit status', () => {
  expect(judgeInstallation({ ...QUIET, logBytes: 255_999_999 })).toEqual([])
  const notices = judgeInstallation({ ...QUIET, logBytes: 1_500_000_000 })
  expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('1500 MB')])
  expect(needsSomebody(notices)).toBe(false)
})

test('a discrepancy that has to be reported is open since its time was over, and before that since never', () => {
  const dueAt = '2026-03-02T10:00:00.000Z'
  const facts = {
    store: 'downtown',
    unposted: { days: [], notComputed: 0 },
    held: [],
    unfinished: [],
    restated: [],
    chart: undefined,
    drift: undefined,
    reconcile: undefined,
    earlyNight: undefined,
  }
  const noticeOf = (leftMs: number) =>
    judgeBusiness({ ...facts, clocks: [{ audit: 'AU-1', text: 'AU-1', leftMs, dueAt }] })[0]!
  expect(noticeOf(0)).toMatchObject({ since: dueAt, severity: 'critical' })
  expect(noticeOf(6 * HOUR_MS)).toMatchObject({ since: null, severity: 'warning' })
  expect(noticeOf(DAY_MS)).toMatchObject({ since: null, severity: 'hint' })
})

test('the disk of a server is not known here, and no machine tells of its own instead', () => {
  const low = { holds: 'exports', freeBytes: 1, neededBytes: 2 } as const
  expect(judgeInstallation({ ...QUIET, disk: low })).toMatchObject([
    { kind: 'disk_low', text: expect.stringContaining('the disk that holds the exports') },
  ])
  expect(judgeInstallation({ ...QUIET, disk: undefined })).toEqual([])
})
