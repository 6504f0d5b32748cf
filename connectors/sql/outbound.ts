import { guardedBy } from '../destination/outbound.ts'
import type {
  Approval,
  OperationState,
  OutboundEvent,
  OutboundOperation,
  OutboundPlan,
  OutboundRun,
  OutboundStore,
  OutboundTables,
  PlanDocuments,
  StoredReceipt,
  Transition,
} from '../destination/outbound.ts'
import { RENAME_ACT } from '../destination/renames.ts'
import type { Rename } from '../destination/renames.ts'
import type { AuditEntry } from './audit-chain.ts'
import type { Sql, SqlConnection } from './connection.ts'
import { firstOf } from './connection.ts'
import { isUnderWay, runsIn } from './outbound-runs.ts'
import { straysIn } from './stray-operations.ts'
import { ACTS, appendEvidence, appendManifest, isLogged, parseFacts } from './written-evidence.ts'

/** On a connection of its own, which is closed with it. */
export const outboundOn = (sql: SqlConnection, documents?: PlanDocuments): OutboundTables => ({
  documents,
  ...plansIn(sql),
  ...operationsIn(sql),
  ...approvalsIn(sql),
  ...runsIn(sql),
  ...eventsIn(sql),
  ...receiptsIn(sql),
  keepManifest: manifest => sql.write(inside => appendManifest(inside, manifest)),
  close: () => sql.close(),
})

/** As it lies in the table: facts are JSON. */
type Row<Shape> = Omit<Shape, 'facts'> & { facts: string }

async function withFacts<Shape extends { facts: object }>(
  rows: Promise<Row<Shape>[]>,
): Promise<Shape[]> {
  return (await rows).map(row => ({ ...row, facts: parseFacts(row.facts) }) as unknown as Shape)
}

const PLAN = 'SELECT plan, kind, hash, created_at AS "createdAt", facts FROM outbound_plans'

const plansIn = (
  sql: SqlConnection,
): Pick<OutboundStore, 'savePlan' | 'plan' | 'plans' | 'renames' | 'openPlans'> => ({
  savePlan: (plan, operations, event) =>
    sql.write(async inside => {
      const isNew = await savePlan(inside, plan, operations)
      if (isNew && event !== undefined) await addEvent(inside, event)
    }),
  async plan(id) {
    const found = sql.all<Row<OutboundPlan>>(`${PLAN} WHERE plan = @id`, { id })
    return (await withFacts<OutboundPlan>(found))[0]
  },
  plans: kind =>
    withFacts<OutboundPlan>(
      sql.all(`${PLAN} WHERE kind = @kind ORDER BY created_at DESC, plan DESC`, { kind }),
    ),
  renames: () => renamesIn(sql),
  openPlans: (states, acts) => openPlansIn(sql, [...states], [...acts]),
})

async function renamesIn(sql: Sql): Promise<Rename[]> {
  const entries = await sql.all<Pick<AuditEntry, 'at' | 'detail'>>(
    'SELECT at, detail FROM audit_log WHERE act = @act ORDER BY seq',
    { act: RENAME_ACT },
  )
  return entries.map(({ at, detail }) => {
    const { from, to } = JSON.parse(detail) as Pick<Rename, 'from' | 'to'>
    return { from, to, at }
  })
}

async function savePlan(
  sql: Sql,
  plan: OutboundPlan,
  operations: readonly OutboundOperation[],
): Promise<boolean> {
  const changes = await sql.run(
    `INSERT INTO outbound_plans (plan, kind, hash, created_at, facts)
     VALUES (@plan, @kind, @hash, @createdAt, @facts) ON CONFLICT (plan) DO NOTHING`,
    { ...plan, facts: JSON.stringify(plan.facts) },
  )
  if (changes === 0) return false
  for (const [position, operation] of operations.entries())
    await sql.run(
      `INSERT INTO outbound_operations
         (plan, op, position, token, state, attempt, changed_at, facts)
       VALUES (@plan, @op, @position, @token, @state, @attempt, @changedAt, @facts)`,
      { ...operation, position, facts: JSON.stringify(operation.facts) },
    )
  await appendEvidence(sql, { kind: 'plan', plan: plan.plan, sha256: plan.hash })
  return true
}

const OPERATION = `SELECT plan, op, token, state, attempt, changed_at AS "changedAt", facts
  FROM outbound_operations`

const operationsIn = (
  sql: SqlConnection,
): Pick<OutboundStore, 'operations' | 'operation' | 'strayOperations' | 'move'> => ({
  operations: plan =>
    withFacts<OutboundOperation>(
      sql.all(`${OPERATION} WHERE plan = @plan ORDER BY position`, { plan }),
    ),
  operation: (plan, op) => operationOf(sql, plan, op),
  strayOperations: plan => straysIn(sql, plan),
  move: step => sql.write(inside => move(inside, step)),
})

async function operationOf(
  sql: Sql,
  plan: string,
  op: string,
): Promise<OutboundOperation | undefined> {
  const found = sql.all<Row<OutboundOperation>>(`${OPERATION} WHERE plan = @plan AND op = @op`, {
    plan,
    op,
  })
  return (await withFacts<OutboundOperation>(found))[0]
}

async function move(sql: Sql, step: Transition): Promise<boolean> {
  const { plan, op, at, event, by = null, detail, sendsIn } = step
  const known = await operationOf(sql, plan, op)
  if (known === undefined || !step.from.includes(known.state)) return false
  if (step.attempt !== undefined && known.attempt !== step.attempt) return false
  if (sendsIn !== undefined && !(await isUnderWay(sql, plan, sendsIn))) return false
  await sql.run(
    `UPDATE outbound_operations
     SET state = @state, attempt = @attempt, changed_at = @at, facts = @facts
     WHERE plan = @plan AND op = @op`,
    {
      plan,
      op,
      state: step.to,
      attempt: known.attempt + (sendsIn === undefined ? 0 : 1),
      at,
      facts: JSON.stringify({ ...known.facts, ...step.facts }),
    },
  )
  await addEvent(sql, { plan, op, at, event, by, detail })
  return true
}

const APPROVAL = `SELECT plan, approver AS "by", role, at, hash, origin, facts
  FROM outbound_approvals WHERE plan = @plan ORDER BY position`

const approvalsOf = (sql: Sql, plan: string): Promise<Approval[]> =>
  withFacts<Approval>(sql.all(APPROVAL, { plan }))

const approvalsIn = (
  sql: SqlConnection,
): Pick<OutboundStore, 'approvals' | 'unloggedApprovals' | 'approve'> => ({
  approvals: plan => approvalsOf(sql, plan),
  async unloggedApprovals(plan) {
    const logged = await sql.all<AuditEntry>('SELECT * FROM audit_log WHERE act = @act', {
      act: ACTS.approval,
    })
    const given = await approvalsOf(sql, plan)
    return given.filter(approval => !isLogged(approval, logged))
  },
  approve: (approval, before) => sql.write(inside => approve(inside, approval, before)),
})

async function approve(sql: Sql, approval: Approval, before: number): Promise<boolean> {
  const { plan, by, hash } = approval
  if ((await approvalsOf(sql, plan)).length !== before) return false
  await sql.run(
    `INSERT INTO outbound_approvals (plan, position, approver, role, at, hash, origin, facts)
     VALUES (@plan, @position, @by, @role, @at, @hash, @origin, @facts)`,
    { ...approval, facts: JSON.stringify(approval.facts), position: before },
  )
  const guarded = guardedBy(approval)
  await appendEvidence(sql, { kind: 'approval', plan, by, sha256: hash, guarded })
  return true
}

const eventsIn = (sql: SqlConnection): Pick<OutboundStore, 'note' | 'events'> => ({
  note: event => sql.write(inside => addEvent(inside, event)),
  events: plan =>
    sql.all<OutboundEvent>(
      `SELECT plan, op, at, event, "by", detail FROM outbound_events
       WHERE plan = @plan ORDER BY seq`,
      { plan },
    ),
})

async function addEvent(sql: Sql, event: OutboundEvent): Promise<void> {
  await sql.run(
    `INSERT INTO outbound_events (plan, op, at, event, "by", detail)
     VALUES (@plan, @op, @at, @event, @by, @detail)`,
    event,
  )
}

const RECEIPT = `SELECT plan, seq, op, sha256, previous_sha256 AS "previousSha256", body
  FROM outbound_receipts WHERE plan = @plan`

const lastReceipt = (sql: Sql, plan: string): Promise<StoredReceipt | undefined> =>
  firstOf<StoredReceipt>(sql, `${RECEIPT} ORDER BY seq DESC LIMIT 1`, { plan })

const receiptsIn = (
  sql: SqlConnection,
): Pick<OutboundStore, 'receipts' | 'receipt' | 'lastReceipt' | 'addReceipt'> => ({
  receipts: plan => sql.all<StoredReceipt>(`${RECEIPT} ORDER BY seq`, { plan }),
  receipt: (plan, op) => firstOf<StoredReceipt>(sql, `${RECEIPT} AND op = @op`, { plan, op }),
  lastReceipt: plan => lastReceipt(sql, plan),
  addReceipt: (receipt, last) => sql.write(inside => addReceipt(inside, receipt, last)),
})

async function addReceipt(
  sql: Sql,
  receipt: StoredReceipt,
  last: Pick<StoredReceipt, 'sha256'> | undefined,
): Promise<boolean> {
  const { plan, seq, sha256 } = receipt
  const newest = await lastReceipt(sql, plan)
  if (newest?.sha256 !== last?.sha256) return false
  await sql.run(
    `INSERT INTO outbound_receipts (plan, seq, op, sha256, previous_sha256, body)
     VALUES (@plan, @seq, @op, @sha256, @previousSha256, @body)`,
    receipt,
  )
  await appendEvidence(sql, { kind: 'receipt', plan, seq, sha256 })
  return true
}

/** Plans with an operation in one of these states, a run that did not end, or a stray. */
async function openPlansIn(
  sql: Sql,
  states: readonly OperationState[],
  acts: readonly OutboundRun['act'][],
): Promise<ReadonlySet<string>> {
  const listed = (names: readonly string[], as: string): string =>
    names.map((_, index) => `@${as}${index}`).join(', ')
  const found = await sql.all<{ plan: string }>(
    `SELECT plan FROM outbound_operations WHERE state IN (${listed(states, 'state')})
     UNION
     SELECT plan FROM outbound_runs AS run
     WHERE act IN (${listed(acts, 'act')}) AND coalesce(outcome, '') <> 'done' AND NOT EXISTS (
       SELECT 1 FROM outbound_runs AS later WHERE later.plan = run.plan AND later.seq > run.seq
         AND later.act IN (${listed(acts, 'act')}))`,
    Object.fromEntries([
      ...states.map((state, index) => [`state${index}`, state]),
      ...acts.map((act, index) => [`act${index}`, act]),
    ]),
  )
  const strays = await straysIn(sql, null)
  return new Set([...found, ...strays].map(({ plan }) => plan))
}
