import { csvForExcel, number as numberCell } from '../../text/write-csv.ts'

/** A table of the audit: the same rows go into a CSV file, a worksheet and the page. */
export interface AuditTable {
  dataset: string
  /** The worksheet's name. */
  title: string
  columns: readonly AuditColumn[]
  rows: readonly (readonly string[])[]
}

export interface AuditColumn {
  name: string
  /** A quantity or an amount: a number in a workbook. */
  isNumber?: boolean
}

export const text = (name: string): AuditColumn => ({ name })
export const number = (name: string): AuditColumn => ({ name, isNumber: true })

/** Texts are made safe for Excel, numbers are written as they are. */
export const tableCsv = ({ columns, rows }: AuditTable): string =>
  csvForExcel(
    columns.map(({ name }) => name),
    rows.map(row =>
      row.map((value, at) => (columns[at]!.isNumber === true ? numberCell(value) : value)),
    ),
  )
