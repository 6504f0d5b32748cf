import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject } from 'vitest'
import { applicationName } from '../../connectors/postgres/connection/connections.ts'
import { withFileLock } from '../../file-lock.ts'
import { startServer } from './postgres-server.ts'

/** A schema that nothing was done in yet. */
export interface PostgresForTests {
  /** With the schema, as it stands in tillage.yaml. */
  url: string
  schema: string
}

let server: Promise<string> | undefined

/**
 * A schema of one's own on the PostgreSQL server that all test files of a run share; the first one
 * who asks starts it. Not installed: a failure that says what to do.
 */
export async function postgresForTests(): Promise<PostgresForTests> {
  server ??= sharedServer(inject('postgresFolder'))
  const url = await server
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  await asked(url, client => client.query(`CREATE SCHEMA ${schema}`))
  return { url: `${url}?schema=${schema}`, schema }
}

/** Its address, as the process that started it has written it down. */
function sharedServer(folder: string): Promise<string> {
  const record = join(folder, 'url')
  return withFileLock(
    join(folder, 'starting'),
    () => {},
    async () => {
      if (!existsSync(record)) {
        const port = await startServer(folder)
        writeFileSync(record, `postgres://tillage@127.0.0.1:${port}/postgres`)
      }
      return readFileSync(record, 'utf8')
    },
  )
}

/** Statements in the schema of an address. */
export const changeServer = (address: string, statements: readonly string[]): Promise<void> =>
  asked(address, async client => {
    await client.query(`SET search_path TO ${new URL(address).searchParams.get('schema')}`)
    for (const statement of statements) await client.query(statement)
  })

/** Ends connections as a restart of the server would; answers how many there were. */
export const endConnectionsTo = (address: string): Promise<number> =>
  asked(address, async client => {
    const { rows } = await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
      [applicationName(address)],
    )
    return rows.length
  })

async function asked<Answer>(
  address: string,
  work: (client: Client) => Promise<Answer>,
): Promise<Answer> {
  const client = new Client({ connectionString: address.replace(/\?.*/, '') })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
