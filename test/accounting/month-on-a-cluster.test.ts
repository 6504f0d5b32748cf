import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import pLimit from 'p-limit'
import { expect, onTestFinished, test } from 'vitest'
import { addDays, DAY_MS } from '../../calendar/days.ts'
import { parseManifest } from '../../exports/revisions/manifest.ts'
import { fetchObject, sizesBelow } from '../../objects/objects.ts'
import { pathOf } from '../../objects/place.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import type { Connected } from '../../temporal/session.ts'
import { startWorker } from '../../worker.ts'
import { nightId, syncStoreId } from '../../workflows/ids.ts'
import type { NightResult } from '../../workflows/nightly.ts'
import type { StoreResult } from '../../workflows/results.ts'
import { answeredBy } from '../helpers/asked.ts'
import { useObjectKeys } from '../helpers/object-server.ts'
import { control, Project, storesOf, waitFor } from '../helpers/project.ts'
import { sized } from '../helpers/size.ts'
import { ownNamespace } from '../helpers/temporal.ts'
import { Cluster, configOf } from './cluster.ts'
import type { Killed } from './cluster.ts'
import { LateEdits } from './late-edits.ts'
import { JOURNALS } from './published.ts'

/** A month of two stores; without `TILLAGE_LONG=1`, two days of it. */
const DAYS = sized(2, 30)
const SALES_PER_DAY = sized(6, 60)
const EDITS_PER_MORNING = sized(2, 6)
const UNTIL = '2026-03-31'
const FROM = addDays(UNTIL, -DAYS)
const ALL_DAYS = Array.from({ length: DAYS }, (_, index) => addDays(FROM, index))
const STREAMS = ['transactions', 'products', 'batches']
const SETTINGS = {
  schedules: {
    nightly: {
      every: 'never',
      export: ['transactions', 'transaction_items'],
      formats: ['csv', 'parquet'],
      journal: JOURNALS,
    },
  },
}
const OTHERS_GO_ON_WITHIN_MS = 60_000

const FAULTS = [
  { match: 'transactions|batches|products', status: 429, retryAfter: 1, rate: 0.04, times: 5 },
  { match: 'transactions|batches|products', status: 503, rate: 0.03 },
  { match: 'transactions|batches|products', drop: true, rate: 0.02 },
  { match: 'transactions|batches|products', latencyMs: 300, rate: 0.05 },
]

/** One machine with a file of SQLite, on which nothing is killed. */
interface Alone {
  project: Project
  connected: Connected
}

interface Scene {
  sandbox: Sandbox
  cluster: Cluster
  alone: Alone
}

async function startAlone(sandbox: Sandbox): Promise<Alone> {
  const project = new Project(await ownNamespace())
  onTestFinished(() => project.remove())
  project.configure(storesOf(sandbox), SETTINGS)
  const connected = await startWorker(configOf(project), () => {})
  onTestFinished(() => connected.close())
  return { project, connected }
}

/** Reads a store until a day, and writes the books of it and of those that are others now. */
async function workNight(
  { client, taskQueue }: Connected,
  store: string,
  day: string,
): Promise<void> {
  // At last all of it, for what was deleted of days that were read before.
  const from = day === ALL_DAYS.at(-1) ? FROM : day
  const work = { store, from, to: addDays(day, 2), again: true }
  const read = (): Promise<StoreResult> =>
    client.workflow.execute('syncStore', {
      taskQueue,
      workflowId: syncStoreId(work, STREAMS),
      args: [{ ...work, streams: STREAMS }],
    })
  const isProven = ({ streams }: StoreResult): boolean =>
    streams.every(({ windows }) => windows.unproven === 0)
  // A window that faults kept from being read says so, and the next turn reads it.
  for (let turn = 1; !isProven(await read()); turn++) expect(turn).toBeLessThan(4)
  const written: NightResult = await client.workflow.execute('nightly', {
    taskQueue,
    workflowId: nightId(store, day),
    args: [{ store, day, once: true }],
  })
  expect(written).toMatchObject({ store, day, tries: 1, notRevised: [] })
}

const workAll = async (connected: Connected, sandbox: Sandbox, day: string): Promise<void> => {
  await Promise.all(sandbox.stores.map(({ id }) => workNight(connected, id, day)))
}

/** What happens in a night; answers when it did, and when somebody went on. */
type Trouble = (cluster: Cluster, sandbox: Sandbox) => Promise<Killed>

async function afterRequests(sandbox: Sandbox, count: number): Promise<void> {
  const before = await answeredBy(sandbox)
  await waitFor(async () => (await answeredBy(sandbox)) >= before + count, 'requests')
}

const goingOn = async (sandbox: Sandbox): Promise<number> => {
  await afterRequests(sandbox, 1)
  return Date.now()
}

const killing =
  (...indexes: number[]): Trouble =>
  async (cluster, sandbox) => {
    await afterRequests(sandbox, 8)
    for (const index of indexes) cluster.kill(index)
    return { atMs: Date.now(), next: goingOn(sandbox) }
  }

const killingWriterOf =
  (name: string, side: 'before' | 'after'): Trouble =>
  cluster =>
    cluster.killWriterOf(name, side)

const cuttingDatabase: Trouble = async ({ office }, sandbox) => {
  await afterRequests(sandbox, 8)
  expect(await office.endConnections()).toBeGreaterThan(3)
  return { atMs: Date.now(), next: goingOn(sandbox) }
}

/**
 * Those of a night, over and over: who reads, who writes files, and the way to the database. Each
 * leaves one worker of every role.
 */
const TROUBLES: readonly (readonly Trouble[])[] = [
  [killing(0, 1), killingWriterOf('daily_sales_journal_', 'before')],
  [cuttingDatabase, killingWriterOf('manifest_', 'after')],
  [killing(0, 2)],
  [killing(1, 3)],
]

/** A night of the cluster, and once its troubles have come that of the other machine. */
async function workThroughTrouble({ cluster, alone, sandbox }: Scene, day: string): Promise<void> {
  const over = workAll(cluster.connected, sandbox, day).then(() => Date.now())
  // The error surfaces below.
  over.catch(() => {})
  const isOver = over.then(() => undefined)
  const happened: Killed[] = []
  for (const trouble of TROUBLES[ALL_DAYS.indexOf(day) % TROUBLES.length]!) {
    const one = await Promise.race([trouble(cluster, sandbox), isOver])
    // The twin: the night was not over before its trouble came.
    expect(one).toBeDefined()
    happened.push(one!)
  }
  await Promise.all([over, workAll(alone.connected, sandbox, day)])
  for (const { atMs, next } of happened)
    expect((await Promise.race([next, over])) - atMs).toBeLessThan(OTHERS_GO_ON_WITHIN_MS)
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** The sha256 of each file, by its path below the folder of exports. */
function filesOf(project: Project): Record<string, string> {
  const folder = `${project.folder}/tillage-data/exports`
  return Object.fromEntries(
    project
      .files(folder)
      .filter(path => !basename(path).startsWith('.'))
      .map(path => [relative(folder, path), hashOf(project.read(path))]),
  )
}

/** The same of each object, and what none of the manifests there names. */
async function bucketOf({ server, office }: Cluster): Promise<{
  objects: Record<string, string>
  manifests: string[]
  orphans: string[]
}> {
  const place = server.place(`${office.folder}/reader`)
  const objects: Record<string, string> = {}
  const manifests: string[] = []
  const named = new Set<string>()
  for (const address of (await sizesBelow(place, place.mirror)).keys()) {
    const path = pathOf(place, address)
    objects[relative(place.mirror, path)] = (await fetchObject(place, path))!
    if (!basename(path).startsWith('manifest_')) continue
    manifests.push(address)
    for (const file of parseManifest(readFileSync(path, 'utf8'))!.files) named.add(file.path)
  }
  const orphans = Object.keys(objects).filter(
    path => !basename(path).startsWith('manifest_') && !named.has(basename(path)),
  )
  return { objects, manifests, orphans }
}

const JOURNALED = 'SELECT store_id, day, number, revision FROM journal_entries ORDER BY 1, 2, 3'

useObjectKeys()

async function startScene(): Promise<Scene> {
  const sandbox = await startSandbox({
    stores: 2,
    days: DAYS,
    until: UNTIL,
    transactionsPerDay: SALES_PER_DAY,
    seed: 11,
  })
  onTestFinished(() => sandbox.close())
  const [cluster, alone] = await Promise.all([
    Cluster.start(storesOf(sandbox), SETTINGS),
    startAlone(sandbox),
  ])
  await control(sandbox, 'POST', 'faults', FAULTS)
  return { sandbox, cluster, alone }
}

/** Whoever was killed comes back in the morning, when the others are done. */
async function liveThroughMonth(scene: Scene): Promise<void> {
  const { sandbox, cluster } = scene
  // Both see the same: so may sales of the first days become others, too.
  const edits = new LateEdits(sandbox, Date.parse(FROM) - 2 * DAY_MS)
  for (const day of ALL_DAYS) {
    await workThroughTrouble(scene, day)
    if (day === ALL_DAYS.at(-1)) return
    await cluster.startKilled()
    const morningMs = Date.parse(`${addDays(day, 1)}T12:00:00Z`)
    for (const { id } of sandbox.stores) await edits.play(id, EDITS_PER_MORNING, morningMs)
  }
}

test('a month of four workers that are killed in turn, with a server and a bucket, has the bytes of one machine with SQLite', async () => {
  const scene = await startScene()
  await liveThroughMonth(scene)
  const { cluster, alone } = scene
  const { objects, manifests, orphans } = await bucketOf(cluster)
  expect(objects).toEqual(filesOf(alone.project))
  expect(orphans).toEqual([])
  // The twin: late edits had revisions of days made.
  expect(manifests.length).toBeGreaterThan(2 * DAYS)
  const posted = cluster.office.query(JOURNALED) as [string, string, string, number][]
  expect(posted).toEqual(alone.project.query(JOURNALED))
  expect(new Set(posted.map(([, , number]) => number)).size).toBe(posted.length)
  // All at once would be thousands of requests, which the bucket of a busy machine leaves waiting.
  const some = pLimit(4)
  const verified = await Promise.all(
    manifests.map(manifest => some(() => cluster.office.runBeside(['verify', manifest]))),
  )
  expect(verified.filter(({ status }) => status !== 0)).toEqual([])
  expect(cluster.office.query('SELECT * FROM leases')).toEqual([])
  for (const status of await cluster.stop()) expect(status).toBe(0)
})
