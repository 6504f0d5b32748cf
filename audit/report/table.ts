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
