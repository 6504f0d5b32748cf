/**
 * `node tools/record-histories.ts [NAME...]`: runs real syncs against a sandbox and keeps their
 * workflow histories in `test/workflows/histories/`. Record from code that was released, never from
 * the change under test: a replay proves that today's workflows still fit the runs of yesterday.
 * With names, only those runs are recorded and the others stay.
 */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { loadConfig } from '../config.ts'
import type { NewHint } from '../connectors/destination/hints.ts'
import { startSandbox } from '../sandbox/server.ts'
import { findTemporalCli } from '../temporal/cli/find-cli.ts'
import { runSync } from '../temporal/run-sync.ts'
import type { SyncRequest } from '../temporal/run-sync.ts'
import { startWorker } from '../worker.ts'
import { pushCatalogs, reconcileCounts } from './record-writes.ts'
import type { Recording } from './record-writes.ts'

process.env['TZ'] = 'UTC'
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, 'test', 'workflows', 'histories')
const runCli = promisify(execFile)
const scratch = mkdtempSync(join(tmpdir(), 'tillage-record-'))

const NIGHT = {
  streams: ['transactions'],
  needed: ['transactions'],
  dayStartsAt: '00:00',
  books: { datasets: ['transactions'], formats: ['csv'], journal: [] },
  giveUpAfterMs: 60_000,
}

const IMPATIENT = { ...NIGHT, giveUpAfterMs: 200, pauses: { firstMs: 100, longestMs: 100 } }
const BOOKLESS = { ...NIGHT, deadline: '05:00', books: { datasets: [], formats: [], journal: [] } }
const CHECK = { streams: ['transactions'], windows: 2, heal: true, seed: 1 }

/** A catalog that the policy below lets through. */
const POLICY_FILE = join(scratch, 'scheduled.csv')
writeFileSync(POLICY_FILE, 'external_id,description\nP-1003,by schedule\n')
const POLICY = {
  files: [{ catalog: 'products', path: POLICY_FILE }],
  policy: { fields: ['description'] },
}
const APPROVERS = [
  { name: 'Store manager', role: 'manager' },
  { name: 'Compliance lead', role: 'compliance' },
]

/** Each run shows another way through the workflows. */
const RUNS: Record<
  string,
  {
    request?: Omit<SyncRequest, 'stores'>
    /** What people do meanwhile, in processes of their own. */
    writes?: (recording: Recording) => Promise<void>
    /** Workflows with their inputs, and what tillage.yaml wants of them. */
    next?: readonly [workflow: string, input: object, order?: object][]
    faults?: object[]
    profiles?: string[]
    /** What the API's events named before the first of `next`. */
    hints?: readonly NewHint[]
    key?: string
  }
> = {
  plain: {
    request: { streams: ['transactions', 'vendors'], from: '2026-03-03', to: '2026-03-15' },
  },
  'unproven-windows': {
    request: { streams: ['transactions'], from: '2026-03-03', to: '2026-03-15' },
    faults: [{ match: 'startDate=03%2F03', status: 400 }],
  },
  'split-windows': {
    request: { streams: ['transactions'], from: '2026-03-03', to: '2026-03-15' },
    profiles: ['busy'],
  },
  'retried-windows': {
    request: { streams: ['members'], from: '2026-03-03', to: '2026-03-15' },
    faults: [{ status: 500, rate: 0.3 }],
  },
  'refused-keys': {
    request: { streams: ['vendors'], from: '2026-03-03', to: '2026-03-15' },
    key: 'not-a-key',
  },
  scheduled: {
    request: { streams: ['transactions'], from: '2026-03-10', to: '2026-03-12' },
    next: [
      ['nightly', { store: 'downtown', day: '2026-03-10' }, NIGHT],
      ['nightly', { store: 'downtown', day: '2027-03-10' }, IMPATIENT],
      ['nightly', { store: 'downtown' }, BOOKLESS],
      ['backfillNights', { store: 'downtown', from: '2026-03-11', to: '2026-03-13' }, NIGHT],
      ['sweep', { store: 'downtown' }, { streams: ['vendors'], days: 60 }],
      ['check', { store: 'downtown' }, { ...CHECK, records: 0 }],
    ],
  },
  sampled: {
    request: { streams: ['transactions'], from: '2026-03-10', to: '2026-03-12' },
    next: [['check', { store: 'downtown', asked: { ...CHECK, records: 5 } }]],
  },
  pushed: {
    writes: pushCatalogs,
    next: [['push', { store: 'downtown' }, { files: [{ ...POLICY.files[0], create: [] }] }]],
  },
  reconciled: { writes: reconcileCounts },
  audited: { next: [['audit', { store: 'downtown' }, {}]] },
  purged: { next: [['upkeep', { store: 'downtown' }, { retention: { versionsDays: 1 } }]] },
  'backed-up': { next: [['backup', { store: 'downtown' }, {}]] },
  hinted: {
    request: { streams: ['transactions'], from: '2026-03-10', to: '2026-03-12' },
    hints: [
      { store: 'downtown', stream: 'products', id: 'unknown' },
      { store: 'downtown', stream: 'transactions' },
    ],
    next: [['readHints', { store: 'downtown' }]],
  },
  'continued-as-new': { request: { streams: ['members'], from: '2022-03-03', to: '2026-03-15' } },
}

const temporal = await findTemporalCli({ progress: console.error })
/**
 * Names and paths of the machine that recorded must not be published, and are no part of a replay.
 */
const withoutMachine = (key: string, value: unknown): unknown =>
  ['identity', 'binaryChecksum', 'stackTrace'].includes(key) ? 'recorded' : value

/** The stream of a sync, or the kind of a run; plans have ids that are new each time. */
const workOf = (workflowId: string): string =>
  /^(apply|due)\//.test(workflowId) ? 'plan' : (workflowId.split('/')[2] ?? 'plan')

const only = process.argv.slice(2)
if (only.length === 0) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
try {
  for (const [
    name,
    { request, writes, next = [], hints = [], faults, profiles, key },
  ] of Object.entries(RUNS).filter(([name]) => only.length === 0 || only.includes(name))) {
    const sandbox = await startSandbox({
      stores: 1,
      days: 12,
      until: '2026-03-15',
      transactionsPerDay: 40,
      profiles: profiles ?? [],
    })
    if (faults !== undefined)
      await fetch(`${sandbox.baseUrl}/_control/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(faults),
      })
    const file = join(scratch, `${name}.yaml`)
    const [store] = sandbox.stores
    writeFileSync(
      file,
      JSON.stringify({
        stores: [
          {
            id: store!.id,
            baseUrl: sandbox.baseUrl,
            partnerKey: sandbox.partnerKey,
            developerKey: key ?? store!.developerKey,
          },
        ],
        database: `./${name}/tillage.db`,
        exports: `./${name}/exports`,
        push: POLICY,
        backup: { to: '.' },
        reconcile: { approvers: APPROVERS, patienceSeconds: 1 },
      }),
    )
    const worker = await startWorker(loadConfig(file), console.error)
    await worker.carryOutWrites()
    if (request !== undefined)
      await runSync(
        worker,
        { stores: [store!.id], ...request },
        () => {},
        new AbortController().signal,
      )
    await writes?.({
      folder: scratch,
      tillage: async (...args) => {
        const { stdout } = await runCli(process.execPath, [
          join(root, 'cli.ts'),
          ...args,
          '--config',
          file,
          '--json',
        ]).catch((error: unknown) => error as { stdout: string })
        return JSON.parse(stdout) as Record<string, unknown>
      },
      faults: async (...rules) =>
        void (await fetch(`${sandbox.baseUrl}/_control/faults`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(rules),
        })),
    })
    await worker.dependencies.destination.hints.keep(hints, Date.now())
    for (const [number, [type, input, order]] of next.entries()) {
      Object.assign(worker.dependencies, { findOrder: () => order })
      await worker.client.workflow
        .execute(type, {
          workflowId: `run/${number}/${type}`,
          taskQueue: worker.taskQueue,
          args: [input],
        })
        .catch(() => {})
    }
    for await (const { workflowId, runId, type } of worker.client.workflow.list()) {
      const shown = execFileSync(
        temporal,
        [
          'workflow',
          'show',
          '--workflow-id',
          workflowId,
          '--run-id',
          runId,
          '--address',
          worker.temporalAddress,
          '--output',
          'json',
        ],
        { encoding: 'utf8', maxBuffer: 1e9 },
      )
      const history = JSON.parse(shown) as { events: unknown[] }
      writeFileSync(
        join(folder, `${name}.${type}.${workOf(workflowId)}.${history.events.length}.json`),
        `${JSON.stringify(history, withoutMachine)}\n`,
      )
    }
    await worker.close()
    await sandbox.close()
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exit(0)
