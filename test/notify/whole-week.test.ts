import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../calendar/days.ts'
import { tellOpen } from '../../commands/up/tell-open.ts'
import type { Watched } from '../../commands/up/tell-open.ts'
import type { NoticeDocument } from '../../notify/document.ts'
import { applySchedules } from '../../schedules/apply-schedules.ts'
import { nightOrder } from '../../schedules/orders.ts'
import { deliverId } from '../../workflows/ids.ts'
import { control, waitFor } from '../helpers/project.ts'
import { startRunning } from '../helpers/running.ts'
import type { Running } from '../helpers/running.ts'
import { receiveWeb } from './receivers.ts'
import type { WebReceiver } from './receivers.ts'
import { workerIsUp } from './scene.ts'

/**
 * A week on a whole installation whose clock is turned by hand: database, API, Temporal and
 * receivers are real, and nights start when this clock says so. 2026-03-09 is a Monday; downtown is
 * in Los Angeles (UTC-7, nights at 10:30Z, due 12:00Z), harbor in New York (07:30Z, 09:00Z).
 */
const SETTINGS = {
  schedules: {
    nightly: { deadline: '05:00' },
    ...Object.fromEntries(['sweep', 'check', 'audit'].map(kind => [kind, { every: 'never' }])),
  },
}
const EVERY_MS = 3 * HOUR_MS
const QUIET = { from: '22:00', to: '07:00', zone: 'America/Los_Angeles' }

let running: Running
let web: WebReceiver
let isOpsUp = true
let nowMs = Date.parse('2026-03-09T00:00:00Z')
let watched: Watched

beforeAll(async () => {
  web = await receiveWeb(path => (path === '/ops' && !isOpsUp ? 503 : 200))
  const channels = ['ops', 'mail'].map(id => ({ id, url: `${web.url}/${id}` }))
  const notify = { channels, quiet: QUIET, heartbeat: `${web.url}/heartbeat` }
  running = await startRunning(
    { stores: 2, days: 10, until: '2026-03-17', transactionsPerDay: 4 },
    { ...SETTINGS, notify },
  )
  const { worker, config } = running
  worker.dependencies.now = () => nowMs
  await applySchedules(worker, config, () => {}, new AbortController().signal)
  // Temporal's own clock may come to the hour of a night, too.
  for (const { id } of config.stores)
    await worker.client.schedule.getHandle(`nightly/${id}`).pause()
  const pauses = { firstMs: 200, longestMs: 400 }
  // After the schedules, which find their own.
  worker.dependencies.findOrder = (_kind, store) => {
    const found = config.stores.find(({ id }) => id === store)!
    return { ...nightOrder(config, found), streams: ['transactions'], pauses } as never
  }
  watched = { config, worker, knownWorker: workerIsUp, firstSeen: new Map() }
})
afterAll(async () => {
  await running.close()
  await web.close()
})

const kept = () => running.worker.dependencies.destination.notices

/** It is told every three hours, and then; everything is sent before the clock goes on. */
async function until(iso: string): Promise<void> {
  const toMs = Date.parse(iso)
  while (nowMs < toMs) {
    nowMs = Math.min(toMs, (Math.floor(nowMs / EVERY_MS) + 1) * EVERY_MS)
    await tellOpen(watched, new AbortController().signal)
    await waitFor(async () => {
      const waiting = await kept().waiting()
      const isTried = waiting.length === 0 || waiting.some(({ attempts }) => attempts > 0)
      return isTried && waiting.every(({ channel }) => channel === 'ops' && !isOpsUp)
    }, 'everything to be sent, or to be tried where nobody takes it')
  }
}

/** The next try may be half an hour of Temporal's clock away, which nobody turns. */
async function forgetTries(): Promise<void> {
  const { workflow } = running.worker.client
  for (const { id } of await kept().waiting())
    await workflow.getHandle(deliverId(id)).terminate('its tries begin anew')
}

const sleepUntil = (iso: string): void => {
  nowMs = Date.parse(iso) - MINUTE_MS
}

/** As Temporal would start it, for the business day that is over. */
const night = (store: string, day: string) =>
  running.worker.client.workflow.start('nightly', {
    workflowId: `night/${store}/${day}`,
    taskQueue: running.worker.taskQueue,
    args: [{ store, day }],
  })

async function goodNight(store: string, day: string): Promise<void> {
  await (await night(store, day)).result()
}

/** The API answers so, and the night waits for it; the answer is what ends that. */
async function badNight(store: string, day: string, status: number) {
  await control(running.sandbox, 'POST', 'faults', [{ status }])
  const handle = await night(store, day)
  const { runs } = running.worker.dependencies.destination
  await waitFor(
    async () =>
      (await runs.newest('nightly', store, 1)).some(one => one.day === day && one.detail !== ''),
    'the night to wait',
  )
  return async () => {
    await control(running.sandbox, 'DELETE', 'faults')
    await handle.result()
  }
}

function arrivals(): string[] {
  const taken = web.came.filter(({ path, status }) => path !== '/heartbeat' && status === 200)
  const lines = taken.map(({ path, body }) => {
    const { at, state, kind, store } = JSON.parse(body) as NoticeDocument
    return { what: `${at.slice(5, 16)} ${state} ${kind} ${store}`, channel: path.slice(1) }
  })
  return [...Map.groupBy(lines, ({ what }) => what)]
    .map(
      ([what, ones]) =>
        `${what}: ${[...new Set(ones.map(({ channel }) => channel))].toSorted().join(' ')}`,
    )
    .toSorted()
}
const beats = (): number => web.came.filter(({ path }) => path === '/heartbeat').length

test('a week of two stores: what arrived, when, and nothing that nobody needed', async () => {
  await until('2026-03-09T07:30:00Z')
  await goodNight('harbor', '2026-03-08')
  await until('2026-03-09T10:30:00Z')
  const mend = await badNight('downtown', '2026-03-08', 400)
  // At risk within quiet hours, it calls nobody; missed, it does.
  await until('2026-03-09T11:55:00Z')
  await until('2026-03-09T12:01:00Z')
  await until('2026-03-09T15:20:00Z')
  await mend()
  await until('2026-03-09T15:21:00Z')
  await until('2026-03-10T07:30:00Z')
  expect(beats()).toBe(0)

  await goodNight('harbor', '2026-03-09')
  await until('2026-03-10T10:30:00Z')
  await goodNight('downtown', '2026-03-09')
  await until('2026-03-11T05:00:00Z')
  expect(beats()).toBe(1)

  sleepUntil('2026-03-11T16:00:00Z')
  await until('2026-03-11T16:00:00Z')
  await goodNight('harbor', '2026-03-10')
  await goodNight('downtown', '2026-03-10')
  await until('2026-03-11T16:25:00Z')
  await until('2026-03-12T07:30:00Z')
  const renewKeys = await badNight('harbor', '2026-03-11', 401)
  await until('2026-03-12T07:31:00Z')
  await until('2026-03-12T10:00:00Z')
  await renewKeys()
  await until('2026-03-12T10:10:00Z')
  await until('2026-03-12T10:30:00Z')
  await goodNight('downtown', '2026-03-11')

  for (const [night, day] of [
    ['2026-03-13', '2026-03-12'],
    ['2026-03-14', '2026-03-13'],
  ] as const) {
    await until(`${night}T07:30:00Z`)
    await goodNight('harbor', day)
    await until(`${night}T10:30:00Z`)
    await goodNight('downtown', day)
  }
  await until('2026-03-15T01:00:00Z')
  expect(beats()).toBe(3)

  isOpsUp = false
  await until('2026-03-15T07:30:00Z')
  await goodNight('harbor', '2026-03-14')
  await until('2026-03-15T10:30:00Z')
  const mendAgain = await badNight('downtown', '2026-03-14', 400)
  await until('2026-03-15T12:01:00Z')
  await until('2026-03-15T13:05:00Z')
  await until('2026-03-15T14:00:00Z')
  await until('2026-03-15T17:00:00Z')
  await mendAgain()
  await until('2026-03-15T17:01:00Z')
  await until('2026-03-16T07:30:00Z')
  await goodNight('harbor', '2026-03-15')
  await until('2026-03-16T10:30:00Z')
  await goodNight('downtown', '2026-03-15')
  await until('2026-03-16T15:00:00Z')
  // While nobody there takes anything: a try that succeeds just then has no workflow to end.
  await forgetTries()
  isOpsUp = true
  await until('2026-03-16T15:01:00Z')
  await until('2026-03-16T15:02:00Z')
  expect(beats()).toBe(4)
  expect(arrivals()).toEqual([
    '03-09T12:01 opened night_missed downtown: mail ops',
    '03-09T15:21 closed night_missed downtown: mail ops',
    '03-11T16:00 opened night_missed downtown: mail ops',
    '03-11T16:00 opened night_missed harbor: mail ops',
    '03-11T16:25 closed night_missed downtown: mail ops',
    '03-11T16:25 closed night_missed harbor: mail ops',
    '03-12T07:31 opened keys_refused harbor: mail ops',
    '03-12T10:00 opened night_missed harbor: mail ops',
    '03-12T10:10 closed keys_refused harbor: mail ops',
    '03-12T10:10 closed night_missed harbor: mail ops',
    '03-15T12:01 opened night_missed downtown: mail ops',
    '03-15T14:00 opened delivery_failed null: mail',
    '03-15T17:01 closed night_missed downtown: mail ops',
    '03-16T15:00 again delivery_failed null: mail',
    '03-16T15:02 closed delivery_failed null: mail',
  ])
})
