/**
 * `node test/helpers/query-postgres.ts ADDRESS` answers the queries of a JSON document on stdin,
 * `{ "name": "SELECT ..." }`, with the rows of each as lists: tests ask without waiting for a
 * promise.
 */
import { text } from 'node:stream/consumers'
import { openConnections } from '../../connectors/postgres/connection/connections.ts'

const connections = openConnections(process.argv[2]!, { most: 1, readonly: true })
const client = await connections.connect()
const queries = JSON.parse(await text(process.stdin)) as Record<string, string>
const answers: Record<string, unknown[]> = {}
for (const [name, sql] of Object.entries(queries))
  answers[name] = (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows
client.release()
await connections.end()
process.stdout.write(JSON.stringify(answers))
