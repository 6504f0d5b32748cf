/** Reads one state of the database for a thread that waits meanwhile: see `question-tables.ts`. */
import { workerData } from 'node:worker_threads'
import type { QueryResult } from 'pg'
import { TillageError } from '../../../errors.ts'
import { openConnections } from '../connection/connections.ts'
import type { Answer, Asked, QuestionTask } from './question-tables.ts'

const { address, port, shared } = workerData as QuestionTask
const connections = openConnections(address, { most: 1, readonly: true })
const client = connections.connect().then(async connected => {
  await connected.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  return connected
})
// Said to whoever asks first.
client.catch(() => {})

port.on('message', (asked: Asked) => void answer(asked).then(tell))

async function answer({ text, values }: Asked): Promise<Answer> {
  try {
    const query = { text, values: [...values], rowMode: 'array' as const }
    const { rows }: QueryResult<(string | null)[]> = await (await client).query(query)
    return { rows }
  } catch (error) {
    if (!(error instanceof TillageError)) return { failed: { message: String(error) } }
    const { code, message, remedy } = error
    return { failed: { code, message, remedy } }
  }
}

function tell(given: Answer): void {
  port.postMessage(given)
  Atomics.store(shared, 0, 1)
  Atomics.notify(shared, 0)
}
