import { hash } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { Stream } from '../../connectors/stream.ts'
import type { Dataset } from '../dataset.ts'
import { isoUtc } from '../formats/cells.ts'
import { catalogOf } from './catalog.ts'
import type { BookColumn, Cell } from './columns.ts'
import { readSale } from './read-sale.ts'
import type { BookRow } from './restatement.ts'
import type { Sale } from './sale.ts'
import { paymentTable } from './settlement-tables.ts'

/** How a transaction was settled: in the record that a row was made of, by the row's hash. */
export type FindPayments = (id: string, sourceHash: string) => BookRow[] | undefined

export const isPayments = ({ name }: Pick<Dataset, 'name'>): boolean => name === 'payments'

/**
 * Finds payments by the states of records that are kept, for days whose payments are in no file;
 * undefined where the state is kept no more.
 */
export function findPayments(
  database: Database.Database,
  { name }: Stream,
  store: string,
): FindPayments {
  const facts = catalogOf(database, store)
  const kept = database
    .prepare<unknown[], string>(
      `SELECT raw FROM "${name}" WHERE store_id = @store AND id = @id
       UNION ALL
       SELECT raw FROM versions WHERE stream = @name AND store_id = @store AND id = @id`,
    )
    .pluck()
  return (id, sourceHash) => {
    const raws = kept.all({ name, store, id })
    const raw = raws.find(one => hash('sha256', one) === sourceHash)
    return raw === undefined ? undefined : rowsOf(readSale(raw, facts))
  }
}

/** Of a payment, not of its sale: none of the columns below reads it. */
const NO_CONTEXT = {
  store: '',
  timeZone: '',
  businessDate: '',
  completedLocal: null,
  memberKey: null,
  sourceHash: '',
}

const rowsOf = (sale: Sale): BookRow[] =>
  paymentTable
    .rowsOf(sale)
    .map(row =>
      Object.fromEntries(
        paymentTable.columns.map(column => [
          column.name,
          cellText(column, column.of(row, NO_CONTEXT)),
        ]),
      ),
    )

/** As files have it. */
function cellText({ kind }: Pick<BookColumn<never>, 'kind'>, cell: Cell): string | null {
  if (cell === null) return null
  if (kind === 'timestamp') return isoUtc(Number(cell))
  return kind === 'boolean' ? String(cell === 1) : String(cell)
}
