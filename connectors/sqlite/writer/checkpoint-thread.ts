/** Makes a checkpoint whenever the writer asks for one: see `checkpoints.ts`. */
import { workerData } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { openConnection } from '../connection/open-connection.ts'
import { ASKED, CLOSING, CONNECTED, IDLE, RUNNING, STATE } from './checkpoints.ts'
import type { CheckpointTask } from './checkpoints.ts'

const { path, shared } = workerData as CheckpointTask
let connection: Database.Database | undefined

function connect(): Database.Database {
  const opened = openConnection(path)
  Atomics.store(shared, CONNECTED, 1)
  return opened
}

function checkpoint(): void {
  try {
    connection ??= connect()
    connection.pragma('wal_checkpoint(PASSIVE)')
  } catch {
    // A full disk, say. The log still has everything, and the writer tries when it becomes long.
  }
}

while (Atomics.load(shared, STATE) !== CLOSING) {
  if (Atomics.compareExchange(shared, STATE, ASKED, RUNNING) === ASKED) {
    checkpoint()
    Atomics.store(shared, STATE, IDLE)
    Atomics.notify(shared, STATE)
  }
  Atomics.wait(shared, STATE, IDLE)
}
try {
  connection?.close()
} finally {
  Atomics.store(shared, CONNECTED, 0)
  Atomics.notify(shared, CONNECTED)
}
