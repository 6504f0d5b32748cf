import type { Snapshot } from '../../connectors/destination/snapshot.ts'
import type { Stream } from '../../connectors/stream.ts'
import { sha256Of } from '../../sha256.ts'
import type { Dataset } from '../dataset.ts'
import { cellText } from '../formats/cells.ts'
import { catalogOf } from './catalog.ts'
import { readSale } from './read-sale.ts'
import type { BookRow } from './restatement.ts'
import type { Sale } from './sale.ts'
import { paymentTable } from './settlement-tables.ts'

/** How a transaction was settled: in the record that a row was made of, by the row's hash. */
export type FindPayments = (id: string, sourceHash: string) => Promise<BookRow[] | undefined>

export const isPayments = ({ name }: Pick<Dataset, 'name'>): boolean => name === 'payments'

/**
 * Finds payments by the states of records that are kept, for days whose payments are in no file;
 * undefined where the state is kept no more.
 */
export function findPayments(snapshot: Snapshot, { name }: Stream): FindPayments {
  const catalog = catalogOf(snapshot)
  return async (id, sourceHash) => {
    const states = await snapshot.states(name, id)
    const raw = states.find(one => sha256Of(one) === sourceHash)
    if (raw === undefined) return undefined
    const [rows] = await catalog.readAll([raw], (one, facts) => rowsOf(readSale(one, facts)))
    return rows
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
