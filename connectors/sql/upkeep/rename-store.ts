import { UsageError } from '../../../errors.ts'
import type { Act } from '../audit-chain.ts'
import { appendAct } from '../audit-log.ts'
import { all } from '../steps.ts'
import type { Steps } from '../steps.ts'
import type { UpkeepDialect } from './upkeep-dialect.ts'

/** Texts that begin or end with a store's id, beside the columns `store_id`. */
const COMPOSED_IDS: readonly { table: string; column: string }[] = [
  { table: 'findings', column: 'id' },
  { table: 'schedules', column: 'schedule_id' },
  { table: 'push_files', column: 'schedule' },
]

/**
 * Gives all that the database knows of a store another id, with an entry in the audit log; inside a
 * transaction. Answers how many rows of how many tables. What was given out and what was sent to
 * the API keep the id of their day: they are evidence, with hashes over it.
 */
export function* renameStore(
  dialect: UpkeepDialect,
  { from, to }: { from: string; to: string },
  act: Act,
): Steps<{ tables: number; rows: number }> {
  const known = (yield* all<{ id: string }>(STORED)).map(({ id }) => id)
  refuseUnknown(known, from)
  refuseTaken(known, to)
  const changed: number[] = []
  for (const table of yield* dialect.tablesWith('store_id')) {
    // Of the new id there are at most findings, schedules and runs that failed.
    const ofStore = { table, column: 'store_id', value: '@to', where: 'store_id = @from' }
    changed.push(yield* dialect.replace(ofStore, { from, to }))
  }
  for (const composed of COMPOSED_IDS) yield* renameComposed(dialect, composed, { from, to })
  yield* appendAct(act, dialect.lastAuditNumberSql)
  return {
    tables: changed.filter(rows => rows > 0).length,
    rows: changed.reduce((sum, rows) => sum + rows, 0),
  }
}

/** `downtown/batches/page_cap`, `nightly/downtown`. */
function* renameComposed(
  dialect: UpkeepDialect,
  { table, column }: { table: string; column: string },
  ids: { from: string; to: string },
): Steps<void> {
  const [from, to] = ['CAST(@from AS text)', 'CAST(@to AS text)']
  const atStart = {
    value: `${to} || substr(${column}, length(${from}) + 1)`,
    where: `substr(${column}, 1, length(${from}) + 1) = ${from} || '/'`,
  }
  const before = `length(${column}) - length(${from})`
  const atEnd = {
    value: `substr(${column}, 1, ${before}) || ${to}`,
    where: `${before} > 0 AND substr(${column}, ${before}) = '/' || ${from}`,
  }
  for (const change of [atStart, atEnd]) yield* dialect.replace({ table, column, ...change }, ids)
}

const STORED = 'SELECT store_id AS id FROM stores UNION SELECT store_id FROM windows'

function refuseUnknown(known: readonly string[], id: string): void {
  if (known.includes(id)) return
  throw new UsageError(
    `there is no store ${id} in the database`,
    known.length === 0 ? 'Nothing was read yet.' : `There are: ${known.toSorted().join(', ')}.`,
  )
}

function refuseTaken(known: readonly string[], id: string): void {
  if (!known.includes(id)) return
  throw new UsageError(
    `${id} is in the database already, with a history of its own; two histories are never mixed`,
    'Choose an id that nobody has.',
  )
}
