import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { format } from 'fast-csv'
import { TillageError } from '../../errors.ts'
import { isoUtc, textOf } from '../cells.ts'
import type { Dataset, DatasetColumn } from '../dataset.ts'
import { guard } from '../formula.ts'
import type { FileFormat, Manifest } from '../manifest.ts'
import { isPresent } from '../publish.ts'
import { publishedRows } from '../published-rows.ts'
import type { Snapshot } from '../snapshot.ts'
import type { BookRow, Change } from './restatement.ts'
import { changesOf, compareIds, postingOf, RESTATEMENT_COLUMNS } from './restatement.ts'

export interface RestatementOrder {
  /** Where the earlier revision's files are. */
  folder: string
  before: Manifest
  fromRevision: number
  toRevision: number
  detectedAt: string
  periodClosedThrough: string | undefined
  /** Begins with a byte order mark. */
  bom: boolean
}

/** The best format to read back: types and NULL are sure in Parquet, texts in JSONL. */
const PREFERENCE: readonly FileFormat[] = ['parquet', 'jsonl', 'csv', 'xlsx']

/**
 * The list of changes from the newest revision's own files to the rows of the snapshot: books are
 * compared with what was given out. Both are in the order of their transactions, so that one pass
 * is enough. Answers the number of changes.
 */
export async function writeRestatement(
  snapshot: Snapshot,
  datasets: readonly Dataset[],
  order: RestatementOrder,
  path: string,
): Promise<number> {
  let rows = 0
  async function* lines(): AsyncGenerator<(string | number | null)[]> {
    for (const dataset of datasets) {
      const published = PREFERENCE.flatMap(fileFormat =>
        order.before.files
          .filter(file => file.dataset === dataset.name && file.format === fileFormat)
          .map(file => ({ file, fileFormat })),
      )
      if (published.length === 0) continue
      const known =
        published.find(({ file }) => isPresent(order.folder, file)) ??
        refuseLost(join(order.folder, published[0]!.file.path))
      for await (const { id, businessDate, changes } of changedTransactions(
        snapshot,
        dataset,
        join(order.folder, known.file.path),
        known.fileFormat,
      )) {
        for (const change of changes) {
          rows++
          yield [
            businessDate,
            order.fromRevision,
            order.toRevision,
            id,
            change.field,
            safe(change.old),
            safe(change.new),
            order.detectedAt,
            postingOf(businessDate, order.periodClosedThrough),
          ]
        }
      }
    }
  }
  const file = createWriteStream(path)
  if (order.bom) file.write('\uFEFF')
  await pipeline(
    lines,
    format({
      headers: [...RESTATEMENT_COLUMNS],
      alwaysWriteHeaders: true,
      rowDelimiter: '\r\n',
      includeEndRowDelimiter: true,
    }),
    file,
  )
  return rows
}

/** The earlier file is gone in all of its formats. */
function refuseLost(path: string): never {
  throw new TillageError(
    'EVIDENCE_CHANGED',
    `${path} was published and is gone, or is no longer what was published, so nobody can say what changed`,
    { remedy: 'restore it from a backup, then run the same command again' },
  )
}

/** Numbers keep their minus. */
const safe = (cell: string | null): string | null =>
  cell === null || /^-[\d.]+$/.test(cell) ? cell : guard(cell)

async function* changedTransactions(
  snapshot: Snapshot,
  dataset: Dataset,
  path: string,
  fileFormat: FileFormat,
): AsyncGenerator<{ id: string; businessDate: string; changes: Change[] }> {
  const isHeader = dataset.parent === undefined
  const idColumn = isHeader ? 'id' : dataset.parent!.key
  // Lists and objects are shown in other columns, and hashes say nothing to a reader, and names of
  // people are in no file.
  const columns = dataset.columns.filter(
    ({ kind, person, name }) => kind !== 'json' && !person && name !== 'source_hash',
  )
  const key = dataset.order.filter(name => name !== 'store_id' && name !== idColumn)
  // Columns that only identify the row are in `transaction_id` and `field` already.
  const named = new Set([
    'store_id',
    'id',
    'transaction_id',
    ...key,
    ...(isHeader ? [] : ['business_date', 'order_item_id']),
  ])
  const compared = {
    name: dataset.name,
    isHeader,
    key,
    columns: columns.filter(({ name }) => !named.has(name)),
  }
  const before = grouped(publishedRows(path, fileFormat, columns), idColumn)
  const after = grouped(currentRows(snapshot, dataset, columns), idColumn)
  let [old, now] = [await before.next(), await after.next()]
  while (old.done !== true || now.done !== true) {
    const order =
      old.done === true ? 1 : now.done === true ? -1 : compareIds(old.value.id, now.value.id)
    const was = order <= 0 && old.done !== true ? old.value : undefined
    const is = order >= 0 && now.done !== true ? now.value : undefined
    const changes = changesOf(compared, was?.rows ?? [], is?.rows ?? [])
    const some = (is ?? was)!
    if (changes.length > 0)
      yield { id: some.id, businessDate: some.rows[0]?.['business_date'] ?? '', changes }
    if (was !== undefined) old = await before.next()
    if (is !== undefined) now = await after.next()
  }
}

function* currentRows(
  snapshot: Snapshot,
  dataset: Dataset,
  columns: readonly DatasetColumn[],
): Generator<BookRow> {
  const expressions = columns.map(column => textOf({ ...column, masked: false, rewritten: false }))
  for (const row of snapshot.rows(dataset, expressions, true)) {
    yield Object.fromEntries(
      columns.map(({ name }, index) => [
        name,
        typeof row[index] === 'number' ? isoUtc(row[index]) : (row[index] as string | null),
      ]),
    )
  }
}

/** Neighbours with the same transaction belong together. */
async function* grouped(
  rows: AsyncIterable<BookRow> | Iterable<BookRow>,
  idColumn: string,
): AsyncGenerator<{ id: string; rows: BookRow[] }> {
  let group: { id: string; rows: BookRow[] } | undefined
  for await (const row of rows) {
    const id = row[idColumn] ?? ''
    if (group?.id === id) group.rows.push(row)
    else {
      if (group !== undefined) yield group
      group = { id, rows: [row] }
    }
  }
  if (group !== undefined) yield group
}
