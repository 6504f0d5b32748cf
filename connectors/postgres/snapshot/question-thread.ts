/** Reads one state of the database for a thread that waits meanwhile: see `question-tables.ts`. */
import { workerData } from 'node:worker_threads'
import type { QueryResult } from 'pg'
import { DatabaseError, sentError, TillageError } from '../../../errors.ts'
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
    const ours =
      error instanceof TillageError ? error : new DatabaseError('DATABASE_BROKEN', String(error))
    return { failed: sentError(ours) }
  }
}

function tell(given: Answer): void {
  port.postMessage(given)
  Atomics.store(shared, 0, 1)
  Atomics.notify(shared, 0)
}
