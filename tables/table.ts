/** What a cell holds: a text in CSV; in a workbook also what Excel has made of it. */
export interface TableCell {
  value: string | number | boolean | Date | null
  isFormula?: boolean
}

/** A table of a file, its header in line 0; the rows of Excel count from 1. */
export interface Table {
  /** Of a workbook. */
  sheet?: string
  /** Of CSV. */
  separator?: Separator
  lines: TableCell[][]
}

/** How columns are kept apart in CSV. */
export const SEPARATORS = [',', ';', '\t'] as const
export type Separator = (typeof SEPARATORS)[number]

/** Why a file is no table that could be read. */
export interface TableProblem {
  code: 'ENCODING' | 'FORMAT' | 'EMPTY' | 'TOO_LARGE'
  /** As Excel counts, of the first worksheet that is wrong; 0: the file as a whole. */
  row: number
  message: string
}

export type TablesRead = { tables: Table[] } | { problem: TableProblem }

export const refuseTable = (
  code: TableProblem['code'],
  message: string,
  row = 0,
): { problem: TableProblem } => ({ problem: { code, row, message } })

/** What is over which limit, and what to do. */
export const tooLarge = (what: string, limit: number, unit: string): { problem: TableProblem } =>
  refuseTable(
    'TOO_LARGE',
    `${what} is over the limit of ${limit.toLocaleString('en')} ${unit}; ` +
      'leave out what is not needed, or hand it in as several files',
  )
