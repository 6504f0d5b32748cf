import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrate } from '../../connectors/database.ts'
import { streams } from '../../connectors/partner/streams/index.ts'
import { openConnections } from '../../connectors/postgres/connection/connections.ts'
import { withSql } from '../../connectors/postgres/connection/sql-connection.ts'
import { makeOddDatabase } from '../connectors/copy/odd-database.ts'
import { postgresForTests } from '../helpers/postgres.ts'
import { Project } from '../helpers/project.ts'

const SECRET = 'the secret of this database'
const ODD = { texts: ['', 'a', 'b\tc'], decimals: ['1.00', '2e1'], integers: [0n, 2n ** 60n] }
const STORE = {
  id: 'downtown',
  baseUrl: 'http://127.0.0.1:9',
  developerKey: 'd'.repeat(20),
  partnerKey: 'p'.repeat(20),
}

let project: Project
let url: string
/** With a password, which is said nowhere. */
let address: string
const path = (): string => join(project.folder, 'till.db')

beforeAll(async () => {
  url = (await postgresForTests()).url
  address = url.replace('tillage@', 'tillage:not-to-be-said@')
})

async function begin(): Promise<void> {
  project = new Project()
  project.configure([STORE], { database: url })
  await makeOddDatabase(path(), ODD)
  writeFileSync(`${path()}.member-secret`, `${SECRET}\n`, { mode: 0o600 })
}

beforeAll(begin)
afterAll(() => project.remove())

it('prints the SQL, makes the tables, and says nothing of a password', async () => {
  const printed = await project.run('database', 'create', address, '--print')
  expect(printed).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('CREATE TABLE windows'),
  })
  const made = await project.run('database', 'create', address, '--json')
  expect(JSON.parse(made.stdout)).toMatchObject({ owner: 'tillage' })
  for (const { stdout, stderr } of [printed, made])
    expect(stdout + stderr).not.toContain('not-to-be-said')
})

it('goes on with a copy that was killed, takes the member secret along, and gives the source up', async () => {
  const holder = openConnections(address, { most: 1 })
  const client = await holder.connect()
  await client.query('BEGIN; LOCK TABLE rows_products IN SHARE MODE')
  const killed = project.start('database', 'copy', '--from', path(), '--to', address)
  await expect.poll(waiting).toBe(1)
  killed.kill('SIGKILL')
  await once(killed, 'close')
  await client.query('ROLLBACK')
  client.release()
  await holder.end()
  const refused = await project.run('status', '--json')
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'DATABASE_INCOMPLETE' } })
  const args = ['database', 'copy', '--from', path(), '--to', address, '--resume', '--json']
  const copied = await project.run(...args)
  expect(copied).toMatchObject({ status: 0, stderr: expect.not.stringContaining('not-to-be-said') })
  const report = JSON.parse(copied.stdout) as { same: object[] }
  expect(report).toMatchObject({ verified: true, moved: true, different: [] })
  expect(report.same).toContainEqual(
    expect.objectContaining({
      table: 'rows_transactions',
      store: 'downtown',
      sum: expect.any(String),
    }),
  )
  for (const said of [copied.stdout, copied.stderr]) expect(said).not.toContain(SECRET)
  expect(await withSql(url, sql => sql.all('SELECT name, value FROM kept_secrets'))).toEqual([
    { name: 'member-secret', value: SECRET },
  ])
  expect((await project.run('verify', '--database')).stdout).not.toContain('missing')
})

/** Statements that wait for a lock of the tests' schema. */
const waiting = (): Promise<number> =>
  withSql(url, async sql => {
    const found = await sql.all(
      `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'rows_products'::regclass`,
    )
    return found.length
  })

it('refuses every command that would write to what was moved, and says where everything is', async () => {
  const moved = new Project()
  moved.configure([STORE], { database: path() })
  for (const command of [
    ['sync', '--from', '2026-03-01', '--to', '2026-03-02'],
    ['journal', '--from', '2026-03-01', '--to', '2026-03-02'],
    ['export', 'transactions', '--from', '2026-03-01', '--to', '2026-03-02'],
    ['store', 'rename', 'downtown', 'uptown'],
    ['forget', 'somebody', '--by', 'me', '--reason', 'asked'],
    ['dead-letters', 'replay'],
  ]) {
    const { stdout } = await moved.run(...command, '--json')
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string } }
    expect([command[0], error.code]).toEqual([command[0], 'DATABASE_MOVED'])
    expect(error.message).toContain(url.replace('tillage@', ''))
  }
  const { stdout } = await moved.run(
    'database',
    'copy',
    '--from',
    path(),
    '--to',
    './x.db',
    '--json',
  )
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'DATABASE_MOVED' } })
  await moved.remove()
})

it('takes the member secret back into a file, for its owner alone', async () => {
  const back = join(project.folder, 'kept.db')
  const args = ['database', 'copy', '--from', address, '--to', back, '--keep', '--json']
  const { status, stdout, stderr } = await project.run(...args)
  expect([status, stdout.includes(SECRET), stderr.includes(SECRET)]).toEqual([0, false, false])
  expect(readFileSync(`${back}.member-secret`, 'utf8')).toBe(`${SECRET}\n`)
  expect(statSync(`${back}.member-secret`).mode & 0o077).toBe(0)
})

it('refuses to leave a member secret behind that another one stands in for', async () => {
  const back = join(project.folder, 'back', 'till.db')
  mkdirSync(join(project.folder, 'back'))
  writeFileSync(`${back}.member-secret`, 'the secret of another database\n')
  const { stdout } = await project.run(
    'database',
    'copy',
    '--from',
    address,
    '--to',
    back,
    '--json',
  )
  expect(JSON.parse(stdout)).toMatchObject({
    error: {
      code: 'USAGE',
      message: expect.stringMatching(/member secret of .*back.till\.db is another/),
    },
  })
  expect(existsSync(`${back}.copying`)).toBe(false)
  expect(stdout).not.toContain('the secret of')
})

it('a moved database is still read: status and notify list say where everything is, and how it stood', async () => {
  const moving = new Project()
  const server = (await postgresForTests()).url
  const [from, back] = ['from.db', 'back.db'].map(name => join(moving.folder, name))
  await migrate(from!, streams)
  for (const [database, to] of [
    [from!, server],
    [server, back!],
  ] as const) {
    moving.configure([STORE], { database })
    expect((await moving.run('database', 'copy', '--from', database, '--to', to)).status).toBe(0)
    for (const command of [['status'], ['notify', 'list']]) {
      const { status, stderr } = await moving.run(...command, '--json')
      expect([command, status]).toEqual([command, 0])
      expect(stderr).toContain(
        `takes no writes: it is ${to.replace('tillage@', '')} now; this is how it stood then`,
      )
    }
  }
  await moving.remove()
})
