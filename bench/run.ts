/**
 * `npm run bench`: Tillage against what people use, on the same records and the same API, in one
 * run. Writes `docs/performance.md` with its two plots. No time fails anything.
 *
 * `--records N` (default 100,000) and `--many N` (default 1,000,000; 0 leaves it out) are the
 * sizes, `--rounds N` (default 2) says how often each contender takes its turn.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openConnections } from '../connectors/postgres/connection/connections.ts'
import { readServerFacts } from '../connectors/postgres/connection/server-facts.ts'
import { sqlOn } from '../connectors/postgres/connection/sql-connection.ts'
import { endServer, newServerFolder, startServer } from '../test/helpers/postgres-server.ts'
import { Api } from './api.ts'
import { drainPages } from './ceilings.ts'
import { buildTillage, FRAMEWORK, onPostgres, preparePeers, SCRIPT, TILLAGE } from './contenders.ts'
import type { Contender } from './contenders.ts'
import { plotDuel, plotGovernor } from './plots.ts'
import { exportBooks, findCeilings, moveLimit, stayUp, syncAgain, takeTurns } from './regimes.ts'
import type { Run } from './regimes.ts'
import { writePage } from './report.ts'
import type { Results } from './report.ts'

const DOCS = resolve(import.meta.dirname, '../docs')
const LATENCY_MS = 50

/** Of PostgreSQL by itself; tests have less. */
const SERVER = { fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' }

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    many: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '2' },
    out: { type: 'string', default: DOCS },
  },
})

process.env['TZ'] = 'UTC'
mkdirSync(values.out, { recursive: true })
const scratch = mkdtempSync(join(tmpdir(), 'tillage-bench-'))
const folderOf = ({ name }: Contender): string => join(scratch, name.replaceAll(/\W+/g, '-'))
try {
  await buildTillage()
  const peersMissing = preparePeers()
  const scripts = peersMissing === undefined ? [SCRIPT] : []
  const frameworks = peersMissing === undefined ? [FRAMEWORK] : []
  const some = await runSome(scripts, frameworks)
  const many = await runMany(scripts)
  const results: Results = { ...some, many, peersMissing }
  writeFileSync(join(values.out, 'performance-duel.svg'), plotDuel(results))
  writeFileSync(join(values.out, 'performance-governor.svg'), plotGovernor(results.governed))
  writeFileSync(join(values.out, 'performance.md'), writePage(results))
  console.log(`written: ${join(values.out, 'performance.md')}`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** Every situation of the usual size. */
async function runSome(
  scripts: readonly Contender[],
  frameworks: readonly Contender[],
): Promise<Omit<Results, 'many' | 'peersMissing'>> {
  const rounds = Number(values.rounds)
  const api = await Api.start(Number(values.records))
  try {
    const framework = await takeTurns(api, frameworks, 1, folderOf)
    const postgres = await runOnPostgres(api, frameworks.length > 0)
    const plain = await takeTurns(api, [...scripts, TILLAGE], rounds, folderOf)
    const folder = folderOf(TILLAGE)
    const task = { url: api.url, facts: await api.facts(), folder }
    const again = await syncAgain(folder, task)
    const idle = await stayUp(folder)
    const ceilings = await findCeilings(api, folder)
    const exported = await exportBooks(folder, task)
    await api.set({ latencyMs: LATENCY_MS })
    const slow = await takeTurns(api, [...scripts, TILLAGE], 1, folderOf)
    const slowDrainSeconds = await drainPages(api.url, task.facts.held.transactions)
    await api.set()
    const governed = await moveLimit(api, folder)
    return {
      plain: [...plain, ...framework],
      postgres,
      again,
      idle,
      ceilings,
      exported,
      slow,
      slowDrainSeconds,
      governed,
    }
  } finally {
    api.stop()
  }
}

/** The framework once, Tillage as often as elsewhere, each on a server that has nothing yet. */
async function runOnPostgres(api: Api, withFramework: boolean): Promise<Results['postgres']> {
  const names = Array.from({ length: Number(values.rounds) }, () => 'tillage' as const)
  const runs: Run[] = []
  let version = ''
  for (const name of withFramework ? (['framework', ...names] as const) : names) {
    const folder = newServerFolder()
    try {
      const port = await startServer(folder, SERVER)
      // dlt wants a password, whether the server asks for one or not.
      const address = `postgres://tillage:duel@127.0.0.1:${port}/postgres`
      version = await versionOf(address)
      runs.push(...(await takeTurns(api, [onPostgres(address)[name]], 1, folderOf)))
    } finally {
      endServer(folder)
    }
  }
  return { version, runs }
}

async function versionOf(address: string): Promise<string> {
  const connections = openConnections(address, { most: 1, readonly: true })
  const { version } = await readServerFacts(sqlOn(connections))
  await connections.end()
  return version
}

/** Script and Tillage once each, on a list ten times as long. */
async function runMany(scripts: readonly Contender[]): Promise<Results['many']> {
  if (Number(values.many) === 0) return []
  const api = await Api.start(Number(values.many))
  try {
    return await takeTurns(api, [...scripts, TILLAGE], 1, folderOf)
  } finally {
    api.stop()
  }
}
