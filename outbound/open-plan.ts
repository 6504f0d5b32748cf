import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describeStray, OPERATION_STATES } from '../connectors/destination/outbound.ts'
import type {
  OutboundEvent,
  OutboundOperation,
  OutboundPlan,
  OutboundStore,
} from '../connectors/destination/outbound.ts'
import { UsageError } from '../errors.ts'
import { sha256Of } from '../sha256.ts'
import { planChanged } from './plan-changed.ts'
import { restoreDocuments } from './restore-documents.ts'

/** What a kind of plan brings: where its documents lie, and what they say. */
export interface PlanKind<Document> {
  readonly name: OutboundPlan['kind']
  /** How its documents end: `.json`. */
  readonly suffix: string
  /** Below the folders of this installation: a copy must not write into those of its original. */
  pathOf(plan: OutboundPlan): string
  /** What is sent, out of the document alone. Throws where the text is no such document. */
  parse(text: string): Document
  /** Its operations in their order, with the tokens by which they are found in the API. */
  operationsOf(document: Document, plan: string): readonly PlannedId[]
}

export interface PlannedId {
  op: string
  token: string
}

/** Remembers a plan that was just made: nothing of it was sent yet. */
export const rememberPlanned = (
  store: Pick<OutboundStore, 'savePlan'>,
  plan: OutboundPlan,
  planned: readonly PlannedId[],
  event?: OutboundEvent,
): Promise<void> => {
  const rest = { state: 'planned', attempt: 0, changedAt: plan.createdAt, facts: {} } as const
  const operations = planned.map(ids => ({ plan: plan.plan, ...ids, ...rest }))
  return store.savePlan(plan, operations, event)
}

/** A plan whose document is the one that was planned, and how its operations stand. */
export interface OpenedPlan<Document> {
  plan: OutboundPlan
  /** Where the document lies; absolute. */
  path: string
  document: Document
  /** In the document's order. */
  operations: readonly OutboundOperation[]
}

type Remembered = Pick<
  OutboundStore,
  'plan' | 'plans' | 'operations' | 'strayOperations' | 'documents'
>

/**
 * Opens a plan by its id, or by the path of its document, of which a copy is as good. The bytes
 * must be the planned ones, and the database must know the operations that they name, and no
 * others (INV-8). Of a plan that was made on another machine the files are written here first.
 */
export async function openPlan<Document>(
  store: Remembered,
  kind: PlanKind<Document>,
  named: string,
): Promise<OpenedPlan<Document>> {
  const plan = named.endsWith(kind.suffix)
    ? await planOfFile(store, kind, named)
    : await planOfId(store, kind, named)
  const path = kind.pathOf(plan)
  if (!existsSync(path)) await restoreDocuments(store, plan, path)
  const document = parse(kind, plan, readPlanned(plan, path))
  const planned = kind.operationsOf(document, plan.plan)
  const operations = inOrder(plan, planned, await store.operations(plan.plan))
  const [stray] = await store.strayOperations(plan.plan)
  if (stray !== undefined)
    throw planChanged(plan.kind, `the database has been changed: ${describeStray(stray)}`)
  return { plan, path, document, operations }
}

async function planOfId(
  store: Remembered,
  { name }: PlanKind<unknown>,
  id: string,
): Promise<OutboundPlan> {
  const plan = await store.plan(id)
  if (plan?.kind === name) return plan
  throw new UsageError(`there is no plan ${id}`, `tillage ${name} plan says the id of each plan.`)
}

async function planOfFile(
  store: Remembered,
  { name }: PlanKind<unknown>,
  path: string,
): Promise<OutboundPlan> {
  if (!existsSync(path))
    throw new UsageError(`there is no file ${path}`, 'Name the plan by its id, or its document.')
  const hash = sha256Of(readFileSync(path))
  const plans = await store.plans(name)
  const mentioned = plans.filter(({ plan }) => resolve(path).includes(plan))
  const found = mentioned.find(plan => plan.hash === hash) ?? plans.find(plan => plan.hash === hash)
  if (found !== undefined) return found
  throw planChanged(name, `${path} is not a plan as it was made`)
}

function readPlanned({ kind, plan, hash }: OutboundPlan, path: string): string {
  if (!existsSync(path)) throw planChanged(kind, `the document of ${plan} is gone: ${path}`)
  const bytes = readFileSync(path)
  const found = sha256Of(bytes)
  if (found === hash) return bytes.toString('utf8')
  throw planChanged(
    kind,
    `${path} was changed after the plan was made: its sha256 is ${found}, and was ${hash}`,
  )
}

function parse<Document>(kind: PlanKind<Document>, { plan }: OutboundPlan, text: string): Document {
  try {
    return kind.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw planChanged(kind.name, `the document of ${plan} does not say what is sent: ${why}`)
  }
}

const STATES: ReadonlySet<string> = new Set(OPERATION_STATES)

/** Rows that the document does not name, or names otherwise, were not planned. */
function inOrder(
  { kind, plan }: OutboundPlan,
  planned: readonly PlannedId[],
  rows: readonly OutboundOperation[],
): OutboundOperation[] {
  const byOp = new Map(rows.map(row => [row.op, row]))
  const ids = new Set(planned.map(({ op }) => op))
  const stranger = rows.find(({ op }) => !ids.has(op))
  const refuse = (what: string): never => {
    throw planChanged(kind, `the database has been changed: ${what}`)
  }
  if (stranger !== undefined)
    refuse(`${stranger.op} is not an operation of the document of ${plan}`)
  return planned.map(({ op, token }) => {
    const row = byOp.get(op)
    if (row === undefined) return refuse(`it lacks ${op} of ${plan}`)
    if (!STATES.has(row.state)) return refuse(`${op} of ${plan} is in the state ${row.state}`)
    return row.token === token ? row : refuse(`${op} of ${plan} has the token ${row.token}`)
  })
}
