import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { stringify } from 'yaml'
import type { Report } from '../audit/make-report.ts'
import { exportStore } from '../books/export-store.ts'
import type { StoreExport } from '../books/export-store.ts'
import { dayOf } from '../calendar/clock.ts'
import { addDays } from '../calendar/days.ts'
import { loadConfig } from '../config.ts'
import { dailyStreams, streams } from '../connectors/partner/streams/index.ts'
import { openReadOnly } from '../connectors/sqlite/read-only.ts'
import { UsageError } from '../errors.ts'
import { datasetsOf } from '../exports/datasets.ts'
import { runSync } from '../temporal/run-sync.ts'
import { startWorker } from '../worker.ts'
import { declareCommand, option } from './command.ts'
import type { Context } from './command.ts'
import { demoAudit } from './demo-audit.ts'
import { demoPush } from './demo-push.ts'
import { describeSync, describeTroubles } from './describe-sync.ts'
import { syncExitStatus } from './sync.ts'

const DAYS = 60
/** The first words of a configuration that the demo wrote. */
const SIGNATURE = '# Written by the demo'
/** What each demo begins anew. */
const DATA = ['tillage.db', 'tillage.db-wal', 'tillage.db-shm', 'exports', 'push']

interface SandboxFacts {
  baseUrl: string
  partnerKey: string
  stores: { id: string; name: string; timeZone: string; developerKey: string }[]
}

/** `tillage demo`: everything, end to end, on data of its own. Needs no configuration. */
export async function demo(
  { terminal, signal }: Context,
  { folder }: { folder: string },
): Promise<number> {
  const root = resolve(folder)
  const entry = realpathSync(process.argv[1]!)
  refuseForeign(root, folder)
  // A day that has begun everywhere: the sandbox's data must not lie ahead of the clock in any
  // store's zone.
  const until = dayOf(Date.now(), 'Etc/GMT+12')
  const days = { from: addDays(until, -DAYS), to: until }
  const api = await startSandboxProcess(entry, ['--days', String(DAYS), '--until', until])
  try {
    // Each demo starts anew; Temporal keeps its history, as it would on a real machine.
    mkdirSync(root, { recursive: true })
    for (const name of DATA) rmSync(resolve(root, name), { recursive: true, force: true })
    const configFile = resolve(root, 'tillage.yaml')
    writeFileSync(configFile, configText(api.facts))
    const config = loadConfig(configFile)
    terminal.log(
      `A sandbox of the Partner Commerce API serves ${api.facts.stores.length} stores (${api.facts.stores.map(store => `${store.id}, ${store.timeZone}`).join('; ')}), ${DAYS} days each.`,
    )

    const startedMs = Date.now()
    const worker = await startWorker(config, terminal.progress)
    let outcome
    let pushed = ''
    try {
      outcome = await runSync(
        worker,
        {
          stores: config.stores.map(({ id }) => id),
          streams: dailyStreams.map(({ name }) => name),
          ...days,
          again: true,
          tolerant: true,
        },
        terminal.progress,
        signal,
      )
      terminal.progress('pushing three prices, and undoing them')
      const store = config.stores[0]!.id
      pushed = await demoPush(worker, { store, folder: root, signal })
    } finally {
      await worker.close()
    }
    const { report } = outcome
    if (!terminal.json) terminal.print(`\n${describeSync(outcome, Date.now() - startedMs)}\n`)
    if (!terminal.json) terminal.print(`  ${pushed}\n`)
    for (const line of describeTroubles(report)) terminal.log(line)

    const database = await openReadOnly(config, streams)
    const exported = []
    try {
      for (const { id } of config.stores) {
        exported.push(
          await exportStore(
            { config, database },
            {
              store: id,
              days,
              datasets: datasetsOf(dailyStreams.filter(({ optional }) => optional !== true))
                .filter(({ rawOf }) => rawOf === undefined)
                .map(({ name }) => name),
              formats: ['parquet', 'csv', 'jsonl'],
              out: config.exports,
              includePeople: false,
            },
            { progress: terminal.progress, signal },
          ),
        )
      }
    } finally {
      await database.close()
    }
    const audit = await demoAudit(config, { terminal, signal })
    if (terminal.json)
      terminal.print(
        JSON.stringify({
          ...report,
          files: exported.flatMap(({ files }) => files),
          manifests: exported.map(({ manifest }) => manifest),
          audit,
        }),
      )
    else {
      terminal.print(describeAudit(audit))
      terminal.print(nextSteps(root, config.exports, exported, entry, days, api.facts))
    }
    return syncExitStatus(report)
  } finally {
    await api.stop()
  }
}

function describeAudit({ counted, files }: Report): string {
  const workbook = files.find(({ format }) => format === 'xlsx')!.path
  return `  A small audit: ${counted} lots counted, one is one short; its workbook is\n  ${relative(process.cwd(), workbook)}\n`
}

/** Only what the demo itself wrote is removed. */
function refuseForeign(root: string, folder: string): void {
  const configFile = resolve(root, 'tillage.yaml')
  if (existsSync(configFile) && readFileSync(configFile, 'utf8').startsWith(SIGNATURE)) return
  const foreign = ['tillage.yaml', ...DATA].find(name => existsSync(resolve(root, name)))
  if (foreign === undefined) return
  throw new UsageError(
    `${folder} holds ${foreign}, which no demo wrote; the demo would replace it`,
    'Nothing was touched. Name an empty folder: --folder DIR; without it, the demo lives in tillage-data/demo.',
  )
}

function configText({ baseUrl, partnerKey, stores }: SandboxFacts): string {
  const body = {
    stores: stores.map(({ id, timeZone, developerKey }) => ({
      id,
      baseUrl,
      partnerKey,
      developerKey,
      timeZone,
    })),
    database: './tillage.db',
    exports: './exports',
    temporal: 'embedded',
  }
  return `${SIGNATURE}; the keys are the sandbox's. A real file takes them from the environment: \${NAME}.\n${stringify(body)}`
}

async function startSandboxProcess(
  entry: string,
  flags: readonly string[],
): Promise<{ facts: SandboxFacts; stop(): Promise<void> }> {
  const child: ChildProcess = spawn(
    process.execPath,
    [entry, 'sandbox', '--json', '--port', '0', ...flags],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout! })
  const first = await Promise.race([
    once(lines, 'line').then(([line]) => line as string),
    exited.then(() => undefined),
  ])
  if (first === undefined) throw new Error('the sandbox did not start')
  return {
    facts: JSON.parse(first) as SandboxFacts,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

function nextSteps(
  root: string,
  exportsFolder: string,
  exported: readonly StoreExport[],
  entry: string,
  days: { from: string; to: string },
  facts: SandboxFacts,
): string {
  const here = (path: string): string => relative(process.cwd(), path) || '.'
  const tillage = entry.endsWith('.ts') ? 'npm run -s tillage --' : 'npx tillage'
  const config = `--config ${here(root)}/tillage.yaml`
  const store = facts.stores[0]!.id
  const files = exported.reduce((sum, one) => sum + one.files.length, 0)
  return `  ${files} files (Parquet, CSV, JSONL) with a manifest for each store are in ${here(exportsFolder)}
  The database is ${here(root)}/tillage.db

Try next:
  ${tillage} status ${config}
  ${tillage} coverage transactions --store ${store} ${config}
  ${tillage} journal --date ${addDays(days.to, -1)} --format generic,qbo ${config}
  ${tillage} export transactions transaction_items --from ${addDays(days.to, -1)} --to ${days.to} --format csv ${config}

To sync again, start the sandbox in another terminal and then:
  ${tillage} sandbox --port ${new URL(facts.baseUrl).port} --days ${DAYS} --until ${days.to}
  ${tillage} sync ${config}`
}

export const command = declareCommand({
  options: [option('--folder <folder>', 'where its data goes').default('tillage-data/demo')],
  storeless: true,
  run: demo,
})
