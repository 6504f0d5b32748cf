import type { Client } from '@temporalio/client'
import type { Dependencies } from '../activities/dependencies.ts'
import type { Closing } from '../closing.ts'
import type { Push } from '../push/push.ts'

/** A client to give work, and everything that activities use; no worker. */
export interface Connected extends Closing {
  client: Client
  taskQueue: string
  /** Whether the namespace has our search attributes, so that work is started with them. */
  hasSearchAttributes: boolean
  dependencies: Dependencies
  /** Catalogs out: what its activities use. */
  push: Push
  temporalAddress: string
  /** The address of Temporal's web UI, where this machine has one. */
  webUi: string | undefined
  /** Hears what is worth a word while somebody waits. */
  say: (line: string) => void
  /** Closes everything, the embedded server last. Safe to call twice. */
  close(): Promise<void>
}

/**
 * A worker that is running in this process, and a client to give it work. `close` lets what is
 * under way come to its end first.
 */
export interface RunningWorker extends Connected {
  /** Where the SDK serves its own series, `host:port`; undefined: nowhere. */
  sdkMetrics: string | undefined
  /** Rejects when the worker stops by itself. */
  stopped: Promise<void>
  /**
   * From now on this process carries out the writes to the API of a run that it has begun; without
   * one, those that no command waits for.
   */
  carryOutWrites(run?: string): Promise<void>
}
