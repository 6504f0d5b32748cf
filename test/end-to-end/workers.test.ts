import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { HOUR_MS } from '../../calendar/days.ts'
import { loadConfig } from '../../config.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import type { Connected } from '../../temporal/session.ts'
import { connect } from '../../worker.ts'
import { syncStoreId, syncStreamId } from '../../workflows/ids.ts'
import { mostBeyondLimit } from '../helpers/arrivals.ts'
import { askDatabase } from '../helpers/ask-database.ts'
import { arrivalsAt, firedOf } from '../helpers/asked.ts'
import { control, Project, startWorker, storesOf, waitFor } from '../helpers/project.ts'
import type { Worker } from '../helpers/project.ts'
import { ownNamespace } from '../helpers/temporal.ts'

const PER_SECOND = 40
const STREAMS = ['transactions', 'batches']
/** A busy machine may send a request so much later than its slot. */
const LATE_MS = 2_000
/** So slow that nothing is over before the test has looked who does it; it goes on all the same. */
const SLOW = { match: '/transactions', latencyMs: 20_000 }
const HELD = { match: '/transactions', latencyMs: HOUR_MS }
/** Of each stream. */
const ALL_HELD = STREAMS.map(stream => ({ match: `/${stream}`, latencyMs: HOUR_MS }))
/** Temporal notices that one is gone after the ten seconds in which it should tell of itself. */
const OTHERS_GO_ON_WITHIN_MS = 60_000

let sandbox: Sandbox
/** Workers, each in a folder of its own; they share a database, a Temporal server and the API. */
let machines: Project[]
let database: string
/** Gives them work, and takes none. */
let office: Connected

beforeAll(async () => {
  sandbox = await startSandbox({
    stores: 1,
    days: 40,
    until: '2026-03-15',
    transactionsPerDay: 400,
  })
  const temporal = await ownNamespace()
  machines = [new Project(temporal), new Project(temporal), new Project(temporal)]
  const [one, ...others] = machines as [Project, ...Project[]]
  await one.chooseDatabase('PostgreSQL')
  for (const other of others) other.shareDatabaseOf(one)
  const limits = { concurrency: 8, requestsPerSecond: PER_SECOND }
  for (const machine of machines)
    machine.configure(storesOf(sandbox).map(store => ({ ...store, limits })))
  const config = loadConfig(`${machines[2]!.folder}/tillage.yaml`)
  database = config.database
  office = await connect(config, () => {})
})
/** A test that failed leaves the next one neither a slow API nor workers that take its work. */
afterEach(async () => {
  await control(sandbox, 'DELETE', 'faults')
  for (const machine of machines) await machine.endChildren()
})
afterAll(async () => {
  await office.close()
  for (const machine of machines) await machine.remove()
  await sandbox.close()
})

interface Range {
  from: string
  to: string
}

const workOn = (range: Range) => ({ store: 'downtown', ...range })

/** Starts to read a range, whoever does it; answers what waits for its end. */
async function read(range: Range): Promise<() => Promise<unknown>> {
  const work = workOn(range)
  const { client, taskQueue } = office
  const handle = await client.workflow.start('syncStore', {
    taskQueue,
    workflowId: syncStoreId(work, STREAMS),
    args: [{ ...work, streams: STREAMS }],
  })
  return () => handle.result()
}

const streamOf = (range: Range, stream: string) =>
  office.client.workflow.getHandle(syncStreamId(workOn(range), stream))

/** One of these workers, once it has transactions of a range under way. */
async function whoReads(range: Range, workers: readonly Worker[]): Promise<Worker> {
  let reader: Worker | undefined
  await waitFor(async () => {
    // It is not there before a worker has begun with the store.
    const stream = await streamOf(range, 'transactions')
      .describe()
      .catch(() => undefined)
    const readers = stream?.raw.pendingActivities?.map(one => one.lastWorkerIdentity ?? '') ?? []
    reader = workers.find(({ pid }) => readers.some(identity => identity.includes(` ${pid}@`)))
    return reader !== undefined
  }, 'a worker to be at work')
  return reader!
}

/**
 * Once a request of each window under way is held. A window of which nothing was asked would be
 * begun by whoever wakes, after others have read it, and that is a reading like any other.
 */
async function untilAllAreHeld(range: Range): Promise<void> {
  await waitFor(async () => {
    const fired = await firedOf(sandbox)
    const held = STREAMS.map(async (stream, at) => {
      const begun = await streamOf(range, stream)
        .describe()
        .catch(() => undefined)
      const windows = begun?.raw.pendingActivities?.length ?? 0
      return windows > 0 && fired[at]! >= windows
    })
    return (await Promise.all(held)).every(Boolean)
  }, 'requests of all windows to be held')
}

interface Again {
  atMs: number
  hasTimedOut: boolean
}

/** What was begun again of a range: when, and whether the worker before was silent until then. */
async function begunAgain(range: Range): Promise<Again[]> {
  const streams = STREAMS.map(stream => streamOf(range, stream).fetchHistory())
  const events = (await Promise.all(streams)).flatMap(history => history.events ?? [])
  return events.flatMap(({ activityTaskStartedEventAttributes: started, eventTime }) => {
    if (!started?.lastFailure) return []
    const hasTimedOut = Boolean(started.lastFailure.timeoutFailureInfo)
    return [{ atMs: Number(eventTime!.seconds) * 1_000, hasTimedOut }]
  })
}

const query = <Row>(sql: string): Row[] => machines[0]!.query(sql) as Row[]

/** All of a range is proven, and each row is there once. */
function expectReadOnce({ from, to }: Range): void {
  const inRange = `modified >= '${from}' AND modified < '${to}'`
  const windows = `SELECT * FROM windows WHERE window_start < '${to}' AND window_end > '${from}'`
  expect(query(`${windows} AND status <> 'proven'`)).toEqual([])
  const ids = `SELECT id FROM transactions WHERE ${inRange} GROUP BY id`
  expect(query(`${ids} HAVING count(*) > 1`)).toEqual([])
  const [[rows]] = query(`SELECT count(*) FROM transactions WHERE ${inRange}`) as [[number]]
  expect(rows).toBeGreaterThan(2_500)
}

/**
 * Those who sent something in the last seconds. Asked without holding up the sandbox, which is in
 * this process: its times are looked at.
 */
async function sharers(): Promise<string[]> {
  const [row] = (await askDatabase(database, 'SELECT kept FROM key_paces')) as [string][]
  return row === undefined ? [] : Object.keys((JSON.parse(row[0]) as { seen: object }).seen)
}

it('workers share a range, and one that is killed is replaced within a minute; the limit of the key holds for all', async () => {
  const [one, other] = machines as [Project, Project]
  const range = { from: '2026-02-04', to: '2026-02-18' }
  const workers = [await startWorker(one), await startWorker(other, '--role', 'read')]
  const before = (await arrivalsAt(sandbox)).length
  await control(sandbox, 'POST', 'faults', [SLOW])
  const over = await read(range)
  // The office has a client of the key, too, which has sent nothing.
  const senders = new Set<string>()
  await waitFor(async () => {
    for (const sharer of await sharers()) senders.add(sharer)
    return senders.size === workers.length
  }, 'both workers to send')
  const killed = await whoReads(range, workers)
  killed.kill('SIGKILL')
  const killedMs = Date.now()
  await control(sandbox, 'DELETE', 'faults')
  await over()
  const times = (await arrivalsAt(sandbox)).slice(before)
  const again = await begunAgain(range)
  expect(again).not.toEqual([])
  for (const { atMs } of again) expect(atMs - killedMs).toBeLessThan(OTHERS_GO_ON_WITHIN_MS)
  expectReadOnce({ from: '2026-02-05', to: '2026-02-17' })
  const mostLate = (PER_SECOND * LATE_MS) / 1000
  expect(mostBeyondLimit(times, PER_SECOND)).toBeLessThanOrEqual(1 + mostLate)
  const staying = workers.find(worker => worker !== killed)!
  staying.kill('SIGTERM')
  expect((await staying.outcome).status).toBe(0)
})

it('a worker that slept while others did its work keeps nothing of it when it wakes', async () => {
  const [one, other] = machines as [Project, Project]
  const range = { from: '2026-02-18', to: '2026-03-04' }
  const sleeping = await startWorker(one)
  await control(sandbox, 'POST', 'faults', ALL_HELD)
  const over = await read(range)
  await whoReads(range, [sleeping])
  await untilAllAreHeld(range)
  sleeping.kill('SIGSTOP')
  const staying = await startWorker(other)
  await control(sandbox, 'DELETE', 'faults')
  await over()
  const tables = machines[0]!.tables()
  const readings = query('SELECT count(*) FROM readings')
  sleeping.kill('SIGCONT')
  sleeping.kill('SIGTERM')
  expect((await sleeping.outcome).status).toBe(0)
  // The twin: others did some of its work.
  expect(await begunAgain(range)).not.toEqual([])
  expect(machines[0]!.tables()).toEqual(tables)
  expect(query('SELECT count(*) FROM readings')).toEqual(readings)
  expectReadOnce({ from: '2026-02-19', to: '2026-03-03' })
  staying.kill('SIGTERM')
  expect((await staying.outcome).status).toBe(0)
})

it('a worker that is told to stop hands over what it has, and ends in its time', async () => {
  const [one, other] = machines as [Project, Project]
  const range = { from: '2026-03-04', to: '2026-03-15' }
  const stopping = await startWorker(one, '--drain', '6')
  await control(sandbox, 'POST', 'faults', [HELD])
  const over = await read(range)
  await whoReads(range, [stopping])
  const staying = await startWorker(other)
  stopping.kill('SIGTERM')
  // What it has under way would last for an hour.
  expect((await stopping.outcome).status).toBe(0)
  await control(sandbox, 'DELETE', 'faults')
  await over()
  const again = await begunAgain(range)
  expect(again).not.toEqual([])
  expect(again.filter(({ hasTimedOut }) => hasTimedOut)).toEqual([])
  expectReadOnce({ from: '2026-03-05', to: '2026-03-14' })
  staying.kill('SIGTERM')
  expect((await staying.outcome).status).toBe(0)
})

it('a role that does not exist is refused, with those that do', async () => {
  const { status, stderr } = await machines[0]!.run('worker', '--role', 'raed')
  expect(status).toBe(2)
  expect(stderr).toContain('Did you mean read?')
})
