import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject } from 'vitest'
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
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`CREATE SCHEMA ${schema}`)
  } finally {
    await client.end()
  }
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
