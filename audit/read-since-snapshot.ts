import { fromIso } from '../calendar/days.ts'
import { PartnerError, TillageError } from '../errors.ts'
import type { Fields } from '../exports/books/record.ts'
import { movementsOf } from '../reconcile/movement.ts'
import type { Movement } from '../reconcile/movement.ts'
import { readTransactions } from '../reconcile/read-transactions.ts'
import { auditsOf, readSnapshot } from './folder.ts'
import type { AuditFolder } from './folder.ts'
import type { AuditException } from './report/exceptions.ts'
import type { Snapshot } from './snapshot.ts'
import type { StoreApi } from './store-api.ts'

export interface SinceSnapshotOrder {
  exports: string
  folder: AuditFolder
  snapshot: Snapshot
  now(): number
}

export interface SinceSnapshot {
  previous: Snapshot | undefined
  /** Since the snapshot; undefined: that could not be proven. */
  movements: Movement[] | undefined
  /** Since the one before. */
  rolled: Movement[] | undefined
  reconciliations: Fields[]
  problems: Pick<AuditException, 'severity' | 'code' | 'detail'>[]
}

/** Transactions since the snapshot before, and reconciliations: what cannot be read is said. */
export async function readSinceSnapshot(
  api: StoreApi,
  { exports, folder, snapshot, now }: SinceSnapshotOrder,
  signal: AbortSignal,
): Promise<SinceSnapshot> {
  const problems: SinceSnapshot['problems'] = []
  const addProblem = (code: string, detail: string): undefined =>
    void problems.push({ severity: 'error', code, detail })
  const previous = previousOf(exports, { folder, snapshot }, detail =>
    addProblem('earlier_snapshot_changed', detail),
  )
  if (previous === undefined)
    problems.push({
      severity: 'info',
      code: 'no_previous_snapshot',
      detail: 'there is no earlier snapshot of this store, so nothing is rolled forward',
    })
  const movedSince = (from: Snapshot, effect: string): Promise<Movement[] | undefined> =>
    readTransactions(
      api,
      { fromMs: fromIso(from.endedAt), nowMs: now(), timeZone: snapshot.timeZone },
      signal,
    )
      .then(({ transactions }) => movementsOf(transactions))
      .catch((error: unknown) => addProblem('movement_unproven', `${explain(error)}; ${effect}`))
  const rolled = previous && (await movedSince(previous, 'nothing is rolled forward'))
  const movements = rolled ?? (await movedSince(snapshot, 'no difference is stated'))
  const reconciliations = await api
    .readPages('listReconciliations')
    .catch((error: unknown) => addProblem('history_unread', explain(error)) ?? [])
  return { previous, movements, rolled, reconciliations, problems }
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
  exports: string,
  { folder, snapshot }: Pick<SinceSnapshotOrder, 'folder' | 'snapshot'>,
  addProblem: (detail: string) => undefined,
): Snapshot | undefined {
  const { store, startedAt, rooms } = snapshot
  return auditsOf(exports, store)
    .filter(({ audit }) => audit !== folder.audit)
    .flatMap(earlier => readEarlier(earlier, addProblem) ?? [])
    .filter(one => one.endedAt <= startedAt)
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
