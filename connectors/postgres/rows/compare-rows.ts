import type { ClientBase } from 'pg'
import { createRecordExaminer } from '../../answer/judge-records.ts'
import type { Difference, DifferentRow, RecordsToCompare } from '../../destination/rows.ts'
import { createRecognition } from '../../people/forgotten.ts'
import type { ForgottenHash } from '../../people/forgotten.ts'
import { scrubRecord } from '../../people/scrub-record.ts'
import { sameContent, sameWhereBoth } from '../../sql/rows/same-content.ts'
import type { KeptRow } from '../../sql/upkeep/upkeep-dialect.ts'
import { keyedRecords } from '../../staged/row-values.ts'
import type { KeyedRecord } from '../../staged/row-values.ts'
import { rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import type { Connections } from '../connection/connections.ts'
import { inTurn } from '../connection/in-turn.ts'
import { statementsOn } from '../connection/sql-connection.ts'
import { inTransaction } from '../connection/transaction.ts'
import { inconsistentRows, rewriteFromKept } from './kept-records.ts'

interface OurRow extends KeptRow {
  id: string
  modified: number | null
  gone_at: number | null
}

/** What is known of the records that are compared. */
interface Known {
  ours: ReadonlyMap<string, OurRow>
  /** Numbers of rows. */
  inconsistent: ReadonlySet<number>
  letters: ReadonlySet<string>
  isForgotten: ((id: string) => boolean) | undefined
}

/** Compares records of the API with what the database holds of them: `Rows.compare`. */
export function compareRows(
  connections: Connections,
  store: string,
  stream: Stream,
  { records, readAtMs, fields }: RecordsToCompare,
): Promise<DifferentRow[]> {
  const theirs = keyedRecords(stream, createRecordExaminer(stream)(records).text)
  const isSame = fields === 'all' ? sameContent : sameWhereBoth
  return inTransaction(connections, async client => {
    const known = await knownOf(client, stream, store, theirs)
    return theirs.flatMap(({ id, modified, raw }): DifferentRow[] => {
      const difference = differenceOf({ id, modified: modified ?? 0, raw }, known, readAtMs)
      if (difference === undefined) return []
      if (difference === 'missing' && known.isForgotten?.(id) === true) return []
      const said = known.isForgotten === undefined ? raw : scrubRecord(raw, known.isForgotten)
      if (difference === 'differs' && isSame(known.ours.get(id)!.raw, said ?? '')) return []
      return [{ id, difference, modified }]
    })
  })
}

async function knownOf(
  client: ClientBase,
  stream: Stream,
  store: string,
  theirs: readonly KeyedRecord[],
): Promise<Known> {
  const sql = statementsOn(client)
  const place = { store, stream: stream.name, ids: theirs.map(({ id }) => id) }
  const rows = await keptRows(client, stream, store, place.ids)
  const letters = await sql.all<{ id: string }>(
    `SELECT record_key AS id FROM dead_letters
     WHERE store_id = @store AND stream = @stream AND record_key = ANY (CAST(@ids AS text[]))`,
    place,
  )
  const people = await sql.all<ForgottenHash>(
    'SELECT hash, salt, length FROM forgotten_members WHERE store_id = @store',
    place,
  )
  return {
    ours: new Map(rows.map(row => [row.id, row])),
    inconsistent: await inconsistentRows(client, stream, rows),
    letters: new Set(letters.map(({ id }) => id)),
    isForgotten: people.length === 0 ? undefined : createRecognition(people).isForgotten,
  }
}

const keptRows = (
  client: ClientBase,
  stream: Stream,
  store: string,
  ids: readonly string[],
): Promise<OurRow[]> =>
  statementsOn(client).all<OurRow>(
    `SELECT rid, id, ${stream.cursor} AS modified, gone_at, raw FROM ${rowTable(stream.name)}
     WHERE store_id = @store AND id = ANY (CAST(@ids AS text[]))`,
    { store, ids },
  )

/** Undefined: the same, or known to be missing. */
function differenceOf(
  theirs: { id: string; modified: number; raw: string },
  { ours, inconsistent, letters }: Known,
  readAtMs: number,
): Difference | undefined {
  const row = ours.get(theirs.id)
  if (row === undefined) {
    if (theirs.modified > readAtMs) return 'changed'
    return letters.has(theirs.id) ? undefined : 'missing'
  }
  if (row.gone_at !== null) return theirs.modified > row.gone_at ? 'changed' : 'gone'
  if (inconsistent.has(row.rid)) return 'inconsistent'
  if (row.raw === theirs.raw) return undefined
  return theirs.modified > (row.modified ?? 0) ? 'changed' : 'differs'
}

/** Makes rows right again as far as that needs no reading: `Rows.repair`. */
export const repairRows = (
  connections: Connections,
  store: string,
  stream: Stream,
  found: readonly DifferentRow[],
): Promise<void> =>
  inTurn(connections, async client => {
    const idsOf = (difference: Difference): string[] =>
      found.filter(row => row.difference === difference).map(({ id }) => id)
    const kept = await keptRows(client, stream, store, idsOf('inconsistent'))
    await rewriteFromKept(client, stream, kept)
    await statementsOn(client).run(
      `UPDATE ${rowTable(stream.name)} SET ${stream.cursor} = NULL
       WHERE store_id = @store AND id = ANY (CAST(@ids AS text[]))`,
      { store, ids: idsOf('differs') },
    )
  })
