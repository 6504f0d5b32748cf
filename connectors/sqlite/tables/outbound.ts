import { guardedBy } from '../../destination/outbound.ts'
import type {
  Approval,
  Facts,
  OutboundOperation,
  OutboundPlan,
  OutboundRun,
  OutboundStore,
  StoredReceipt,
  Transition,
} from '../../destination/outbound.ts'
import { openConnection } from '../connection/open-connection.ts'
import { failFastWhenBusy, retryWhileBusy } from '../connection/retry-while-busy.ts'
import { parseFacts } from './facts.ts'
import { prepareLog, preparePlans, prepareRuns } from './outbound-statements.ts'
import type { LogStatements, PlanStatements, Row, RunStatements } from './outbound-statements.ts'
import { prepareStanding, straysIn } from './stray-operations.ts'
import { ACTS, appendEvidence, appendManifest, isLogged } from './written-evidence.ts'

const withFacts = <Shape extends { facts: Facts }>(row: Row<Shape>): Shape =>
  ({ ...row, facts: parseFacts(row.facts) }) as unknown as Shape

/**
 * Has a connection of its own: unlike rows, which can be read again, what is written here must be
 * on the disk before anything is sent. The tables are made with all others (`migrate`).
 */
export function openOutboundStore(path: string): OutboundStore {
  const connection = failFastWhenBusy(openConnection(path))
  connection.pragma('synchronous = FULL')
  const plans = preparePlans(connection)
  const runs = prepareRuns(connection)
  const journal = prepareLog(connection)
  const standing = prepareStanding(connection)
  const write = async <Answer>(action: () => Answer): Promise<Answer> =>
    retryWhileBusy(path, connection.transaction(action).immediate)

  return {
    savePlan: (plan, operations) =>
      write(() => {
        if (!savePlan(plans, plan, operations)) return
        appendEvidence(connection, { kind: 'plan', plan: plan.plan, sha256: plan.hash })
      }),
    plan: async id => {
      const row = plans.plan.get(id)
      return row === undefined ? undefined : withFacts<OutboundPlan>(row)
    },
    plans: async kind => plans.plans.all(kind).map(row => withFacts<OutboundPlan>(row)),
    operations: async plan =>
      plans.operations.all(plan).map(row => withFacts<OutboundOperation>(row)),
    operation: async (plan, op) => {
      const row = plans.operation.get(plan, op)
      return row === undefined ? undefined : withFacts<OutboundOperation>(row)
    },
    strayOperations: async plan => straysIn(standing, plan),
    approvals: async plan => journal.approvals.all(plan).map(row => withFacts<Approval>(row)),
    unloggedApprovals: async plan => {
      const entries = journal.logged.all(ACTS.approval, plan)
      const given = journal.approvals.all(plan).map(row => withFacts<Approval>(row))
      return given.filter(approval => !isLogged(approval, entries))
    },
    approve: (approval, before) =>
      write(() => {
        const { plan, by, hash } = approval
        if (!approve(journal, approval, before)) return false
        appendEvidence(connection, {
          kind: 'approval',
          plan,
          by,
          sha256: hash,
          guarded: guardedBy(approval),
        })
        return true
      }),
    runs: async plan => runs.runs.all(plan),
    beginRun: (run, after) => write(() => beginRun(runs, run, after)),
    renewRun: (run, until) => write(() => runs.renew.run(until, run).changes > 0),
    endRun: (run, at, outcome) => write(() => void runs.end.run(at, outcome, run)),
    move: step => write(() => move({ plans, runs, journal }, step)),
    note: event => write(() => void journal.insertEvent.run(event)),
    events: async plan => journal.events.all(plan),
    receipts: async plan => journal.receipts.all(plan),
    receipt: async (plan, op) => journal.receipt.get(plan, op),
    lastReceipt: async plan => journal.lastReceipt.get(plan),
    addReceipt: receipt =>
      write(() => {
        const { plan, seq, sha256 } = receipt
        if (!addReceipt(journal, receipt)) return false
        appendEvidence(connection, { kind: 'receipt', plan, seq, sha256 })
        return true
      }),
    keepManifest: manifest => write(() => appendManifest(connection, manifest)),
    close: async () => void connection.close(),
  }
}

function savePlan(
  { insertPlan, insertOperation }: PlanStatements,
  plan: OutboundPlan,
  operations: readonly OutboundOperation[],
): boolean {
  const { changes } = insertPlan.run({ ...plan, facts: JSON.stringify(plan.facts) })
  if (changes === 0) return false
  for (const [position, operation] of operations.entries())
    insertOperation.run({ ...operation, position, facts: JSON.stringify(operation.facts) })
  return true
}

function approve(journal: LogStatements, approval: Approval, before: number): boolean {
  if (journal.approvals.all(approval.plan).length !== before) return false
  const facts = JSON.stringify(approval.facts)
  journal.insertApproval.run({ ...approval, facts, position: before })
  return true
}

function beginRun(runs: RunStatements, run: OutboundRun, after: string | null): boolean {
  if ((runs.newest.get(run.plan)?.run ?? null) !== after) return false
  runs.insert.run(run)
  return true
}

function addReceipt(journal: LogStatements, receipt: StoredReceipt): boolean {
  const last = journal.lastReceipt.get(receipt.plan)
  if ((last?.seq ?? 0) !== receipt.seq - 1) return false
  if ((last?.sha256 ?? null) !== receipt.previousSha256) return false
  journal.insertReceipt.run(receipt)
  return true
}

function move(
  { plans, runs, journal }: { plans: PlanStatements; runs: RunStatements; journal: LogStatements },
  step: Transition,
): boolean {
  const row = plans.operation.get(step.plan, step.op)
  if (row === undefined || !step.from.includes(row.state)) return false
  if (step.attempt !== undefined && row.attempt !== step.attempt) return false
  const { plan, op, at, event, by, detail, sendsIn } = step
  if (sendsIn !== undefined && !isUnderWay(runs, plan, sendsIn)) return false
  plans.updateOperation.run({
    plan,
    op,
    state: step.to,
    attempt: row.attempt + (sendsIn === undefined ? 0 : 1),
    changedAt: at,
    facts: JSON.stringify({ ...parseFacts(row.facts), ...step.facts }),
  })
  journal.insertEvent.run({ plan, op, at, event, by: by ?? null, detail })
  return true
}

function isUnderWay(runs: RunStatements, plan: string, run: string): boolean {
  const newest = runs.newest.get(plan)
  return newest?.run === run && newest.endedAt === null
}
