import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openConnections } from '../../../connectors/postgres/connection/connections.ts'
import type { Connections } from '../../../connectors/postgres/connection/connections.ts'
import { sqlOn } from '../../../connectors/postgres/connection/sql-connection.ts'
import { inTransaction } from '../../../connectors/postgres/connection/transaction.ts'
import { postgresForTests } from '../../helpers/postgres.ts'

let url: string
let schema: string
const opened: Connections[] = []
const openAt = (address: string, most = 5): Connections => {
  const connections = openConnections(address, { most })
  opened.push(connections)
  return connections
}

beforeAll(async () => {
  ;({ url, schema } = await postgresForTests())
  const sql = sqlOn(openAt(url))
  await sql.run('CREATE TABLE kept (name text)')
})
afterAll(async () => {
  for (const connections of opened) await connections.end()
})

const run = (connections: Connections, text: string): Promise<unknown> =>
  inTransaction(connections, client => client.query(text))

describe('what fails says what to do:', () => {
  it.each([
    ['a server that is not there', 'DATABASE_UNREACHABLE', () => changed({ port: '1' })],
    ['a database that is not there', 'DATABASE_REFUSED', () => changed({ pathname: '/nothing' })],
    ['a user that is not there', 'DATABASE_REFUSED', () => changed({ username: 'nobody' })],
  ])('%s', async (_, code, address) => {
    const failing = run(openAt(address()), 'SELECT 1')
    await expect(failing).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^postgres:\/\/127\.0\.0\.1/) as string,
      remedy: expect.stringContaining('tillage.yaml') as string,
    })
  })

  it.each([
    [
      'a statement that takes too long',
      'DATABASE_BUSY',
      'SET LOCAL statement_timeout = 1; SELECT pg_sleep(9)',
    ],
    ['a deadlock', 'DATABASE_BUSY', raise('40P01')],
    ['a full disk', 'DATABASE_FULL', raise('53100')],
    ['a connection too many', 'DATABASE_UNREACHABLE', raise('53300')],
    ['a standby', 'DATABASE_UNREACHABLE', 'SET TRANSACTION READ ONLY; CREATE TABLE no (a int)'],
    [
      'a table that a standby lacks',
      'DATABASE_UNREACHABLE',
      `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '0A000',
       MESSAGE = 'cannot access temporary or unlogged relations during recovery'; END $$`,
    ],
    [
      'a server that is shut down',
      'DATABASE_UNREACHABLE',
      'SELECT pg_terminate_backend(pg_backend_pid())',
    ],
    [
      'a right that is missing',
      'DATABASE_REFUSED',
      'SET LOCAL ROLE pg_monitor; SELECT * FROM pg_authid',
    ],
    ['a table that is gone', 'DATABASE_BROKEN', 'SELECT * FROM gone'],
    ['a column that is gone', 'DATABASE_BROKEN', 'SELECT gone FROM kept'],
  ])('%s', async (_, code, text) => {
    const connections = openAt(url)
    await expect(run(connections, text)).rejects.toMatchObject({ code })
    expect(await run(connections, 'SELECT 1'), 'the next one works').toBeDefined()
  })

  it('a mistake of ours stays one', async () => {
    await expect(run(openAt(url), 'SELEC 1')).rejects.not.toHaveProperty('remedy')
  })

  it('no value is told, and no password', async () => {
    const failing = run(openAt(changed({ password: 'pssst' })), `SELECT 'secret'::int`)
    const message = await failing.then(String, String)
    expect(message).toMatch(/22P02/)
    expect(message).not.toMatch(/secret|pssst/)
  })
})

describe('a connection that is lost at COMMIT', () => {
  it.each([
    ['after the server has got it', true, 5],
    ['before', false, 5],
    // A command has no more than the one.
    ['after the server has got it, of a single connection', true, 1],
    ['before, of a single connection', false, 1],
  ])('is no guess: %s', async (_, isForwarded, most) => {
    const proxy = await losingCommits(isForwarded)
    const { port } = proxy.address() as { port: number }
    const name = `forwarded ${isForwarded} ${most}`
    const connections = openAt(changed({ port: String(port) }), most)
    try {
      const writing = run(connections, `INSERT INTO kept VALUES ('${name}')`)
      if (isForwarded) await writing
      else await expect(writing).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' })
      const sql = sqlOn(openAt(url))
      const rows = await sql.all('SELECT name FROM kept WHERE name = @name', { name })
      expect(rows).toHaveLength(isForwarded ? 1 : 0)
    } finally {
      proxy.close()
    }
  })
})

/** Ends the first connection that sends a COMMIT, which the server has got then or never gets. */
function losingCommits(isForwarded: boolean): Promise<Server> {
  let hasLost = false
  const server = createServer(client => {
    const upstream = connect(Number(new URL(url).port), '127.0.0.1')
    const drop = (socket: Socket): unknown => socket.on('error', () => {}).destroy()
    upstream.on('data', data => client.write(data)).on('error', () => drop(client))
    client.on('error', () => drop(upstream)).on('close', () => upstream.end())
    client.on('data', data => {
      const isCommit = !hasLost && data.includes('COMMIT')
      if (!isCommit) return void upstream.write(data)
      hasLost = true
      if (!isForwarded) drop(upstream)
      else
        upstream
          .removeAllListeners('data')
          .once('data', () => drop(client))
          .write(data)
      if (!isForwarded) drop(client)
    })
  })
  const { promise, resolve } = Promise.withResolvers<Server>()
  server.listen(0, '127.0.0.1', () => resolve(server))
  return promise
}

function changed(
  parts: Partial<Record<'port' | 'pathname' | 'username' | 'password', string>>,
): string {
  const address = new URL(url)
  Object.assign(address, parts)
  address.searchParams.set('schema', schema)
  return address.href
}

function raise(code: string): string {
  return `DO $$ BEGIN RAISE EXCEPTION 'said' USING ERRCODE = '${code}'; END $$`
}
