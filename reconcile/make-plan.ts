import { randomBytes } from 'node:crypto'
import { CountsError } from '../audit/count-problem.ts'
import type { CountProblem } from '../audit/count-problem.ts'
import type { CountedSheet } from '../audit/counts.ts'
import { refuseDiscardedAudit } from '../audit/discard.ts'
import { findAudit, readSnapshot, seal, snapshotHash } from '../audit/folder.ts'
import type { AuditFolder } from '../audit/folder.ts'
import { keepCounts } from '../audit/kept-counts.ts'
import { movementsOf } from '../audit/movement.ts'
import { lotKey, readLots, readRooms } from '../audit/quantities.ts'
import type { Quantities } from '../audit/quantities.ts'
import { readTransactions } from '../audit/read-transactions.ts'
import type { ProvenTransactions } from '../audit/read-transactions.ts'
import { REASONS } from '../audit/reasons.ts'
import type { ReasonRules } from '../audit/reasons.ts'
import type { AuditSettings } from '../audit/settings.ts'
import type { StoreApi } from '../audit/store-api.ts'
import { fromIso, toIso } from '../calendar/days.ts'
import type { OutboundStore } from '../connectors/destination/outbound.ts'
import { TillageError } from '../errors.ts'
import { toAmount } from '../money/amount.ts'
import type { Target } from '../outbound/target.ts'
import { isUnread } from '../reading/prove-list.ts'
import type { Fields } from '../text/record-fields.ts'
import { readHistory } from './find-posting.ts'
import { readPosted } from './later-postings.ts'
import { keepPlan } from './plan-files.ts'
import type { KeptPlan } from './plan-files.ts'
import { buildPlan } from './plan.ts'
import type { PlanDocument } from './plan.ts'
import { readCounts } from './read-counts.ts'
import { readCountRows } from './read-rows.ts'
import type { CountRow } from './read-rows.ts'
import {
  refuseArrived,
  refuseOutdated,
  refuseUncounted,
  refuseWithoutReason,
} from './refuse-counts.ts'

export interface CountFiles extends CountedSheet {
  rows: CountRow[]
}

/** What the settings, and whoever runs the command, say of counts files. */
export interface CountRules {
  reasons?: ReasonRules
  /** Columns of the users' own. */
  ignored?: readonly string[]
}

/** The counts of some files, and the audit that they belong to, which their sheet's id says. */
export async function openCounts(
  exports: string,
  files: readonly string[],
  nowMs: number,
  { reasons = { reasons: REASONS, isRequired: false }, ignored = [] }: CountRules = {},
): Promise<CountFiles> {
  const read = await Promise.all(files.map(file => readCountRows(file, ignored)))
  const rows = read.flatMap(one => one.rows)
  const problems = read.flatMap(one => one.problems)
  const folder = folderOf(exports, rows)
  if (folder === undefined)
    throw new CountsError(
      problems.length > 0 && rows.length === 0
        ? problems
        : [...problems, unknownSheet(files, rows)],
    )
  refuseDiscardedAudit(folder)
  const snapshot = readSnapshot(folder)
  const counts = readCounts({ snapshot, found: problems, reasons, nowMs }, rows)
  if (counts.counts.length + counts.finds.length === 0)
    throw new CountsError([{ file: files[0]!, row: 1, column: 'counted_qty', ...NOTHING_COUNTED }])
  return { folder, snapshot, counts, rows, files }
}

const NOTHING_COUNTED = {
  code: 'EMPTY',
  message: 'nothing is counted in these files; were they saved, and are they those that came in?',
}

/** Of the first sheet that is one of an audit: a row may name another by mistake. */
function folderOf(exports: string, rows: readonly CountRow[]): AuditFolder | undefined {
  for (const id of new Set(rows.map(({ cells }) => cells.sheet_id))) {
    const folder = id === '' ? undefined : findAudit(exports, id)
    if (folder !== undefined) return folder
  }
  return undefined
}

function unknownSheet(files: readonly string[], rows: readonly CountRow[]): CountProblem {
  const column = 'sheet_id'
  const row = rows.find(({ cells }) => cells.sheet_id !== '') ?? rows[0]
  if (row === undefined)
    return { file: files[0]!, row: 1, column, code: 'EMPTY', message: 'there are no rows' }
  const { sheet_id: id } = row.cells
  const message =
    id === '' ? 'no row says of which sheet it is' : `no audit here has the sheet ${id}`
  const { file, sheet, row: number } = row
  const where = { file, ...(sheet === undefined ? {} : { sheet }), row: number, column }
  return { ...where, code: 'SHEET_UNKNOWN', message }
}

export interface PlanOrder {
  counted: CountFiles
  /** Where the store is reached, and who answers there. */
  target: Target
  isFull: boolean
  settings: AuditSettings
  now(): number
  progress(line: string): void
}

/**
 * Counted against what is there now, corrected for what moved since each count. Reads live; sends
 * nothing. The plan is kept in the audit's folder, and in the database as planned.
 */
export async function makePlan(
  api: StoreApi,
  store: OutboundStore,
  order: PlanOrder,
  signal: AbortSignal,
): Promise<KeptPlan> {
  const { counted, isFull, progress } = order
  if (isFull) refuseUncounted(counted)
  progress(`${api.store}: reading quantities, and what moved since the count`)
  const seen = await readStill(api, order, signal)
  if (isFull) refuseArrived(counted, seen.quantities)
  const document = documentOf(api.store, order, seen)
  const posted = await readPosted(store, document, seen.history)
  refuseOutdated(counted, document, posted)
  if (order.settings.requiresReasons)
    refuseWithoutReason(counted, document.lines, order.settings.reasons)
  const kept = await keepPlan(store, counted.folder, document)
  await seal(store, counted.folder)
  return kept
}

function documentOf(store: string, order: PlanOrder, seen: Still): PlanDocument {
  const { counted, target, isFull, settings, now } = order
  const { folder, snapshot, counts } = counted
  const createdAt = toIso(now())
  const plan = `PLN-${createdAt.slice(0, 10).replaceAll('-', '')}-${randomBytes(4).toString('hex')}`
  return {
    plan,
    store,
    target,
    audit: folder.audit,
    createdAt,
    isFull,
    isWhole: !snapshot.isPartial && counts.uncounted.length === 0,
    isBlind: snapshot.isBlind,
    employeeId: settings.employeeId ?? null,
    currency: settings.currency,
    timeZone: snapshot.timeZone,
    evidence: {
      snapshot_sha256: snapshotHash(folder),
      counts: keepCounts(folder, counted.files),
      quantities_read_at: seen.readAt,
      transactions: seen.transactions.windows,
    },
    ...buildPlan({
      plan,
      isFull,
      audit: folder.audit,
      counts,
      roomNames: new Map(snapshot.rooms.map(({ id, name }) => [id, name])),
      quantities: seen.quantities,
      movements: movementsOf(seen.transactions.transactions),
      secondApproverOver: toAmount(settings.secondApproverOver)!,
      newToken: () => randomBytes(12).toString('hex'),
    }),
  }
}

interface Still {
  quantities: Quantities
  readAt: string
  transactions: ProvenTransactions
  /** Of reconciliations; empty where it cannot be read. */
  history: readonly Fields[]
}

const MOST_READINGS = 5

/**
 * Quantities, transactions and reconciliations of one moment: where a quantity changed while the
 * others were read, nobody could say on which side of it a sale lies, so all are read again.
 */
async function readStill(api: StoreApi, order: PlanOrder, signal: AbortSignal): Promise<Still> {
  const { counted, now } = order
  const { snapshot, counts } = counted
  const lots = counts.counts.map(({ inventoryId, lot }) => ({
    inventoryId,
    productId: lot.productId,
  }))
  const rooms = snapshot.rooms.map(({ id }) => id)
  const readQuantities = (): Promise<Quantities> =>
    order.isFull
      ? readRooms(api, rooms, async () => lots.map(({ productId }) => productId))
      : readLots(api, lots)
  const keys = counts.counts.map(({ inventoryId, lot }) => lotKey(inventoryId, lot.batchId))
  const fromMs = Math.min(
    fromIso(snapshot.startedAt),
    ...counts.counts.map(({ countedAt }) => fromIso(countedAt)),
  )
  for (let reading = 0; reading < MOST_READINGS; reading++) {
    const first = await readQuantities()
    const readAt = toIso(now())
    const { timeZone } = snapshot
    const transactions = await readTransactions(api, { fromMs, nowMs: now(), timeZone }, signal)
    const history = await historyIfReadable(api)
    const second = await readQuantities()
    if (keys.every(key => (first.get(key) ?? 0n) === (second.get(key) ?? 0n)))
      return { quantities: second, readAt, transactions, history }
  }
  throw new TillageError('LIST_MOVED', `quantities changed in each of ${MOST_READINGS} readings`, {
    remedy: 'Nothing was planned. Run the same command again, better when the store is closed.',
  })
}

/** What it shows later, and where it needs a permission that is lacking, an apply judges. */
const historyIfReadable = (api: StoreApi): Promise<Fields[]> =>
  readHistory(api).catch((error: unknown) => {
    if (isUnread(error)) return []
    throw error
  })
