import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SyncReport } from '../../temporal/run-sync.ts'
import { Visitor } from '../console/console.ts'
import { RANGE, startProject, storesOf, waitFor } from '../helpers/project.ts'
import { sized } from '../helpers/size.ts'

/** Days of the demo: it makes 360 sales a day, and says the same things whatever their number. */
const DEMO_DAYS = sized(2, 60)

let started: Awaited<ReturnType<typeof startProject>>
beforeAll(async () => {
  started = await startProject({ stores: 1 }, { embedded: true })
})
afterAll(() => started.close())

const processesOf = (folder: string): string[] =>
  spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(line => line.includes(folder))

/** What README.md shows of the demo's output, without what it leaves out. */
function shownInReadme(): string[] {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const block = /<!-- demo: [^]*?```text\n([^]*?)```/.exec(readme)?.[1] ?? ''
  const lines = block.split('\n').filter(line => line.trim() !== '' && line.trim() !== '...')
  expect(lines.length, 'lines of the demo in README.md').toBeGreaterThan(5)
  return lines
}

/** Times and counts differ from day to day and machine to machine, and columns with them. */
const maskLine = (line: string): string =>
  line
    .trim()
    .replaceAll(/\d[\d,.]*/g, '#')
    .replaceAll(/\s+/g, ' ')
const maskLines = (text: string): string[] => text.split('\n').map(maskLine)

test('up runs server, worker and schedules until Ctrl-C; a sync beside it uses them; nothing stays behind', async () => {
  const { project } = started
  project.configure(storesOf(started.sandbox))
  const up = project.start('up')
  let said = ''
  up.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await waitFor(() => said.includes('up: Temporal'), 'the machine to be up')
  expect(said).toContain('schedule nightly/downtown created: every day at 03:30')
  expect(said).not.toContain('workflows: http')

  await waitFor(() => said.includes('ticket='), 'the console')
  const signIn = /^Console: (http:.*ticket=.*)$/m.exec(said)![1]!
  const visitor = new Visitor(signIn)
  expect((await visitor.get(signIn)).headers.get('location')).toBe('/')
  expect((await visitor.get('/connections')).text).toMatch(/worker<\/dt>\s*<dd>up</)

  // A process of its own: it must give the server back when it ends.
  const synced = await project.start('sync', 'vendors', ...RANGE, '--json').outcome
  expect(synced.status).toBe(0)
  expect((JSON.parse(synced.stdout) as SyncReport).stores[0]!.streams[0]!.windows).toEqual({
    proven: 1,
    unproven: 0,
  })
  expect(up.exitCode).toBeNull()

  up.kill('SIGINT')
  const outcome = await up.outcome
  expect(outcome.status).toBe(0)
  await waitFor(() => processesOf(project.folder).length === 0, 'every process to be gone')
})

test('a second start finds its schedules and its history again, has a web UI where asked, and goes on where another program has the port of the console', async () => {
  const { project } = started
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  project.configure(storesOf(started.sandbox), { console: { listen: `127.0.0.1:${port}` } })
  const up = project.start('up', '--temporal-ui')
  let said = ''
  up.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await waitFor(() => said.includes('up: Temporal'), 'the machine to be up')
  expect(said).toContain('schedule nightly/downtown: every day at 03:30')
  expect(said).not.toContain('created')
  await waitFor(() => said.includes('the console is not there'), 'what became of the console')
  expect(said).toContain(`console cannot listen on 127.0.0.1:${port}`)
  const webUi = /workflows: (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1]
  const isShown = (): Promise<boolean> =>
    fetch(webUi!).then(
      ({ status }) => status === 200,
      () => false,
    )
  await waitFor(isShown, 'the web UI')
  up.kill('SIGTERM')
  expect((await up.outcome).status).toBe(0)
  other.close()
})

test('the demo needs nothing, proves every window, writes files and says what to try next', async () => {
  const { project } = started
  const { status, stdout } = await project.run('demo', '--days', String(DEMO_DAYS))
  expect(status).toBe(0)
  for (const stream of [
    'transactions',
    'batches',
    'members',
    'purchase_orders',
    'products',
    'vendors',
  ])
    expect(stdout).toMatch(new RegExp(`harbor\\s+${stream}\\s`))
  const rows = [...stdout.matchAll(/transactions\s+([\d,]+)/g)].reduce(
    (sum, [, count]) => sum + Number(count!.replaceAll(',', '')),
    0,
  )
  expect(rows).toBeGreaterThanOrEqual(DEMO_DAYS * 340)
  expect(stdout).not.toContain('unproven')
  for (const line of shownInReadme()) expect(maskLines(stdout)).toContain(maskLine(line))
  const names = project.files().map(file => file.slice(project.folder.length))
  for (const ending of ['parquet', 'csv', 'jsonl'])
    expect(
      names.some(
        name => name.startsWith('/tillage-data/demo/exports/downtown/') && name.endsWith(ending),
      ),
    ).toBe(true)
  const manifests = names.filter(name => /manifest_.*_r0\.json$/.test(name))
  // One of each store's exports, and one of the small audit.
  expect(manifests.filter(name => !name.includes('/audits/'))).toHaveLength(2)
  expect(manifests.filter(name => name.includes('/audits/'))).toHaveLength(1)
  // The commands that it names are real: the first two need no sandbox.
  for (const line of stdout.split('\n').filter(text => /-- (status|coverage|export)/.test(text))) {
    expect(
      (await project.run(...line.trim().replace('npm run -s tillage -- ', '').split(/\s+/))).status,
    ).toBe(0)
  }
})
