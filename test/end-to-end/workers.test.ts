import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadConfig } from '../../config.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import type { Connected } from '../../temporal/session.ts'
import { connect } from '../../worker.ts'
import { syncStoreId } from '../../workflows/ids.ts'
import { control, Project, startWorker, storesOf, waitFor } from '../helpers/project.ts'
import { ownNamespace } from '../helpers/temporal.ts'

const PER_SECOND = 40
const STREAMS = ['transactions', 'batches']
/** Temporal notices that one is gone after the ten seconds in which it should tell of itself. */
const OTHERS_GO_ON_WITHIN_MS = 60_000

let sandbox: Sandbox
/** Workers, each in a folder of its own; they share a database, a Temporal server and the API. */
let machines: Project[]
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
  office = await connect(loadConfig(`${machines[2]!.folder}/tillage.yaml`), () => {})
})
afterAll(async () => {
  await office.close()
  for (const machine of machines) await machine.remove()
  await sandbox.close()
})

/** Starts to read a range, whoever does it; answers what waits for its end. */
async function read(from: string, to: string): Promise<() => Promise<unknown>> {
  const input = { store: 'downtown', streams: STREAMS, from, to }
  const { client, taskQueue } = office
  const workflowId = syncStoreId(input, STREAMS)
  const handle = await client.workflow.start('syncStore', { taskQueue, workflowId, args: [input] })
  return () => handle.result()
}

async function sentAt(): Promise<number[]> {
  const { requests } = (await control(sandbox, 'GET', 'requests')) as { requests: { at: number }[] }
  return requests.map(({ at }) => at).toSorted((a, b) => a - b)
}

const query = <Row>(sql: string): Row[] => machines[0]!.query(sql) as Row[]

/** What was read of a range, and whether all of it is proven, each row once. */
const readOf = (from: string, to: string) => ({
  unproven: query(`SELECT * FROM windows WHERE status <> 'proven'`),
  rows: query<[number]>(
    `SELECT count(*) FROM transactions WHERE modified >= '${from}' AND modified < '${to}'`,
  )[0]![0],
  twice: query(`SELECT id FROM transactions GROUP BY id HAVING count(*) > 1`),
})

const sharers = (): number =>
  Object.keys(
    (JSON.parse(query<[string]>('SELECT kept FROM key_paces')[0]![0]) as { seen: object }).seen,
  ).length

it('workers share a range, and one that is killed is replaced within a minute; the limit of the key holds for all', async () => {
  const [one, other] = machines as [Project, Project]
  const killed = await startWorker(one)
  const staying = await startWorker(other, '--role', 'read')
  const before = (await sentAt()).length
  const over = await read('2026-02-04', '2026-02-18')
  await waitFor(async () => (await sentAt()).length > before + 15, 'some requests')
  // The office has a client of the key, too, which has sent nothing.
  expect(sharers()).toBeGreaterThanOrEqual(2)
  killed.kill('SIGKILL')
  const killedMs = Date.now()
  await over()
  expect(Date.now() - killedMs).toBeLessThan(OTHERS_GO_ON_WITHIN_MS)
  const { unproven, rows, twice } = readOf('2026-02-05', '2026-02-17')
  expect({ unproven, twice }).toEqual({ unproven: [], twice: [] })
  expect(rows).toBeGreaterThan(500)
  const times = (await sentAt()).slice(before)
  for (const [index, from] of times.entries()) {
    const within = times.slice(index).filter(at => at < from + 1_000).length
    expect(within).toBeLessThanOrEqual(1.2 * PER_SECOND)
  }
  staying.kill('SIGTERM')
  expect((await staying.outcome).status).toBe(0)
})

it('a worker that slept while others did its work keeps nothing of it when it wakes', async () => {
  const [one, other] = machines as [Project, Project]
  const sleeping = await startWorker(one)
  const staying = await startWorker(other)
  const before = (await sentAt()).length
  const over = await read('2026-02-18', '2026-03-04')
  await waitFor(async () => (await sentAt()).length > before + 15, 'some requests')
  sleeping.kill('SIGSTOP')
  await over()
  const tables = machines[0]!.tables()
  const readings = query('SELECT count(*) FROM readings')
  sleeping.kill('SIGCONT')
  sleeping.kill('SIGTERM')
  expect((await sleeping.outcome).status).toBe(0)
  expect(machines[0]!.tables()).toEqual(tables)
  expect(query('SELECT count(*) FROM readings')).toEqual(readings)
  expect(readOf('2026-02-19', '2026-03-03').unproven).toEqual([])
  staying.kill('SIGTERM')
  expect((await staying.outcome).status).toBe(0)
})

it('a worker that is told to stop hands over what it has, and ends in its time', async () => {
  const [one, other] = machines as [Project, Project]
  const stopping = await startWorker(one, '--drain', '6')
  const staying = await startWorker(other)
  const before = (await sentAt()).length
  await control(sandbox, 'POST', 'faults', [{ match: '/transactions', latencyMs: 4_000 }])
  const over = await read('2026-03-04', '2026-03-15')
  await waitFor(async () => (await sentAt()).length > before + 4, 'some requests')
  const toldMs = Date.now()
  stopping.kill('SIGTERM')
  expect((await stopping.outcome).status).toBe(0)
  expect(Date.now() - toldMs).toBeLessThan(10_000)
  await control(sandbox, 'DELETE', 'faults')
  await over()
  expect(readOf('2026-03-05', '2026-03-14').unproven).toEqual([])
  staying.kill('SIGTERM')
  expect((await staying.outcome).status).toBe(0)
})

it('a role that does not exist is refused, with those that do', async () => {
  const { status, stderr } = await machines[0]!.run('worker', '--role', 'raed')
  expect(status).toBe(2)
  expect(stderr).toContain('Did you mean read?')
})
