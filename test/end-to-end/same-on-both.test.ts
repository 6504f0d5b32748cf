import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { control, DATABASES, Project, storesOf } from '../helpers/project.ts'
import type { DatabaseName } from '../helpers/project.ts'
import { ownNamespace } from '../helpers/temporal.ts'

const PRELOAD = fileURLToPath(new URL('../crash/preload.ts', import.meta.url))
const RANGE = ['--from', '2026-03-07', '--to', '2026-03-10'] as const
const STREAMS = ['transactions', 'batches', 'members', 'products', 'vendors']
const DATASETS = ['transactions', 'transaction_items', 'members', 'raw_transactions', 'products']

const newProject = async (sandbox: Sandbox, database: DatabaseName): Promise<Project> => {
  const project = new Project(await ownNamespace())
  onTestFinished(() => project.remove())
  await project.chooseDatabase(database)
  project.configure(storesOf(sandbox))
  return project
}

async function run(project: Project, ...args: string[]): Promise<void> {
  const { status, stderr } = await project.run(...args)
  expect(status, `${args.join(' ')}: ${stderr}`).toBe(0)
}

/** Killed without a word at one of its first commits, then run again. */
async function syncThroughKill(project: Project, commit: number): Promise<void> {
  const order = { log: `${project.folder}/commits.log`, commit, act: 'die before' }
  project.nodeArguments = ['--import', PRELOAD]
  project.environment = { TILLAGE_CRASH: JSON.stringify(order) }
  expect((await project.start('sync', ...STREAMS, ...RANGE).outcome).status).toBeNull()
  project.nodeArguments = []
  project.environment = {}
  await run(project, 'sync', ...STREAMS, ...RANGE)
}

async function giveOut(project: Project): Promise<void> {
  await run(project, 'export', ...DATASETS, ...RANGE, '--format', 'csv,parquet,jsonl,xlsx')
  await run(project, 'journal', ...RANGE)
}

/** The bytes of everything that was given out. */
const hashes = (project: Project): Record<string, string> =>
  Object.fromEntries(
    project
      .files(`${project.folder}/tillage-data/exports`)
      .map(path => [
        relative(project.folder, path),
        createHash('sha256').update(project.read(path)).digest('hex'),
      ]),
  )

/** The SQL that a page shows. */
function questionIn(page: string): string {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  return /```sql\n([^]+?)```/.exec(text)![1]!
}

test('the same files come from SQLite and from PostgreSQL, where a worker was killed, and so do their revisions', async () => {
  const sandbox = await startSandbox({
    stores: 1,
    days: 6,
    until: '2026-03-11',
    transactionsPerDay: 20,
  })
  onTestFinished(() => sandbox.close())
  const projects = await Promise.all(DATABASES.map(name => newProject(sandbox, name)))
  await run(projects[0]!, 'sync', ...STREAMS, ...RANGE)
  await syncThroughKill(projects[1]!, 4)
  for (const project of projects) await giveOut(project)
  expect(projects[1]!.query(questionIn('postgresql.md'))).toHaveLength(4)
  expect(projects[1]!.query(questionIn('cluster.md')).length).toBeGreaterThan(0)

  const [first, other] = projects.map(hashes)
  expect(Object.keys(first!).length).toBeGreaterThan(20)
  expect(other).toEqual(first)

  const [sale] = (await control(
    sandbox,
    'GET',
    'records?store=downtown&stream=transactions&from=2026-03-08T12:00:00Z&to=2026-03-09T12:00:00Z',
  )) as { id: string; modified: number }[]
  const patch = { modified: sale!.modified + 60_000, status: 'Voided' }
  const edit = { store: 'downtown', stream: 'transactions', op: 'edit', id: sale!.id, patch }
  await control(sandbox, 'POST', 'records', edit)
  for (const project of projects) {
    await run(project, 'sync', 'transactions', ...RANGE, '--again')
    await giveOut(project)
  }
  const [later, laterOther] = projects.map(hashes)
  // The twin: something was given out anew, and nothing that was is another now.
  expect(Object.keys(later!).length).toBeGreaterThan(Object.keys(first!).length)
  expect(later).toMatchObject(first!)
  expect(laterOther).toEqual(later)
})
