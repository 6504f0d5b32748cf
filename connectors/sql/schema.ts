import type { Generated, GeneratedAlways } from 'kysely'
import type { RunKind } from '../destination/runs.ts'
import type { AuditEntry } from './audit-chain.ts'

/** Bookkeeping tables, beside one table or view per stream. Times are ISO texts in UTC. */
export interface Schema {
  windows: {
    store_id: string
    stream: string
    window_start: string
    window_end: string
    status: 'proven' | 'unproven'
    evidence: string
    /** The window in epoch milliseconds, and when it was read by its evidence. */
    start_ms: GeneratedAlways<number>
    end_ms: GeneratedAlways<number>
    read_at: GeneratedAlways<string | null>
  }
  dead_letters: {
    store_id: string
    stream: string
    record_key: string
    reason: string
    raw: string
    window_start: string
    window_end: string
    first_seen_at: string
  }
  findings: {
    id: string
    store_id: string
    stream: string
    code: string
    detail: string
    times: number
    first_seen_at: string
    last_seen_at: string
  }
  stores: {
    store_id: string
    company_id: string | null
    shop_id: string | null
    name: string | null
    base_url: string | null
    time_zone: string
    checked_at: string
  }
  /**
   * What is known of how a store's API behaves where its documentation is silent; stream is empty
   * for the store as a whole.
   */
  behaviours: {
    store_id: string
    stream: string
    fact: string
    value: string
    evidence: string
    seen_at: string
  }
  /**
   * What is known of a stream's records: a Shape as JSON, and the run that read the stream for the
   * first time.
   */
  shapes: { store_id: string; stream: string; learned_by: string; shape: string }
  /**
   * Every window that was read, in order, with its counts: what changed when. Rows carry the batch
   * that touched them last.
   */
  readings: {
    batch: Generated<number>
    store_id: string
    stream: string
    window_start: string
    window_end: string
    status: 'proven' | 'unproven' | 'replayed' | 'looked_up' | 'evicted'
    counts: string
    read_at: string
  }
  /**
   * Every state of a record that was replaced, or that came out of order: it stood from one batch
   * until another, never at all where both are the same. `gone_at` is epoch milliseconds: the
   * record was missed then. Triggers write this.
   */
  versions: {
    stream: string
    store_id: string
    id: string
    from_batch: number
    to_batch: number
    modified: number | null
    gone_at: number | null
    raw: string
  }
  /** Dead letters that a person gave up: who, when and why. The record itself is kept. */
  discarded_letters: Schema['dead_letters'] & {
    discarded_at: string
    discarded_by: string
    discard_reason: string
  }
  /**
   * Records that arrived after their time had been proven: how late at most, by UTC day of arrival.
   */
  lateness: { store_id: string; stream: string; day: string; max_ms: number; records: number }
  /**
   * What was given to Temporal last. `since` is when it became due at this time; `settings` is the
   * JSON of `ScheduleFacts`.
   */
  schedules: {
    schedule_id: string
    kind: RunKind
    store_id: string
    settings: string
    since: string
    paused_at: string | null
    note: string | null
  }
  /**
   * One row for each store and day: the business day of a night, the calendar day of anything else.
   */
  runs: {
    kind: RunKind
    store_id: string
    day: string
    due_at: string
    deadline_at: string | null
    started_at: string
    finished_at: string | null
    outcome: 'running' | 'done' | 'failed'
    attempts: number
    detail: string
  }
  /**
   * What each comparison with the API said, of so many windows, or records by their id.
   * `rate_bound` is not exceeded by the rate of wrong rows, or of windows with a wrong row, with 95
   * % confidence.
   */
  checks: {
    store_id: string
    stream: string
    checked_at: string
    seed: number
    drawn_by: 'window' | 'id'
    drawn: number
    compared: number
    mismatched: number
    changed: number
    healed: number
    rate_bound: number
    bound_of: 'rows' | 'windows'
  }
  /**
   * What a night knows of the books of a business day: the manifest of this sha256 holds every
   * reading up to and with this batch, as far as it is the day's.
   */
  booked_days: { store_id: string; day: string; manifest: string; batch: number }
  /** Ids that the API does not know, and when it was asked. */
  missing_records: { store_id: string; stream: string; id: string; asked_at: string }
  /** The one row of `connectors/destination/identity.ts`. */
  database_identity: { one: 1; id: string }
  /** The newest try to read each store (`connectors/destination/attempts.ts`). */
  attempts: {
    store_id: string
    at: string
    outcome: 'answered' | 'failed'
    code: string | null
    detail: string | null
    failing_since: string | null
  }
  /**
   * What somebody was called for (`notify/`), open and over. `things` is the JSON of what it holds;
   * `number` counts what was told of it: its opening is 1.
   */
  notices: {
    id: string
    key: string
    number: number
    kind: string
    severity: 'warning' | 'critical'
    things: string
    opened_at: string
    told_at: string
    closed_at: string | null
  }
  /** What is sent to one channel, or to the heartbeat, and what came of it. */
  deliveries: {
    id: string
    channel: string
    state: string
    document: string
    at: string
    outcome: 'waiting' | 'taken' | 'given up'
    attempts: number
    tried_at: string | null
    detail: string | null
  }
  /** The newest comparison of what was pushed with what is there. */
  drift_looks: { store_id: string; at: string; records: number; drifted: number }
  /** Of addresses that the API tells of changes, the last part of their paths. */
  hook_addresses: { store_id: string; secret: string }
  /** Programs that work until they are ended, and by which settings; those that were killed too. */
  programs: {
    machine: string
    pid: number
    process_started: string
    at: string
    settings: string
    problem: string | null
  }
  /**
   * Who showed or changed more than an ordinary run does: only added to. `hash` is over the entry
   * and `previous`, the hash of the entry before it (audit-chain.ts).
   */
  audit_log: Omit<AuditEntry, 'seq'> & { seq: Generated<number> }
  /**
   * People who were forgotten, as salted hashes of their ids, so that a later reading does not
   * bring them back. The certificate is JSON: what was removed, and where it could not be.
   */
  forgotten_members: {
    store_id: string
    hash: string
    salt: string
    /** Characters of the id. */
    length: number
    at: string
    certificate: string
  }
}
