import { afterAll, beforeAll, expect, it } from 'vitest'
import { openHints } from '../../connectors/sqlite/tables/hints.ts'
import { askedOf } from '../helpers/asked.ts'
import { NOTHING_SCHEDULED, control, startProject, storesOf, waitFor } from '../helpers/project.ts'

const RANGE = ['--from', '2026-03-12', '--to', '2026-03-15'] as const

let started: Awaited<ReturnType<typeof startProject>>
beforeAll(async () => {
  started = await startProject({ stores: 1, days: 4, transactionsPerDay: 10 })
  // A port of its own: whatever is free now.
  configure('http://127.0.0.1:1/tillage')
  await started.project.run('sync', 'transactions', 'products', ...RANGE)
})
afterAll(() => started.close())

const configure = (publicUrl: string, listen = '127.0.0.1:0'): void =>
  started.project.configure(storesOf(started.sandbox), {
    schedules: NOTHING_SCHEDULED,
    webhooks: { listen, publicUrl },
  })

interface Told {
  stores: {
    url: string
    registrations: { id: string; type: string; url: string; state: string }[]
  }[]
}
const webhooks = async (...args: string[]): Promise<Told['stores'][0]> => {
  const outcome = await started.project.run('webhooks', ...args, '--json')
  expect([outcome.status, outcome.stderr]).toEqual([0, ''])
  return (JSON.parse(outcome.stdout) as Told).stores[0]!
}
const statesOf = ({ registrations }: Told['stores'][0]): string[] => [
  ...new Set(registrations.map(({ state }) => state)),
]

async function startUp() {
  const up = started.project.start('up')
  let said = ''
  up.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = up.outcome.then(({ stderr }) => Promise.reject(new Error(`up ended: ${stderr}`)))
  await Promise.race([waitFor(() => /listening on \S+/.test(said), 'the receiver'), ended])
  ended.catch(() => {})
  return { up, address: /listening on (\S+) /.exec(said)![1]! }
}

const priceOf = (id: string): unknown =>
  started.project.query(`SELECT unit_price FROM products WHERE id = '${id}'`)[0]
const ledger = (): unknown[] => started.project.query('SELECT * FROM windows ORDER BY 1, 2, 3, 4')

async function edit(id: string, unitPrice: number): Promise<void> {
  const op = { store: 'downtown', stream: 'products', op: 'edit', id, patch: { unitPrice } }
  await control(started.sandbox, 'POST', 'records', op)
}

it('apply makes the registrations, again changes nothing, and those of others stay', async () => {
  const { sandbox } = started
  const headers = {
    'content-type': 'application/json',
    'x-api-key': sandbox.partnerKey,
    authorization: sandbox.stores[0]!.developerKey,
  }
  const body = JSON.stringify({ webHookUrls: ['https://other.example/secret'] })
  const made = await fetch(`${sandbox.baseUrl}/api/v1/partner/webHooks`, {
    method: 'POST',
    headers,
    body,
  })
  expect(made.status).toBe(200)
  expect(statesOf(await webhooks('apply'))).toEqual(['created', 'foreign'])
  expect(statesOf(await webhooks('apply'))).toEqual(['kept', 'foreign'])
  const listed = await webhooks('list')
  expect(JSON.stringify(listed)).not.toMatch(/[\w-]{43}/)
  const { url } = await webhooks('list', '--show-secret')
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:1\/tillage\/downtown\/[\w-]{43}$/)
  expect(statesOf(await webhooks('rotate'))).toEqual(['changed', 'foreign'])
  expect((await webhooks('list', '--show-secret')).url).not.toBe(url)
  expect(statesOf(await webhooks('remove'))).toEqual(['foreign', 'removed'])
  expect(statesOf(await webhooks('list'))).toEqual(['foreign'])
})

it('an event brings its record within seconds and proves no window; a forged one brings nothing', async () => {
  const { project } = started
  const [[id, other]] = [project.query('SELECT id FROM products ORDER BY id LIMIT 2').flat()] as [
    [string, string],
  ]
  const before = ledger()
  await webhooks('apply')
  const { url } = await webhooks('list', '--show-secret')
  const { up, address } = await startUp()
  const path = new URL(url).pathname
  const send = async (event: object): Promise<number> => {
    const init = { method: 'POST', body: JSON.stringify(event) }
    return (await fetch(`http://${address}${path}`, init)).status
  }
  await edit(id, 77.77)
  await edit(other, 88.88)
  // What a body says of a record is believed by nobody.
  const forged = {
    webHookType: 'UPDATE_PRODUCT',
    id: 'nobody',
    unitPrice: 1,
    data: { unitPrice: 1 },
  }
  expect(await send(forged)).toBe(200)
  expect(await send({ webHookType: 'UPDATE_PRODUCT', id, unitPrice: 1 })).toBe(200)
  await waitFor(() => String(priceOf(id)) === '77.77', 'the record')
  expect(String(priceOf(other))).not.toBe('88.88')
  expect(project.query(`SELECT count(*) FROM products WHERE id = 'nobody'`)).toEqual([[0]])
  expect(ledger()).toEqual(before)

  // Killed between the answer and the reading.
  up.kill('SIGKILL')
  await up.outcome
  const hints = openHints(`${project.folder}/tillage-data/tillage.db`)
  await hints.keep([{ store: 'downtown', stream: 'products', id: other }], Date.now())
  await hints.close()
  const status = await project.run('status', '--json')
  const { freshness } = JSON.parse(status.stdout) as { freshness: { secondsBehind: number }[] }
  expect(freshness).toHaveLength(1)
  const again = await startUp()
  await waitFor(() => String(priceOf(other)) === '88.88', 'the record after the restart')
  again.up.kill('SIGINT')
  expect((await again.up.outcome).status).toBe(0)
})

it('an event without an id reads the list of today', async () => {
  const { project, sandbox } = started
  const { up, address } = await startUp()
  const { url } = await webhooks('list', '--show-secret')
  const asked = async (): Promise<string[]> => {
    const { requests } = await askedOf(sandbox)
    return requests.map(({ path }) => path)
  }
  const before = (await asked()).length
  const sent = await fetch(`http://${address}${new URL(url).pathname}`, { method: 'POST' })
  expect(sent.status).toBe(200)
  const waiting = async (): Promise<boolean> => {
    const status = await project.run('status', '--json')
    const { freshness } = JSON.parse(status.stdout) as {
      freshness: { stream: string; lastReadAt: string | null }[]
    }
    return freshness.find(({ stream }) => stream === 'transactions')?.lastReadAt === null
  }
  await waitFor(async () => !(await waiting()), 'the read of today')
  const since = (await asked()).slice(before)
  expect(since.filter(path => path.includes('/transactions')).length).toBeGreaterThan(0)
  up.kill('SIGINT')
  expect((await up.outcome).status).toBe(0)
})
