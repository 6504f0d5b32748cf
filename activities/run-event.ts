import type { RunKind } from '../connectors/destination/runs.ts'

/** What a night, sweep or check of this process did just now, for people who watch a worker. */
export interface RunEvent {
  /** ISO, UTC. */
  at: string
  kind: RunKind
  store: string
  /** The business day of a night; the calendar day of anything else. */
  day: string
  event: 'begun' | 'waits' | 'done' | 'failed' | 'files'
  /** A sentence without records. */
  detail: string
  /** Where the files are. */
  manifests?: readonly string[]
}
