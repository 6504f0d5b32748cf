import { createRecordExaminer } from '../../answer/judge-records.ts'
import type { Difference, DifferentRow, RecordsToCompare } from '../../destination/rows.ts'
import { createRecognition } from '../../people/forgotten.ts'
import type { ForgottenHash } from '../../people/forgotten.ts'
import { scrubRecord } from '../../people/scrub-record.ts'
import { quoteName as quote } from '../../quote.ts'
import type { KeptRow } from '../../staged/page-of-kept.ts'
import { keyedRecords } from '../../staged/row-values.ts'
import type { KeyedRecord } from '../../staged/row-values.ts'
import { rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import { all, run } from '../steps.ts'
import type { Steps } from '../steps.ts'
import { rewriteFromKept, wrongRows } from './kept-records.ts'
import type { RecordStaging, WrongRows } from './kept-records.ts'
import { sameContent, sameWhereBoth } from './same-content.ts'

interface OurRow extends KeptRow {
  id: string
  modified: number | null
  gone_at: number | null
}

/** What is known of the records that are compared. */
interface Known extends WrongRows {
  ours: ReadonlyMap<string, OurRow>
  letters: ReadonlySet<string>
  isForgotten: ((id: string) => boolean) | undefined
}

/** Compares records of the API with what the database holds of them: `Rows.compare`. */
export function* compareRows(
  staging: RecordStaging,
  store: string,
  stream: Stream,
  { records, readAtMs, fields }: RecordsToCompare,
): Steps<DifferentRow[]> {
  const theirs = keyedRecords(stream, createRecordExaminer(stream)(records).text).map(record => ({
    ...record,
    id: staging.asHeld(record.id),
  }))
  const isSame = fields === 'all' ? sameContent : sameWhereBoth
  const known = yield* knownOf(staging, store, stream, theirs)
  return theirs.flatMap((record): DifferentRow[] => {
    const { id, modified } = record
    const difference = differenceOf(record, known, readAtMs)
    if (difference === undefined) return []
    if (difference === 'missing' && known.isForgotten?.(id) === true) return []
    if (difference === 'differs' && hasSameContent(record, known, isSame)) return []
    return [{ id, difference, modified }]
  })
}

function* knownOf(
  staging: RecordStaging,
  store: string,
  stream: Stream,
  theirs: readonly KeyedRecord[],
): Steps<Known> {
  const ids = theirs.map(({ id }) => id)
  const rows = yield* keptRows(store, stream, ids)
  const letters = yield* all<{ id: string }>(
    `SELECT record_key AS id FROM dead_letters
     WHERE store_id = @store AND stream = @stream
       AND record_key IN (SELECT value FROM json_each(@ids))`,
    { store, stream: stream.name, ids: JSON.stringify(ids) },
  )
  const people = yield* all<ForgottenHash>(
    'SELECT hash, salt, length FROM forgotten_members WHERE store_id = @store',
    { store },
  )
  return {
    ...(yield* wrongRows(staging, stream, rows)),
    ours: new Map(rows.map(row => [row.id, row])),
    letters: new Set(letters.map(({ id }) => id)),
    isForgotten: people.length === 0 ? undefined : createRecognition(people).isForgotten,
  }
}

const keptRows = (store: string, stream: Stream, ids: readonly string[]): Steps<OurRow[]> =>
  all<OurRow>(
    `SELECT rid, id, ${quote(stream.cursor)} AS modified, gone_at, raw
     FROM ${rowTable(stream.name)}
     WHERE store_id = @store AND id IN (SELECT value FROM json_each(@ids))`,
    { store, ids: JSON.stringify(ids) },
  )

/** Undefined: the same, or known to be missing. */
function differenceOf(theirs: KeyedRecord, known: Known, readAtMs: number): Difference | undefined {
  const row = known.ours.get(theirs.id)
  if (row !== undefined) return differenceToRow(row, theirs, known)
  if (isChangedAfter(readAtMs, theirs)) return 'changed'
  return known.letters.has(theirs.id) ? undefined : 'missing'
}

const isChangedAfter = (ms: number, { modified }: KeyedRecord): boolean => (modified ?? 0) > ms

function differenceToRow(
  { rid, raw, modified, gone_at }: OurRow,
  theirs: KeyedRecord,
  { inconsistent, unreadable }: Known,
): Difference | undefined {
  if (gone_at !== null) return isChangedAfter(gone_at, theirs) ? 'changed' : 'gone'
  if (unreadable.has(rid)) return 'differs'
  if (inconsistent.has(rid)) return 'inconsistent'
  if (raw === theirs.raw) return undefined
  return isChangedAfter(modified ?? 0, theirs) ? 'changed' : 'differs'
}

/** A record that nobody can read has no content. */
function hasSameContent(
  { id, raw }: KeyedRecord,
  { ours, unreadable, isForgotten }: Known,
  isSame: typeof sameContent,
): boolean {
  const row = ours.get(id)!
  if (unreadable.has(row.rid)) return false
  const said = isForgotten === undefined ? raw : scrubRecord(raw, isForgotten)
  return isSame(row.raw, said ?? '')
}

/**
 * Makes rows right again as far as that needs no reading: `Rows.repair`. A record that differs
 * forgets its `modified`, so that the next reading of its window replaces it and keeps it as a
 * version.
 */
export function* repairRows(
  staging: RecordStaging,
  store: string,
  stream: Stream,
  found: readonly DifferentRow[],
): Steps<void> {
  const idsOf = (difference: Difference): string[] =>
    found.filter(row => row.difference === difference).map(({ id }) => id)
  const kept = yield* keptRows(store, stream, idsOf('inconsistent'))
  yield* rewriteFromKept(staging, stream, kept)
  yield* run(
    `UPDATE ${rowTable(stream.name)} SET ${quote(stream.cursor)} = NULL
     WHERE store_id = @store AND id IN (SELECT value FROM json_each(@ids))`,
    { store, ids: JSON.stringify(idsOf('differs')) },
  )
}
