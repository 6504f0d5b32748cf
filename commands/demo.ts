import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Report } from '../audit/make-report.ts'
import { exportStore } from '../books/export-store.ts'
import type { StoreExport } from '../books/export-store.ts'
import { dayOf } from '../calendar/clock.ts'
import { addDays } from '../calendar/days.ts'
import type { Config } from '../config.ts'
import { openReadOnly } from '../connectors/database.ts'
import { dailyStreams, streams } from '../connectors/partner/streams/index.ts'
import { UsageError } from '../errors.ts'
import { datasetsOf } from '../exports/datasets.ts'
import { runSync } from '../temporal/run-sync.ts'
import type { SyncOutcome } from '../temporal/run-sync.ts'
import { startWorker } from '../worker.ts'
import { declareCommand, option, wholeNumber } from './command.ts'
import type { Context } from './command.ts'
import { demoAudit } from './demo/audit.ts'
import { prepareFolder, refuseForeignFolder } from './demo/folder.ts'
import { demoPush } from './demo/push.ts'
import { startSandboxProcess } from './demo/sandbox.ts'
import type { SandboxFacts } from './demo/sandbox.ts'
import { describeSync, describeTroubles } from './sync/describe-sync.ts'
import { syncExitStatus } from './sync/sync-stores.ts'
import { fold, pathFromHere } from './terminal/started-as.ts'

const DAYS = 60
/** What the audit and the pushed prices need: less is no demo. */
const FEWEST_DAYS = 2

interface DemoOptions {
  folder: string
  days: number
}

/** Where a demo runs, and over which days. */
interface Scene {
  root: string
  /** The program as it was called: what starts the sandbox, and what is said to try next. */
  entry: string
  days: { from: string; to: string }
  dayCount: number
  facts: SandboxFacts
  config: Config
}

interface Results {
  outcome: SyncOutcome
  tookMs: number
  pushed: string
  exported: readonly StoreExport[]
  audit: Report
}

/** `tillage demo`: everything, end to end, on data of its own. Needs no configuration. */
export async function demo(context: Context, options: DemoOptions): Promise<number> {
  if (options.days < FEWEST_DAYS)
    throw new UsageError(`--days ${options.days} is too little: ${FEWEST_DAYS} is the least`)
  refuseForeignFolder(options.folder)
  const root = resolve(options.folder)
  const entry = realpathSync(process.argv[1]!)
  const dayCount = options.days
  // A day that has begun everywhere: the sandbox's data must not lie ahead of the clock in any
  // store's zone.
  const until = dayOf(Date.now(), 'Etc/GMT+12')
  const days = { from: addDays(until, -dayCount), to: until }
  const sandbox = await startSandboxProcess(entry, ['--days', String(dayCount), '--until', until])
  try {
    const { facts } = sandbox
    const config = prepareFolder(root, facts)
    const scene = { root, entry, days, dayCount, facts, config }
    context.terminal.log(describeSandbox(scene))
    return await playThrough(context, scene)
  } finally {
    await sandbox.stop()
  }
}

async function playThrough(context: Context, scene: Scene): Promise<number> {
  const { terminal, signal } = context
  const read = await readAndPush(context, scene)
  if (!terminal.json) terminal.print(`\n${describeSync(read.outcome, read.tookMs)}\n`)
  if (!terminal.json) terminal.print(`${fold(`  ${read.pushed}`)}\n`)
  for (const line of describeTroubles(read.outcome.report)) terminal.log(line)
  const exported = await exportAll(context, scene)
  const audit = await demoAudit(scene.config, { terminal, signal })
  const results = { ...read, exported, audit }
  if (terminal.json) terminal.print(JSON.stringify(resultsAsJson(results)))
  else terminal.print(`${describeAudit(audit)}\n${describeNextSteps(scene, exported)}`)
  return syncExitStatus(read.outcome.report)
}

async function readAndPush(
  { terminal, signal }: Context,
  { root, days, config }: Scene,
): Promise<Pick<Results, 'outcome' | 'tookMs' | 'pushed'>> {
  await using worker = await startWorker(config, terminal.progress)
  const startedMs = Date.now()
  const stores = config.stores.map(({ id }) => id)
  const names = dailyStreams.map(({ name }) => name)
  const request = { stores, streams: names, ...days, again: true, tolerant: true }
  const outcome = await runSync(worker, request, terminal.progress, signal)
  const tookMs = Date.now() - startedMs
  terminal.progress('pushing three prices, and undoing them')
  const pushed = await demoPush(worker, { store: stores[0]!, folder: root, signal })
  return { outcome, pushed, tookMs }
}

/** Every dataset that each store has, in three formats. */
async function exportAll(
  { terminal, signal }: Context,
  { days, config }: Scene,
): Promise<StoreExport[]> {
  const datasets = datasetsOf(dailyStreams.filter(({ optional }) => optional !== true)).filter(
    ({ rawOf }) => rawOf === undefined,
  )
  const request = {
    days,
    datasets: datasets.map(({ name }) => name),
    formats: ['parquet', 'csv', 'jsonl'] as const,
    out: config.exports,
    includePeople: false,
  }
  const exported: StoreExport[] = []
  await using database = await openReadOnly(config, streams)
  const watcher = { progress: terminal.progress, signal }
  for (const { id: store } of config.stores)
    exported.push(await exportStore({ config, database }, { store, ...request }, watcher))
  return exported
}

const resultsAsJson = ({ outcome, exported, audit }: Results): object => ({
  ...outcome.report,
  files: exported.flatMap(({ files }) => files),
  manifests: exported.map(({ manifest }) => manifest),
  audit,
})

function describeSandbox({ facts: { stores }, dayCount }: Scene): string {
  const named = stores.map(({ id, timeZone }) => `${id}, ${timeZone}`).join('; ')
  return (
    `A sandbox of the Partner Commerce API serves ${stores.length} stores, ` +
    `${dayCount} days each:\n${named}`
  )
}

function describeAudit({ counted, files }: Report): string {
  const workbook = files.find(({ format }) => format === 'xlsx')!.path
  const said = `A small audit: ${counted} lots counted, one is one short; its workbook is`
  return `  ${said}\n  ${pathFromHere(workbook)}\n`
}

function describeNextSteps(scene: Scene, exported: readonly StoreExport[]): string {
  const { root, entry, days, facts, config } = scene
  const tillage = entry.endsWith('.ts') ? 'npm run -s tillage --' : 'npx tillage'
  const named = `--config ${pathFromHere(root)}/tillage.yaml`
  const store = facts.stores[0]!.id
  const lastDay = addDays(days.to, -1)
  const { port } = new URL(facts.baseUrl)
  const files = exported.reduce((sum, one) => sum + one.files.length, 0)
  return `  ${files} files (Parquet, CSV, JSONL) with a manifest for each store are in ${pathFromHere(config.exports)}
  The database is ${pathFromHere(root)}/tillage.db

Try next:
  ${tillage} status ${named}
  ${tillage} coverage transactions --store ${store} ${named}
  ${tillage} journal --date ${lastDay} --format generic,qbo ${named}
  ${tillage} export transactions transaction_items --from ${lastDay} --to ${days.to} --format csv ${named}

To sync again, start the sandbox in another terminal and then:
  ${tillage} sandbox --port ${port} --days ${scene.dayCount} --until ${days.to}
  ${tillage} sync ${named}`
}

export const command = declareCommand({
  options: [
    option('--folder <folder>', 'folder for its data').default('tillage-data/demo'),
    option('--days <days>', 'how many days of sales each store has')
      .default(DAYS)
      .argParser(wholeNumber),
  ],
  storeless: true,
  run: demo,
})
