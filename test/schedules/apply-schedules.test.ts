import type { ScheduleSpec } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS, toIso } from '../../calendar/days.ts'
import { applySchedules } from '../../schedules/apply-schedules.ts'
import type { ScheduleChange } from '../../schedules/apply-schedules.ts'
import { readDue } from '../../schedules/read-due.ts'
import { calendarsFor, dueTimes } from '../../schedules/rules/calendars.ts'
import type { Timing } from '../../schedules/rules/calendars.ts'
import { asSqlite } from '../connectors/sqlite/as-sqlite.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'

let running: Running
beforeAll(async () => {
  running = await startRunning({ stores: 2 })
})
afterAll(() => running.close())

const NEVER = { sweep: { every: 'never' }, check: { every: 'never' } }
const apply = (schedules: object, change: { stores?: unknown[] } = {}): Promise<ScheduleChange[]> =>
  applySchedules(
    running.worker,
    running.reconfigure({ schedules, ...change }),
    () => {},
    new AbortController().signal,
  )
const brief = (changes: ScheduleChange[]): string[] =>
  changes
    .map(({ id, change, details }) =>
      [id, change, ...details.map(detail => `${detail.what} ${detail.old} -> ${detail.new}`)].join(
        ' ',
      ),
    )
    .toSorted()
const onServer = async (): Promise<string[]> => {
  const ids: string[] = []
  for (const id of ['nightly/downtown', 'nightly/harbor', 'sweep/downtown', 'check/downtown'])
    if (
      await running.worker.client.schedule
        .getHandle(id)
        .describe()
        .then(
          () => true,
          () => false,
        )
    )
      ids.push(id)
  return ids
}

describe('apply', () => {
  test('makes what is missing, in the zone that each store says it is in', async () => {
    const changes = await apply({ nightly: { at: '02:30' }, ...NEVER })
    expect(brief(changes)).toEqual(['nightly/downtown created', 'nightly/harbor created'])
    expect(changes.map(({ now }) => now)).toEqual([
      'every day at 02:30 (America/Los_Angeles)',
      'every day at 02:30 (America/New_York)',
    ])
    const harbor = running.worker.client.schedule.getHandle('nightly/harbor')
    const { spec, action } = await harbor.describe()
    // Stores take turns in what schedules start, too.
    expect(action.priority).toMatchObject({ priorityKey: 3, fairnessKey: 'harbor' })
    expect(spec.timezone).toBe('UTC')
    expect(spec.calendars?.map(({ hour }) => hour[0]!.start)).toContain(7)
    expect(spec.calendars?.map(({ hour }) => hour[0]!.start)).toContain(6)
  })

  test('of several at the same moment, one makes each schedule and the others find it', async () => {
    const all = { nightly: { at: '02:30' }, sweep: { every: 'weekly' }, check: { every: 'daily' } }
    await apply({ nightly: { every: 'never' }, ...NEVER })
    const several = await Promise.all([1, 2, 3, 4].map(() => apply(all)))
    const created = several.flat().filter(({ change }) => change === 'created')
    expect(created.map(({ id }) => id).toSorted()).toEqual([
      'check/downtown',
      'check/harbor',
      'nightly/downtown',
      'nightly/harbor',
      'sweep/downtown',
      'sweep/harbor',
    ])
    expect(several.flat().filter(({ change }) => change === 'changed')).toEqual([])
    await apply({ nightly: { at: '02:30' }, ...NEVER })
  })

  test('changes nothing where nothing changed', async () => {
    expect(brief(await apply({ nightly: { at: '02:30' }, ...NEVER }))).toEqual([
      'nightly/downtown unchanged',
      'nightly/harbor unchanged',
    ])
    const all = { nightly: { at: '02:30' }, sweep: { every: 'weekly' }, check: { every: 'daily' } }
    await apply(all)
    const again = await apply(all)
    expect(again).toHaveLength(6)
    expect(again.filter(({ change }) => change !== 'unchanged')).toEqual([])
    await apply({ nightly: { at: '02:30' }, ...NEVER })
  })

  test('says what changed, from the old to the new', async () => {
    const changes = await apply({
      nightly: { at: '03:00', deadline: '05:00', export: ['vendors'] },
      ...NEVER,
      sweep: { every: 'monthly' },
    })
    expect(brief(changes).filter(line => line.includes('downtown'))).toEqual([
      'nightly/downtown changed at 02:30 -> 03:00 export none -> vendors formats none -> parquet, csv deadline none -> 05:00',
      'sweep/downtown created',
    ])
  })

  test('puts back what somebody changed in Temporal itself, and leaves a pause alone', async () => {
    const settings = {
      nightly: { at: '03:00', deadline: '05:00', export: ['vendors'] },
      ...NEVER,
      sweep: { every: 'monthly' },
    }
    const handle = running.worker.client.schedule.getHandle('nightly/downtown')
    await handle.pause('stocktaking')
    await handle.update(current => ({ ...current, spec: { calendars: [{ hour: 12 }] } }))
    expect(brief(await apply(settings))).toContain(
      'nightly/downtown changed in Temporal something else -> as in tillage.yaml',
    )
    const { state, info } = await handle.describe()
    expect(state).toMatchObject({ paused: true, note: 'stocktaking' })
    expect(info.nextActionTimes[0]!.toISOString()).toMatch(/T1[01]:0\d:/)
    await handle.unpause()
  })

  test('makes a schedule that Temporal has lost anew, paused as it was', async () => {
    const settings = { nightly: { at: '03:00' }, ...NEVER, sweep: { every: 'monthly' } }
    await apply(settings)
    const handle = running.worker.client.schedule.getHandle('nightly/downtown')
    await handle.pause('stocktaking')
    await apply(settings)
    const known = async () =>
      (await running.worker.dependencies.destination.schedules.all()).find(
        ({ id }) => id === 'nightly/downtown',
      )
    const before = await known()
    expect(before?.pausedAt).toBeDefined()
    await handle.delete()
    expect(brief(await apply(settings))).toContain('nightly/downtown created')
    expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'stocktaking' })
    expect(await known()).toMatchObject({ pausedAt: before!.pausedAt, note: 'stocktaking' })
    await handle.unpause()
    await apply(settings)
    expect((await known())?.pausedAt).toBeUndefined()
  })

  test('removes those of its own that are no longer wanted, and no others', async () => {
    await running.worker.client.schedule.create({
      scheduleId: 'nightly/somebody-else',
      spec: { calendars: [{ hour: 1 }] },
      action: { type: 'startWorkflow', workflowType: 'other', taskQueue: 'other' },
    })
    const changes = await apply({ nightly: { at: '03:00' }, ...NEVER })
    expect(
      changes
        .filter(({ change }) => change === 'removed')
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(['sweep/downtown', 'sweep/harbor'])
    expect(await onServer()).toEqual(['nightly/downtown', 'nightly/harbor'])
    expect(
      (await running.worker.client.schedule.getHandle('nightly/somebody-else').describe()).action
        .workflowType,
    ).toBe('other')
  })
})

describe('Temporal itself', () => {
  const [from, until] = ['2026-12-01T00:00:00Z', '2027-12-01T00:00:00Z'].map(iso => new Date(iso))
  /** Its type asks for a Long, which the SDK does not pass on; a number does. */
  const timestamp = (date: Date) => ({ seconds: (date.getTime() / 1000) as never })
  const timesOf = async (scheduleId: string, spec: ScheduleSpec): Promise<number[]> => {
    const { client } = running.worker
    await client.schedule.create({
      scheduleId,
      spec,
      action: { type: 'startWorkflow', workflowType: 'never', taskQueue: 'never' },
    })
    const { startTime } = await client.workflowService.listScheduleMatchingTimes({
      namespace: client.options.namespace,
      scheduleId,
      startTime: timestamp(from!),
      endTime: timestamp(until!),
    })
    return startTime.map(({ seconds }) => Number(seconds) * 1000)
  }
  const dueOf = (timing: Timing): number[] => dueTimes(timing, from!.getTime(), until!.getTime())

  test.each([
    ['America/Los_Angeles', '01:30'],
    ['America/Los_Angeles', '02:30'],
    ['Europe/Berlin', '01:30'],
    ['Europe/Berlin', '02:30'],
    ['Europe/Dublin', '00:45'],
    ['Australia/Lord_Howe', '01:15'],
    ['Asia/Gaza', '00:00'],
    ['Africa/Casablanca', '03:30'],
  ])('starts one night a day, at our times, for %s at %s', async (timeZone, at) => {
    const timing: Timing = { at, timeZone, every: 'daily' }
    const calendars = calendarsFor(timing, 2026)
    const times = await timesOf(`ours ${timeZone} ${at}`, { calendars, timezone: 'UTC' })
    expect(times).toHaveLength(365)
    expect(times.map(toIso)).toEqual(dueOf(timing).map(toIso))
  })

  test('left to read the zone starts a night twice, an hour before the one that is repeated', async () => {
    const timing: Timing = { at: '01:30', timeZone: 'Europe/Berlin', every: 'daily' }
    const calendars = [{ hour: 1, minute: 30 }]
    const times = await timesOf('theirs', { calendars, timezone: timing.timeZone })
    const ours = dueOf(timing)
    expect(times.filter(ms => !ours.includes(ms)).map(toIso)).toEqual(['2027-10-31T00:30:00.000Z'])
  })
})

describe('what is due', () => {
  const standings = async (nowMs: number): Promise<string[]> =>
    (await readDue(running.worker.dependencies.destination, { nowMs, workerIsUp: true }))
      .filter(({ schedule }) => schedule === 'nightly/downtown')
      .map(({ day, standing, overdue }) => `${day} ${standing}${overdue ? '!' : ''}`)

  test('is read from the database alone: nights that never started, were in time, or were late', async () => {
    await apply({ nightly: { at: '03:00', deadline: '05:00' }, ...NEVER })
    const { db, execute } = asSqlite(running.worker.dependencies.destination)
    await execute(
      db
        .updateTable('schedules')
        .set({ since: '2026-03-05T00:00:00.000Z' })
        .where('schedule_id', '=', 'nightly/downtown')
        .compile(),
    )
    const done = (day: string, finished: string) =>
      db
        .insertInto('runs')
        .values({
          kind: 'nightly',
          store_id: 'downtown',
          day,
          due_at: finished,
          deadline_at: null,
          started_at: toIso(Date.parse(finished) - 60_000),
          finished_at: finished,
          outcome: 'done',
          attempts: 1,
          detail: '',
        })
        .compile()
    await execute(done('2026-03-04', '2026-03-05T11:30:00.000Z'))
    await execute(done('2026-03-06', '2026-03-07T14:00:00.000Z'))
    const nowMs = Date.parse('2026-03-07T18:00:00Z')
    expect(await standings(nowMs)).toEqual([
      '2026-03-05 missed!',
      '2026-03-06 done late',
      '2026-03-07 waiting',
    ])
    expect(await standings(Date.parse('2026-03-08T11:55:00Z'))).toContain('2026-03-07 not started!')
    expect(await standings(nowMs + 40 * DAY_MS)).toHaveLength(15)
  })

  test('a night that somebody ended in Temporal failed; one that goes on there runs', async () => {
    await apply({ nightly: { at: '03:00' }, ...NEVER })
    const { destination } = running.worker.dependencies
    const { db, execute } = asSqlite(destination)
    const startedAt = '2026-04-08T10:00:05.000Z'
    const due = { dueAt: '2026-04-08T10:00:00.000Z', deadlineAt: undefined, startedAt }
    await destination.runs.begin({ kind: 'nightly', store: 'downtown', day: '2026-04-07', ...due })
    const since = { since: '2026-04-08T00:00:00.000Z' }
    await execute(db.updateTable('schedules').set(since).compile())
    const standing = async (open: string[] | undefined, afterMs = 5 * 60_000) => {
      const nowMs = Date.parse(startedAt) + afterMs
      const lines = await readDue(destination, { nowMs, workerIsUp: true, open })
      const { standing: stands, overdue, detail } = lines.find(({ day }) => day === '2026-04-07')!
      return [stands, overdue, detail]
    }
    expect(await standing(undefined)).toEqual(['running', false, ''])
    expect(await standing(['scheduled/nightly/downtown-2026-04-08T10:00:00Z'])).toContain('running')
    expect(await standing(['night/downtown/2026-04-07'])).toContain('running')
    expect(await standing([], 10_000)).toContain('running')
    const ended = ['failed', true, 'it was ended in Temporal before it was done']
    expect(await standing([])).toEqual(ended)
    expect(await standing(['scheduled/nightly/harbor-2026-04-08T10:00:00Z'])).toEqual(ended)
  })

  test('a night that was triggered for an earlier day is listed while it is under way', async () => {
    await apply({ nightly: { at: '03:00', deadline: '05:00' }, ...NEVER })
    const { destination } = running.worker.dependencies
    const { db, execute } = asSqlite(destination)
    await execute(db.updateTable('schedules').set({ since: '2026-05-10T00:00:00.000Z' }).compile())
    const due = { dueAt: '2026-05-14T18:00:00.000Z', deadlineAt: undefined }
    const run = { kind: 'nightly', store: 'downtown', day: '2026-04-30' } as const
    await destination.runs.begin({ ...run, ...due, startedAt: due.dueAt })
    const detail = 'transactions unproven'
    await destination.runs.note(run, { detail, at: due.dueAt })
    const lineOf = async (now: string) => {
      const lines = await readDue(destination, { nowMs: Date.parse(now), workerIsUp: true })
      return lines.find(({ day }) => day === run.day)
    }
    expect(await lineOf('2026-05-14T18:05:00.000Z')).toMatchObject({
      dueAt: due.dueAt,
      deadlineAt: null,
      standing: 'running',
      overdue: false,
      detail,
    })
    expect(await lineOf('2026-05-30T18:05:00.000Z')).toBeUndefined()
    await destination.runs.note(run, { outcome: 'done', at: due.dueAt, detail: '' })
    expect(await lineOf('2026-05-14T18:05:00.000Z')).toBeUndefined()
  })

  test('a night that fails before it is due is open since it was begun', async () => {
    await apply({ nightly: { at: '03:00' }, ...NEVER })
    const { destination } = running.worker.dependencies
    const { db, execute } = asSqlite(destination)
    await execute(db.updateTable('schedules').set({ since: '2026-06-10T00:00:00.000Z' }).compile())
    const startedAt = '2026-06-12T01:00:00.000Z'
    const run = { kind: 'nightly', store: 'downtown', day: '2026-06-11' } as const
    await destination.runs.begin({ ...run, dueAt: startedAt, deadlineAt: undefined, startedAt })
    await destination.runs.note(run, { outcome: 'failed', at: startedAt, detail: 'no' })
    const at = { nowMs: Date.parse('2026-06-12T01:05:00.000Z'), workerIsUp: true }
    const [line] = (await readDue(destination, at)).filter(({ day }) => day === run.day)
    expect(line).toMatchObject({ overdue: true, since: startedAt })
    expect(Date.parse(line!.dueAt)).toBeGreaterThan(at.nowMs)
  })

  test('a night that has begun and is short of time, or of a worker for its files, says so', async () => {
    await apply({ nightly: { at: '03:00', deadline: '05:00' }, ...NEVER })
    const { destination } = running.worker.dependencies
    const { db, execute } = asSqlite(destination)
    await execute(db.updateTable('schedules').set({ since: '2026-04-10T00:00:00.000Z' }).compile())
    const due = { dueAt: '2026-04-10T10:00:00.000Z', deadlineAt: '2026-04-10T12:00:00.000Z' }
    const run = { kind: 'nightly', store: 'downtown', day: '2026-04-09' } as const
    await destination.runs.begin({ ...run, ...due, startedAt: due.dueAt })
    const standing = async (now: string, missingRoles: string[] = []) => {
      const moment = { nowMs: Date.parse(now), workerIsUp: true, missingRoles }
      const lines = await readDue(destination, moment)
      const { standing: stands, detail } = lines.find(({ day }) => day === run.day)!
      return [stands, detail]
    }
    expect(await standing('2026-04-10T11:30:00.000Z')).toEqual(['running', ''])
    expect(await standing('2026-04-10T11:59:00.000Z')).toEqual([
      'at risk',
      'less time is left until its deadline than such a night may still take',
    ])
    expect(await standing('2026-04-10T10:05:00.000Z', ['export'])).toEqual([
      'at risk',
      'no worker has the role export, so its files are not written',
    ])
  })

  test('nights that were due while Temporal had lost its schedules are told as missed', async () => {
    const overdue = async (): Promise<string[]> => {
      const nowMs = Date.parse('2026-07-10T12:00:00.000Z')
      const due = await readDue(destination, { nowMs, workerIsUp: true, open: [] })
      return due.filter(line => line.overdue).map(({ store, day }) => `${store} ${day}`)
    }
    const { destination } = running.worker.dependencies
    await apply({ nightly: { at: '03:00' }, ...NEVER })
    const { db, execute } = asSqlite(destination)
    await execute(db.updateTable('schedules').set({ since: '2026-07-08T00:00:00.000Z' }).compile())
    const missed = await overdue()
    expect(missed).toContain('downtown 2026-07-08')
    await running.worker.client.schedule.getHandle('nightly/downtown').delete()
    await apply({ nightly: { at: '03:00' }, ...NEVER })
    expect(await overdue()).toEqual(missed)
  })
})
