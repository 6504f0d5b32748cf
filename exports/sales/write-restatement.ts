import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Snapshot } from '../../connectors/destination/snapshot.ts'
import type { Stream } from '../../connectors/stream.ts'
import { TillageError } from '../../errors.ts'
import { BYTE_ORDER_MARK, CSV_ROW_END, csvRow, number } from '../../text/write-csv.ts'
import type { Cell } from '../../text/write-csv.ts'
import type { Dataset, DatasetColumn } from '../dataset.ts'
import { cellText } from '../formats/cells.ts'
import type { Format } from '../formats/format.ts'
import { FORMATS } from '../formats/formats.ts'
import type { Manifest } from '../revisions/manifest.ts'
import { isPresent } from '../revisions/publish.ts'
import { findPayments, isPayments } from './payments-then.ts'
import type { BookRow, Change } from './restatement.ts'
import { changesOf, compareIds, postingPeriod, RESTATEMENT_COLUMNS } from './restatement.ts'

export interface RestatementOrder {
  /** The stream that the books are made of. */
  booked: Stream | undefined
  /** Where the earlier revision's files are. */
  folder: string
  before: Manifest
  fromRevision: number
  toRevision: number
  detectedAt: string
  periodClosedThrough: string | undefined
  /** By whose clocks sheets show times. */
  timeZone: string
  /** Begins with a byte order mark. */
  bom: boolean
}

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
  async function* text(): AsyncGenerator<string> {
    yield `${order.bom ? BYTE_ORDER_MARK : ''}${csvRow(RESTATEMENT_COLUMNS)}${CSV_ROW_END}`
    for await (const line of linesOf(snapshot, datasets, order)) {
      rows++
      yield csvRow(line.map(cellOf), 'a bar too') + CSV_ROW_END
    }
  }
  // Opened before the first line: what fails at once leaves no file that comes about later.
  const file = await open(path, 'w')
  await pipeline(text, file.createWriteStream())
  return rows
}

type Line = (string | number | null)[]

/** Numbers keep their minus. */
function cellOf(cell: string | number | null): Cell {
  if (cell === null) return ''
  return typeof cell === 'number' || /^-[\d.]+$/.test(cell) ? number(String(cell)) : cell
}

async function* linesOf(
  snapshot: Snapshot,
  datasets: readonly Dataset[],
  order: RestatementOrder,
): AsyncGenerator<Line> {
  const { fromRevision, toRevision, detectedAt, periodClosedThrough } = order
  for (const dataset of datasets) {
    const known = publishedOf(dataset, order)
    if (known === undefined) continue
    const alsoOf = paymentChanges(snapshot, datasets, { dataset, order })
    for await (const changed of changedTransactions(snapshot, dataset, known)) {
      const { id, businessDate, changes } = changed
      for (const { field, old, new: now } of [...changes, ...(await alsoOf(changed))])
        yield [
          businessDate,
          fromRevision,
          toRevision,
          id,
          field,
          old,
          now,
          detectedAt,
          postingPeriod(businessDate, periodClosedThrough),
        ]
    }
  }
}

/**
 * What changed of how a transaction was settled, where no file of the earlier revision has its
 * payments: a journal rests on tenders that the file of transactions does not name.
 */
function paymentChanges(
  snapshot: Snapshot,
  datasets: readonly Dataset[],
  { dataset, order }: { dataset: Dataset; order: RestatementOrder },
): (changed: ChangedTransaction) => Promise<Change[]> {
  const { booked, before } = order
  const payments = datasets.find(isPayments)
  const isGiven = before.files.some(file => file.dataset === payments?.name)
  if (dataset.parent !== undefined || booked === undefined || payments === undefined || isGiven)
    return async () => []
  const find = findPayments(snapshot, booked)
  const { compared } = comparisonOf(payments)
  return async ({ id, was, is }) => {
    const then = await find(id, was?.['source_hash'] ?? '')
    const now = await find(id, is?.['source_hash'] ?? '')
    return then === undefined || now === undefined ? [] : changesOf(compared, then, now)
  }
}

/** A file that was given out. */
interface Published {
  path: string
  format: Format
  timeZone: string
}

/** The best of a dataset's files that is still there; undefined where none was given out. */
function publishedOf(
  dataset: Dataset,
  { before, folder, timeZone }: RestatementOrder,
): Published | undefined {
  const published = FORMATS.flatMap(fileFormat =>
    before.files
      .filter(file => file.dataset === dataset.name && file.format === fileFormat.name)
      .map(file => ({ file, fileFormat })),
  )
  if (published.length === 0) return undefined
  const known =
    published.find(({ file }) => isPresent(folder, file)) ??
    refuseLost(join(folder, published[0]!.file.path))
  return { path: join(folder, known.file.path), format: known.fileFormat, timeZone }
}

/** The earlier file is gone in all of its formats. */
function refuseLost(path: string): never {
  throw new TillageError(
    'EVIDENCE_CHANGED',
    `${path} was published and is gone, or is no longer what was published, ` +
      'so what changed cannot be told',
    { remedy: 'restore it from a backup, then run the same command again' },
  )
}

interface ChangedTransaction {
  id: string
  businessDate: string
  changes: Change[]
  /** Its own row in the books, then and now. */
  was: BookRow | undefined
  is: BookRow | undefined
}

async function* changedTransactions(
  snapshot: Snapshot,
  dataset: Dataset,
  published: Published,
): AsyncGenerator<ChangedTransaction> {
  const { compared, columns, idColumn } = comparisonOf(dataset)
  const { path, format: fileFormat, timeZone } = published
  const before = grouped(fileFormat.rows(path, columns, timeZone), idColumn)
  const after = grouped(currentRows(snapshot, dataset, columns, published), idColumn)
  for await (const { id, was, is } of sideBySide(before, after)) {
    const changes = changesOf(compared, was, is)
    const [row] = [...is, ...was]
    if (changes.length > 0)
      yield { id, businessDate: row?.['business_date'] ?? '', changes, was: was[0], is: is[0] }
  }
}

interface Group {
  id: string
  rows: BookRow[]
}

/**
 * Two lists in the order of their ids, walked side by side; no rows where an id is in one alone.
 */
async function* sideBySide(
  before: AsyncGenerator<Group>,
  after: AsyncGenerator<Group>,
): AsyncGenerator<{ id: string; was: BookRow[]; is: BookRow[] }> {
  let [old, now] = [await next(before), await next(after)]
  while (old !== undefined || now !== undefined) {
    const order = orderOf(old, now)
    if (order < 0) yield { id: old!.id, was: old!.rows, is: [] }
    else yield { id: now!.id, was: order === 0 ? old!.rows : [], is: now!.rows }
    if (order <= 0) old = await next(before)
    if (order >= 0) now = await next(after)
  }
}

/** Which of two comes first; what is at its end comes last. */
function orderOf(old: { id: string } | undefined, now: { id: string } | undefined): number {
  if (old === undefined) return 1
  return now === undefined ? -1 : compareIds(old.id, now.id)
}

async function next<Item>(items: AsyncGenerator<Item>): Promise<Item | undefined> {
  const item = await items.next()
  return item.done === true ? undefined : item.value
}

/** Columns to read, and those among them that are compared. */
function comparisonOf(dataset: Dataset) {
  const isHeader = dataset.parent === undefined
  const idColumn = isHeader ? 'id' : dataset.parent!.key
  // Lists and objects are shown in other columns, and names of people are in no file.
  const columns = dataset.columns.filter(({ kind, person }) => kind !== 'json' && !person)
  const key = dataset.order.filter(name => name !== 'store_id' && name !== idColumn)
  // Columns that only identify the row are in `transaction_id` and `field` already, and hashes say
  // nothing to a reader.
  const named = new Set([
    'source_hash',
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
  return { compared, columns, idColumn }
}

/** The rows as they are now, their cells as the file that was given out would show them. */
async function* currentRows(
  snapshot: Snapshot,
  dataset: Dataset,
  columns: readonly DatasetColumn[],
  { format: fileFormat, timeZone }: Published,
): AsyncGenerator<BookRow> {
  const texts = columns.map(column => ({
    name: column.name,
    textOf: fileFormat.textIn?.(column, timeZone) ?? (cell => cellText(column, cell)),
  }))
  for await (const rows of snapshot.rows(dataset, columns))
    for (const row of rows)
      yield Object.fromEntries(texts.map(({ name, textOf }, index) => [name, textOf(row[index]!)]))
}

/** Neighbours with the same transaction belong together. */
async function* grouped(rows: AsyncIterable<BookRow>, idColumn: string): AsyncGenerator<Group> {
  let group: Group | undefined
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
