import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
/**
 * What was committed stands in SQLite's log until a checkpoint copies it into the database file and
 * waits for the disk. A thread with a connection of its own does that beside the writing, as SQLite
 * provides for; a crash at any moment leaves a log that the next one to open the database reads.
 */
import type Database from 'better-sqlite3'

export interface LogLimits {
  /** Worth a checkpoint: so much of the log is not in the database file. */
  backlogBytes: number
  /** From here on the writer copies the rest itself and cuts the log, once nobody reads it. */
  longestBytes: number
}

const LOG_LIMITS: LogLimits = { backlogBytes: 32_000_000, longestBytes: 192_000_000 }

export interface Checkpoints {
  /** Call outside of any transaction. Never fails: what is in the log is safe there. */
  afterCommit(): void
  /** Waits for the checkpoint that is under way; no other begins before the next `afterCommit`. */
  settle(): void
  /** Ends the thread and its connection. */
  close(): void
}

export function createCheckpoints(
  database: Database.Database,
  { backlogBytes, longestBytes }: LogLimits = LOG_LIMITS,
): Checkpoints {
  const pageBytes = database.pragma('page_size', { simple: true }) as number
  // SQLite's own would be the writer's.
  database.pragma('wal_autocheckpoint = 0')
  const lengths = database
    .prepare<[], [busy: number, log: number, copied: number]>('PRAGMA wal_checkpoint(NOOP)')
    .raw()
  let thread: CheckpointThread | undefined
  return {
    afterCommit() {
      try {
        const [, log, copied] = lengths.get()!
        if (log * pageBytes >= longestBytes) {
          thread?.settle()
          cutLog(database)
        } else if ((log - copied) * pageBytes >= backlogBytes) {
          thread ??= startThread(database.name)
          thread.ask()
        }
      } catch {
        // A full disk, say. The next commit tries again, or has the same trouble and tells of it.
      }
    },
    settle: () => thread?.settle(),
    close: () => thread?.close(),
  }
}

/** What the thread is given: which database, and two numbers that both see. */
export interface CheckpointTask {
  path: string
  shared: Int32Array
}

/** The numbers: what is to be done, and 1 while the thread has a connection. */
export const [STATE, CONNECTED] = [0, 1]

/**
 * Values of STATE. The writer turns IDLE into ASKED, and back where the thread has not begun yet;
 * the thread turns ASKED into RUNNING and that into IDLE.
 */
export const [IDLE, ASKED, RUNNING, CLOSING] = [0, 1, 2, 3]

interface CheckpointThread {
  ask(): void
  settle(): void
  close(): void
}

function startThread(path: string): CheckpointThread {
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const here = import.meta.url
  const file = `./checkpoint-thread${here.endsWith('.ts') ? '.ts' : '.js'}`
  const workerData: CheckpointTask = { path, shared }
  const thread = new Worker(new URL(file, here), { workerData })
  thread.unref()
  // Without it the writer does what is needed.
  thread.on('error', () => undefined)
  const settle = (): void => {
    Atomics.compareExchange(shared, STATE, ASKED, IDLE)
    Atomics.wait(shared, STATE, RUNNING)
  }
  return {
    ask() {
      if (Atomics.compareExchange(shared, STATE, IDLE, ASKED) === IDLE)
        Atomics.notify(shared, STATE)
    },
    settle,
    close() {
      settle()
      Atomics.store(shared, STATE, CLOSING)
      Atomics.notify(shared, STATE)
      Atomics.wait(shared, CONNECTED, 1)
    },
  }
}

/** Whoever reads just now is not waited for longer; the next one who closes does the same. */
const CHECKPOINT_MS = 2_000

/**
 * After an orderly end all rows are in the database file itself, so that a copy of that one file is
 * not empty: SQLite would leave them in the log where a reader closes last.
 */
export function closeChecked(database: Database.Database): void {
  try {
    emptyLog(database)
  } finally {
    database.close()
  }
}

/** Waits for readers, but not for long. Never fails. */
export const emptyLog = (database: Database.Database): void => truncate(database, CHECKPOINT_MS)

/**
 * Copies what can be copied, and takes the log's space back where nobody reads an older state: a
 * reader that stays for hours makes the log longer, and must not leave it so.
 */
const cutLog = (database: Database.Database): void => truncate(database, 0)

function truncate(database: Database.Database, waitMs: number): void {
  const timeoutMs = database.pragma('busy_timeout', { simple: true }) as number
  try {
    database.pragma(`busy_timeout = ${waitMs}`)
    database.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // A full disk, say: the rows are safe in the log, and no work fails for its end.
  } finally {
    database.pragma(`busy_timeout = ${timeoutMs}`)
  }
}

/** Bytes of the log on the disk. */
export const logBytesOf = (path: string): number =>
  statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
