import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startSandbox } from '../../sandbox/server.ts'
import type { Sandbox } from '../../sandbox/server.ts'
import { ANY_PORT } from '../helpers/any-port.ts'
import { NOTHING_SCHEDULED, Project, control, storesOf, waitFor } from '../helpers/project.ts'
import { ownNamespace } from '../helpers/temporal.ts'

const RANGE = ['--from', '2026-03-06', '--to', '2026-03-09'] as const
/** A port of its own: whatever is free then. */
const WEBHOOKS = { ...ANY_PORT, publicUrl: 'http://127.0.0.1:1/tillage' }
const DAY = ['--from', '2026-03-07', '--to', '2026-03-08'] as const

let sandbox: Sandbox
/** Each has a folder of its own; they share a database, a Temporal server and the API. */
let machines: Project[]

beforeAll(async () => {
  sandbox = await startSandbox({ stores: 1, days: 5, until: '2026-03-10', transactionsPerDay: 20 })
  const temporal = await ownNamespace()
  const [one, other] = [new Project(temporal), new Project(temporal)]
  await one.chooseDatabase('PostgreSQL')
  other.shareDatabaseOf(one)
  machines = [one, other]
  for (const machine of machines)
    machine.configure(storesOf(sandbox), { schedules: NOTHING_SCHEDULED, webhooks: WEBHOOKS })
})
afterAll(async () => {
  for (const machine of machines) await machine.remove()
  await sandbox.close()
})

async function run(machine: Project, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await machine.run(...args)
  expect(status, `${args.join(' ')}: ${stderr}`).toBe(0)
  expect(stderr).not.toContain('MESSAGE_REFUSED')
  return stdout
}

/** A process for one of them. */
const onBoth = (...args: string[]): Promise<string[]> =>
  Promise.all(machines.map(machine => run(machine, ...args)))

/** Both in this process: what they hold against each other is a lease in the database. */
async function besideOnBoth(...args: string[]): Promise<void> {
  const outcomes = await Promise.all(machines.map(machine => machine.runBeside(args)))
  for (const { status, stderr } of outcomes) {
    expect(status, `${args.join(' ')}: ${stderr}`).toBe(0)
    expect(stderr).not.toContain('MESSAGE_REFUSED')
  }
}

/** The bytes of everything that a machine gave out, by name. */
const hashes = (machine: Project): Record<string, string> =>
  Object.fromEntries(
    machine
      .files(`${machine.folder}/tillage-data/exports`)
      .map(path => [basename(path), createHash('sha256').update(machine.read(path)).digest('hex')]),
  )

const EXPORT = ['export', 'transactions', 'transaction_items', 'members', ...DAY] as const

it('two machines that read at once obey what each of them sends through Temporal', async () => {
  const [one, other] = machines as [Project, Project]
  await Promise.all([
    run(one, 'sync', 'transactions', 'batches', ...RANGE),
    run(other, 'sync', 'members', 'products', 'vendors', ...RANGE),
  ])
  expect(one.query(`SELECT count(*) FROM kept_secrets WHERE name = 'message-key'`)).toEqual([[1]])
  expect(one.files(`${one.folder}/tillage-data`).join()).not.toMatch(/message-key|\.hints/)
})

it('two machines that export a day at once give it out as one revision with the same bytes', async () => {
  const [one, other] = machines as [Project, Project]
  await onBoth(...EXPORT, '--format', 'csv,parquet')
  expect(Object.keys(hashes(one)).length).toBeGreaterThan(5)
  expect(hashes(other)).toEqual(hashes(one))
  const numbers = 'SELECT stream, revision FROM revisions ORDER BY stream, revision'
  const first = one.query(numbers) as [string, number][]
  expect(first.filter(([, revision]) => revision !== 0)).toEqual([])
  const [sale] = (await control(
    sandbox,
    'GET',
    'records?store=downtown&stream=transactions&from=2026-03-07T12:00:00Z&to=2026-03-08T02:00:00Z',
  )) as { id: string; modified: number }[]
  const patch = { modified: sale!.modified + 60_000, status: 'Voided' }
  const edit = { store: 'downtown', stream: 'transactions', op: 'edit', id: sale!.id, patch }
  await control(sandbox, 'POST', 'records', edit)
  await run(other, 'sync', 'transactions', ...RANGE, '--again')
  await besideOnBoth(...EXPORT, '--format', 'csv,parquet')
  expect(hashes(other)).toEqual(hashes(one))
  expect(one.query(numbers)).toEqual([...first, ['transactions', 1]])
  expect(one.query('SELECT * FROM leases')).toEqual([])
})

it('two machines that book a day at once post it once', async () => {
  const [one, other] = machines as [Project, Project]
  await besideOnBoth('journal', '--date', '2026-03-07')
  expect(hashes(other)).toEqual(hashes(one))
  expect(one.query('SELECT number FROM journal_entries')).toHaveLength(1)
})

/** `up`, once it takes events; answers where. */
async function takeEvents(machine: Project) {
  const up = machine.start('up')
  let said = ''
  up.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await waitFor(() => /listening on \S+/.test(said), 'the receiver')
  return { up, address: /listening on (\S+) /.exec(said)![1]! }
}

it('an event that a machine has taken before it died is read by another', async () => {
  const [one, other] = machines as [Project, Project]
  const [[id]] = one.query('SELECT id FROM products ORDER BY id LIMIT 1') as [[string]]
  const price = (): string =>
    String(one.query(`SELECT unit_price FROM products WHERE id = '${id}'`))
  await run(one, 'webhooks', 'apply')
  const told = await run(other, 'webhooks', 'list', '--show-secret', '--json')
  const { url } = (JSON.parse(told) as { stores: [{ url: string }] }).stores[0]
  const first = await takeEvents(one)
  await control(sandbox, 'POST', 'faults', [{ match: '/products', status: 503 }])
  const patch = {
    store: 'downtown',
    stream: 'products',
    op: 'edit',
    id,
    patch: { unitPrice: 77.77 },
  }
  await control(sandbox, 'POST', 'records', patch)
  const body = JSON.stringify({ webHookType: 'UPDATE_PRODUCT', id })
  const { pathname } = new URL(url)
  const answer = await fetch(`http://${first.address}${pathname}`, { method: 'POST', body })
  expect(answer.status).toBe(200)
  first.up.kill('SIGKILL')
  await first.up.outcome
  await control(sandbox, 'DELETE', 'faults')
  expect(price()).not.toBe('77.77')
  const second = await takeEvents(other)
  await waitFor(() => price() === '77.77', 'the record')
  second.up.kill('SIGINT')
  expect((await second.up.outcome).status).toBe(0)
})
