import { randomBytes } from 'node:crypto'
import { extname } from 'node:path'
import type { OutboundEvent } from '../../connectors/destination/outbound.ts'
import { TillageError } from '../../errors.ts'
import { rememberPlanned } from '../../outbound/open-plan.ts'
import { targetOf } from '../../outbound/target.ts'
import type { Target } from '../../outbound/target.ts'
import { sha256Of } from '../../sha256.ts'
import type { JsonRecord } from '../../text/exact-json.ts'
import { recordsForExcel } from '../../text/write-csv.ts'
import { canBeRead, getRecord } from '../api.ts'
import type { Input } from '../input/read-input.ts'
import { withRecords } from '../live.ts'
import type { LiveCatalog } from '../live.ts'
import { tokenOf, UNDONE } from '../load-plan.ts'
import { countOperations } from '../operation.ts'
import type { Catalog, Operation } from '../operation.ts'
import { planPage } from '../page/html.ts'
import type { Push } from '../push.ts'
import { readCatalog } from '../read-list.ts'
import { keepDocument, keepPictures } from './keep-documents.ts'
import { PLAN_COLUMNS, planJsonl, planLines } from './plan-lines.ts'
import { overCap, planStore, writtenIds } from './plan-store.ts'
import type { Cap } from './plan-store.ts'
import { expectRequests, PLAN_FORMATS } from './plan.ts'
import type { PlanFacts, PlanFile, PlannedStore } from './plan.ts'
import type { CreatableEntity, StoreQuestion } from './store-question.ts'

/** A plan being made, for people who wait. */
export interface Planning extends Push {
  say(line: string): void
}

export interface PlanOrder {
  catalog: Catalog
  input: Input
  stores: readonly string[]
  create: readonly CreatableEntity[]
  deactivateMissing: boolean
  cap: Cap
}

/** Reads, compares and writes the plan; sends nothing. Answers the plan's id. */
export async function makePlan(
  planning: Planning,
  order: PlanOrder,
  signal: AbortSignal,
): Promise<string> {
  let next = 0
  const nextId = (): string => `op-${++next}`
  const parts: StorePart[] = []
  for (const store of order.stores)
    parts.push(await planPart(planning, { ...order, store, nextId }, signal))
  const { input } = order
  const plan = newPlanId(planning.now())
  await savePlan(planning, plan, {
    kind: 'push',
    of: null,
    entity: order.catalog,
    file: { path: input.path, sha256: input.sha256, rows: input.rows.length },
    parts,
    input: { name: `input${extname(input.path).toLowerCase()}`, bytes: input.bytes },
  })
  return plan
}

export interface StorePart {
  planned: PlannedStore
  operations: readonly Operation[]
  /** Whom they are for; undefined where the store could not be asked. */
  target?: Target
}

type PartOrder = PlanOrder & { store: string; nextId(): string }

/** A store that cannot be planned says why; the others are planned all the same. */
async function planPart(
  planning: Planning,
  order: PartOrder,
  signal: AbortSignal,
): Promise<StorePart> {
  try {
    return await askAndPlan(planning, order, signal)
  } catch (error) {
    if (!(error instanceof TillageError) || error.code === 'PUSH_CAP') throw error
    return {
      operations: [],
      planned: {
        store: order.store,
        timeZone: null,
        error: { code: error.code, message: error.message },
        counts: countOperations([]),
        requests: { expected: 0, seconds: 0 },
      },
    }
  }
}

async function askAndPlan(
  planning: Planning,
  order: PartOrder,
  signal: AbortSignal,
): Promise<StorePart> {
  const store = planning.store(order.store)
  const identity = await planning.identify(order.store, signal)
  const { timeZone } = identity
  planning.say(`${order.store}: reading the catalog`)
  const lists = await readCatalog(store, planning.streams, order.catalog, signal)
  const assets = await planning.memory.assets(order.store)
  const nowMs = planning.now()
  const ask = (live: LiveCatalog, nextId: () => string): StoreQuestion => ({
    ...order,
    rows: order.input.rows,
    live,
    timeZone,
    nowMs,
    nextId,
    assetOf: sha256 => assets.get(sha256),
  })
  const draft = planStore(ask(lists, () => ''))
  const live = await readWritten(planning, order, { lists, draft, signal })
  const operations = planStore(ask(live, order.nextId))
  refuseOverCap(operations, live, order)
  const listPages = Math.ceil(live[order.catalog].records.length / 100) + 1
  const perSecond = Math.min(store.settings.limits.requestsPerSecond, USUAL_PER_SECOND)
  return {
    operations,
    target: targetOf(store.settings, identity),
    planned: {
      store: order.store,
      timeZone,
      error: null,
      counts: countOperations(operations),
      requests: expectRequests(operations, { listPages, perSecond }),
    },
  }
}

/** Expected of an API that states no limit; a ceiling in the configuration may be lower. */
const USUAL_PER_SECOND = 20

/** A list may show less of a record than the record itself; what is written is read by its id. */
async function readWritten(
  planning: Planning,
  { store: id, catalog }: PartOrder,
  { lists, draft, signal }: { lists: LiveCatalog; draft: Operation[]; signal: AbortSignal },
): Promise<LiveCatalog> {
  if (!canBeRead(catalog)) return lists
  const { client, governor } = planning.store(id)
  const wanted = writtenIds(draft)
  const read = new Map<string, JsonRecord>()
  await Promise.all(
    wanted.map(async target => {
      const record = await governor.run(() => getRecord(client, catalog, target, signal))
      if (record !== undefined) read.set(target, record)
      planning.say(`${id}: ${read.size} of ${wanted.length} records read`)
    }),
  )
  return { ...lists, [catalog]: withRecords(lists[catalog], read) }
}

function refuseOverCap(
  operations: readonly Operation[],
  live: LiveCatalog,
  { store, catalog, cap, deactivateMissing }: PartOrder,
): void {
  const over = deactivateMissing ? overCap(operations, live, catalog, cap) : undefined
  if (over === undefined) return
  throw new TillageError(
    'PUSH_CAP',
    `${store}: ${over.missing} of ${over.inUse} ${catalog} in use are not in the file, ` +
      `and at most ${cap.count}${cap.percent ? ' %' : ''} may be deactivated because of that`,
    {
      remedy:
        'Nothing was planned. Look whether the file is whole; if it is, raise --max-deactivations.',
    },
  )
}

export interface NewPlan {
  kind: PlanFacts['kind']
  of: string | null
  entity: Catalog
  file: PlanFacts['file']
  parts: readonly StorePart[]
  /** Kept beside the plan. */
  input?: { name: string; bytes: Buffer }
}

export const newPlanId = (nowMs: number): string => {
  const day = new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '')
  return `PL-${day}-${randomBytes(4).toString('hex')}`
}

/** Writes the plan's files, once, and remembers it. An undo ends what it undoes, in one step. */
export async function savePlan(
  push: Push,
  plan: string,
  { parts, input, ...about }: NewPlan,
): Promise<void> {
  const { outbound, now, settings } = push
  const createdAt = new Date(now()).toISOString()
  const operations = parts.flatMap(part => part.operations).filter(({ op }) => op !== 'noop')
  const stores = parts.map(({ planned }) => planned)
  const targets = new Map(
    parts.flatMap(part => (part.target ? [[part.planned.store, part.target] as const] : [])),
  )
  const text = planJsonl(plan, operations, targets)
  const hash = sha256Of(text)
  const texts: Record<PlanFile['format'], string> = {
    jsonl: text,
    csv: recordsForExcel(PLAN_COLUMNS, planLines(plan, operations)),
    html: planPage(
      { plan, hash, currencyOf: settings.currencyOf },
      { ...about, stores },
      operations,
    ),
  }
  for (const format of PLAN_FORMATS)
    await keepDocument(push, plan, { name: `plan.${format}`, bytes: texts[format] })
  if (input !== undefined) await keepDocument(push, plan, input)
  await keepPictures(outbound, plan, operations)
  const files = PLAN_FORMATS.map((format): PlanFile => ({
    format,
    sha256: sha256Of(texts[format]),
  }))
  const facts: PlanFacts = { ...about, stores, files }
  await rememberPlanned(
    outbound,
    { plan, kind: 'push', hash, createdAt, facts: { ...facts } },
    operations.map(({ id: op }) => ({ op, token: tokenOf(plan, op) })),
    about.of === null ? undefined : undone(about.of, { inverse: plan, at: createdAt }),
  )
}

const undone = (plan: string, { inverse, at }: { inverse: string; at: string }): OutboundEvent => ({
  plan,
  op: null,
  at,
  event: UNDONE,
  by: null,
  detail: inverse,
})
