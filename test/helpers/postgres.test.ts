import { Client } from 'pg'
import { expect, test } from 'vitest'
import { postgresForTests } from './postgres.ts'

test('a test has a schema of its own on a real server', async () => {
  const [one, other] = await Promise.all([postgresForTests(), postgresForTests()])
  const client = new Client({ connectionString: one.url.replace(/\?.*/, '') })
  await client.connect()
  try {
    const { rows } = await client.query(
      'SELECT nspname FROM pg_namespace WHERE nspname = ANY($1) ORDER BY 1',
      [[one.schema, other.schema]],
    )
    expect(rows).toHaveLength(2)
    const version = await client.query<{ server_version_num: string }>('SHOW server_version_num')
    expect(Number(version.rows[0]!.server_version_num)).toBeGreaterThanOrEqual(150_000)
  } finally {
    await client.end()
  }
})
