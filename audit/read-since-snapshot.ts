import { fromIso } from '../calendar/days.ts'
import { possibleIds, presentId } from '../connectors/destination/renames.ts'
import type { Rename, RenameLog } from '../connectors/destination/renames.ts'
import { PartnerError, TillageError } from '../errors.ts'
import type { Fields } from '../text/record-fields.ts'
import { auditsOf, readSnapshot } from './folder.ts'
import type { AuditFolder } from './folder.ts'
import { reconciliationHistory } from './lists.ts'
import { movementsOf } from './movement.ts'
import type { Movement } from './movement.ts'
import { replacedBefore } from './own-receipts.ts'
import { readTransactions } from './read-transactions.ts'
import type { Remark } from './report/exceptions.ts'
import type { Replaced } from './report/roll-forward.ts'
import type { Snapshot } from './snapshot.ts'
import type { StoreApi } from './store-api.ts'

export interface SinceSnapshotOrder {
  exports: string
  folder: AuditFolder
  snapshot: Snapshot
  /** What lies there of the store may lie under an earlier id. */
  log: RenameLog
  now(): number
}

/** What explains a snapshot by the one before it. */
export interface SincePrevious {
  previous: Snapshot | undefined
  /** What moved since; undefined: there is none before, or that could not be proven. */
  rolled: Movement[] | undefined
  reconciliations: Fields[]
  /** What those of ours replaced. */
  replaced: Replaced
  problems: readonly Remark[]
}

export interface SinceSnapshot extends SincePrevious {
  /** Since the snapshot; undefined: that could not be proven. */
  movements: Movement[] | undefined
}

/** Transactions since the snapshot before, and reconciliations: what cannot be read is said. */
export async function readSincePrevious(
  api: StoreApi,
  order: SinceSnapshotOrder,
  signal: AbortSignal,
): Promise<SincePrevious> {
  const problems: Remark[] = []
  const addProblem = (problem: Remark): undefined => void problems.push(problem)
  const renames = await order.log.renames()
  const previous = previousOf(order, renames, detail => addProblem(asProblem(CHANGED, detail)))
  if (previous === undefined)
    problems.push({
      severity: 'info',
      code: 'no_previous_snapshot',
      detail: 'this store has no earlier snapshot, so nothing is rolled forward',
    })
  const rolled =
    previous &&
    (await movedSince(api, { ...order, from: previous }, signal).catch((error: unknown) =>
      addProblem(asProblem(UNPROVEN, `${explain(error)}; nothing is rolled forward`)),
    ))
  const reconciliations = await api
    .readList(reconciliationHistory)
    .catch((error: unknown) => addProblem(asProblem('history_unread', explain(error))) ?? [])
  const ids = possibleIds(renames, order.snapshot.store)
  return {
    previous,
    rolled,
    reconciliations,
    replaced: replacedBefore(order.exports, ids),
    problems,
  }
}

/** The same, and what moved since the snapshot itself. */
export async function readSinceSnapshot(
  api: StoreApi,
  order: SinceSnapshotOrder,
  signal: AbortSignal,
): Promise<SinceSnapshot> {
  const since = await readSincePrevious(api, order, signal)
  if (since.rolled !== undefined) return { ...since, movements: since.rolled }
  try {
    return {
      ...since,
      movements: await movedSince(api, { ...order, from: order.snapshot }, signal),
    }
  } catch (error) {
    const problem = asProblem(UNPROVEN, `${explain(error)}; no difference is stated`)
    return { ...since, movements: undefined, problems: [...since.problems, problem] }
  }
}

const CHANGED = 'earlier_snapshot_changed'
const UNPROVEN = 'movement_unproven'

const asProblem = (code: string, detail: string): Remark => ({ severity: 'error', code, detail })

async function movedSince(
  api: StoreApi,
  { from, now, snapshot: { timeZone } }: SinceSnapshotOrder & { from: Snapshot },
  signal: AbortSignal,
): Promise<Movement[]> {
  const span = { fromMs: fromIso(from.endedAt), nowMs: now(), timeZone }
  const { transactions } = await readTransactions(api, span, signal)
  return movementsOf(transactions)
}

function explain(error: unknown): string {
  if (error instanceof PartnerError || error instanceof TillageError) return error.message
  throw error
}

/**
 * The newest of the store that was taken before, over the same rooms or more. One that is not as it
 * was written is passed over, and said: `addProblem` hears of it.
 */
function previousOf(
  { exports, folder, snapshot }: SinceSnapshotOrder,
  renames: readonly Rename[],
  addProblem: (detail: string) => undefined,
): Snapshot | undefined {
  const { store, startedAt, rooms } = snapshot
  const idOf = ({ store: id, endedAt: at }: Snapshot): string => presentId(renames, { id, at })
  return possibleIds(renames, store)
    .flatMap(id => auditsOf(exports, id))
    .filter(({ audit }) => audit !== folder.audit)
    .flatMap(earlier => readEarlier(earlier, addProblem) ?? [])
    .filter(one => one.endedAt <= startedAt && idOf(one) === idOf(snapshot))
    .filter(one => rooms.every(({ id }) => one.rooms.some(room => room.id === id)))
    .toSorted((one, other) => (one.endedAt < other.endedAt ? -1 : 1))
    .at(-1)
}

function readEarlier(
  folder: AuditFolder,
  addProblem: (detail: string) => undefined,
): Snapshot | undefined {
  try {
    return readSnapshot(folder)
  } catch (error) {
    return addProblem(`${explain(error)}; nothing is rolled forward from it`)
  }
}
