import type Sqlite from 'better-sqlite3'
import type {
  Approval,
  Facts,
  OutboundEvent,
  OutboundOperation,
  OutboundPlan,
  OutboundRun,
  StoredReceipt,
} from '../../destination/outbound.ts'
import type { AuditEntry } from './audit-chain.ts'

/** As it lies in the table: facts are JSON. */
export type Row<Shape extends { facts: Facts }> = Omit<Shape, 'facts'> & { facts: string }

export type PlanStatements = ReturnType<typeof preparePlans>
export type LogStatements = ReturnType<typeof prepareLog>
export type RunStatements = ReturnType<typeof prepareRuns>

const PLAN = 'SELECT plan, kind, hash, created_at AS createdAt, facts FROM outbound_plans'
const OPERATION = `SELECT plan, op, token, state, attempt, changed_at AS changedAt, facts
  FROM outbound_operations`
const APPROVAL = `SELECT plan, approver AS by, role, at, hash, origin, facts
  FROM outbound_approvals`
const RECEIPT = `SELECT plan, seq, op, sha256, previous_sha256 AS previousSha256, body
  FROM outbound_receipts`

/** Plans and their operations. */
export function preparePlans(connection: Sqlite.Database) {
  return {
    plan: connection.prepare<[string], Row<OutboundPlan>>(`${PLAN} WHERE plan = ?`),
    plans: connection.prepare<[string], Row<OutboundPlan>>(
      `${PLAN} WHERE kind = ? ORDER BY created_at DESC, plan DESC`,
    ),
    insertPlan: connection.prepare(
      `INSERT INTO outbound_plans (plan, kind, hash, created_at, facts)
       VALUES (@plan, @kind, @hash, @createdAt, @facts) ON CONFLICT (plan) DO NOTHING`,
    ),
    operation: connection.prepare<[string, string], Row<OutboundOperation>>(
      `${OPERATION} WHERE plan = ? AND op = ?`,
    ),
    operations: connection.prepare<[string], Row<OutboundOperation>>(
      `${OPERATION} WHERE plan = ? ORDER BY position`,
    ),
    insertOperation: connection.prepare(
      `INSERT INTO outbound_operations
         (plan, op, position, token, state, attempt, changed_at, facts)
       VALUES (@plan, @op, @position, @token, @state, @attempt, @changedAt, @facts)`,
    ),
    updateOperation: connection.prepare(
      `UPDATE outbound_operations
       SET state = @state, attempt = @attempt, changed_at = @changedAt, facts = @facts
       WHERE plan = @plan AND op = @op`,
    ),
  }
}

/** Runs: the newest of a plan is the only one that may send. */
export function prepareRuns(connection: Sqlite.Database) {
  return {
    runs: connection.prepare<[string], OutboundRun>(
      `SELECT plan, run, act, user, host, pid, process_started_at AS processStartedAt,
         started_at AS startedAt, alive_until AS aliveUntil, ended_at AS endedAt, outcome
       FROM outbound_runs WHERE plan = ? ORDER BY seq`,
    ),
    newest: connection.prepare<[string], { run: string; endedAt: string | null }>(
      `SELECT run, ended_at AS endedAt FROM outbound_runs WHERE plan = ?
       ORDER BY seq DESC LIMIT 1`,
    ),
    insert: connection.prepare(
      `INSERT INTO outbound_runs (plan, run, act, user, host, pid, process_started_at,
         started_at, alive_until, ended_at, outcome)
       VALUES (@plan, @run, @act, @user, @host, @pid, @processStartedAt,
         @startedAt, @aliveUntil, @endedAt, @outcome)`,
    ),
    renew: connection.prepare<[string, string]>(
      `UPDATE outbound_runs SET alive_until = ?
       WHERE run = ? AND ended_at IS NULL AND seq =
         (SELECT max(seq) FROM outbound_runs AS other WHERE other.plan = outbound_runs.plan)`,
    ),
    end: connection.prepare<[string, string, string]>(
      'UPDATE outbound_runs SET ended_at = ?, outcome = ? WHERE run = ? AND ended_at IS NULL',
    ),
  }
}

/** Approvals, what happened when, and receipts: lines are added, and never changed. */
export function prepareLog(connection: Sqlite.Database) {
  return {
    approvals: connection.prepare<[string], Row<Approval>>(
      `${APPROVAL} WHERE plan = ? ORDER BY position`,
    ),
    logged: connection.prepare<[string, string], AuditEntry>(
      `SELECT * FROM audit_log WHERE act = ? AND detail ->> 'plan' = ?`,
    ),
    insertApproval: connection.prepare(
      `INSERT INTO outbound_approvals (plan, position, approver, role, at, hash, origin, facts)
       VALUES (@plan, @position, @by, @role, @at, @hash, @origin, @facts)`,
    ),
    events: connection.prepare<[string], OutboundEvent>(
      `SELECT plan, op, at, event, by, detail FROM outbound_events WHERE plan = ? ORDER BY seq`,
    ),
    insertEvent: connection.prepare(
      `INSERT INTO outbound_events (plan, op, at, event, by, detail)
       VALUES (@plan, @op, @at, @event, @by, @detail)`,
    ),
    receipts: connection.prepare<[string], StoredReceipt>(`${RECEIPT} WHERE plan = ? ORDER BY seq`),
    receipt: connection.prepare<[string, string], StoredReceipt>(
      `${RECEIPT} WHERE plan = ? AND op = ?`,
    ),
    lastReceipt: connection.prepare<[string], StoredReceipt>(
      `${RECEIPT} WHERE plan = ? ORDER BY seq DESC LIMIT 1`,
    ),
    insertReceipt: connection.prepare(
      `INSERT INTO outbound_receipts (plan, seq, op, sha256, previous_sha256, body)
       VALUES (@plan, @seq, @op, @sha256, @previousSha256, @body)`,
    ),
  }
}
