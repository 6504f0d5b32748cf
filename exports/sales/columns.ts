import type { ColumnKind } from '../../connectors/stream.ts'
import type { Amount } from '../../money/amount.ts'
import { amountText } from '../../money/amount.ts'
import { FINE_PLACES, MONEY_PLACES } from '../dataset.ts'
import type { Sale } from './sale.ts'

/** What a row says besides its sale. */
export interface BookContext {
  store: string
  timeZone: string
  businessDate: string
  completedLocal: string | null
  memberKey: string | null
  sourceHash: string
}

export type Cell = string | number | null

/** What an amount measures; `booked money` is 0 in a row that is not booked. */
export type Measure = 'booked money' | 'price' | 'unit cost' | 'quantity'

/** Digits after the point in Parquet. */
export const PLACES_OF: Readonly<Record<Measure, number>> = {
  'booked money': MONEY_PLACES,
  price: MONEY_PLACES,
  'unit cost': FINE_PLACES,
  quantity: FINE_PLACES,
}

export interface BookColumn<Row> {
  name: string
  kind: ColumnKind | 'date'
  measure?: Measure
  of: (row: Row, context: BookContext) => Cell
}

export interface BookTable<Row> {
  columns: readonly BookColumn<Row>[]
  /** The key, without the store and the transaction. */
  key: readonly string[]
  rowsOf: (sale: Sale) => readonly Row[]
}

type Of<Row, Value> = (row: Row, context: BookContext) => Value

const column =
  <Row>(kind: BookColumn<Row>['kind']) =>
  (name: string, of: BookColumn<Row>['of']): BookColumn<Row> => ({ name, kind, of })

/**
 * Columns of one table's rows. Money shows what is booked: 0 for a row that is not, so that sums
 * over a file are right.
 */
export function columnsFor<Row>(excluded: (row: Row) => boolean) {
  const amount =
    (places: number, measure: Measure) =>
    (name: string, of: Of<Row, Amount | undefined>): BookColumn<Row> => ({
      name,
      kind: 'decimal',
      measure,
      of: (row, context) => {
        const value = of(row, context)
        return value === undefined ? null : amountText(value, places)
      },
    })
  const booked = amount(2, 'booked money')
  return {
    text: (name: string, of: Of<Row, string | null | undefined>) =>
      column<Row>('text')(name, (row, context) => of(row, context) ?? null),
    date: column<Row>('date'),
    integer: column<Row>('integer'),
    flag: (name: string, of: Of<Row, boolean | undefined>) =>
      column<Row>('boolean')(name, (row, context) => flag(of(row, context))),
    time: (name: string, of: Of<Row, number | undefined>) =>
      column<Row>('timestamp')(name, (row, context) => of(row, context) ?? null),
    quantity: amount(0, 'quantity'),
    price: amount(2, 'price'),
    unitCost: amount(2, 'unit cost'),
    money: (name: string, of: Of<Row, Amount | undefined>) =>
      booked(name, (row, context) => (excluded(row) ? 0n : of(row, context))),
  }
}

const flag = (value: boolean | undefined): Cell => (value === undefined ? null : Number(value))

/** For tables of what is booked alone. */
export const booked =
  <Row>(rowsOf: (sale: Sale) => readonly Row[]) =>
  (sale: Sale): readonly Row[] =>
    sale.excluded === undefined ? rowsOf(sale) : []
