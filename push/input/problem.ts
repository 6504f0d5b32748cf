/** Something wrong in a file. All of a file are found at once; nothing is planned with any. */
export interface Problem {
  file: string
  /** As a spreadsheet counts: the header is row 1. 0: the file as a whole. */
  row: number
  column: string | null
  code: ProblemCode
  message: string
}

export type ProblemCode =
  | 'UNREADABLE'
  | 'TOO_LARGE'
  | 'ENCODING'
  | 'FORMAT'
  | 'EMPTY'
  | 'HEADER_UNKNOWN'
  | 'HEADER_TWICE'
  | 'HEADER_MISSING'
  | 'CELLS'
  | 'FORMULA'
  | 'NOT_TEXT'
  | 'REQUIRED'
  | 'NOT_CLEARABLE'
  | 'DUPLICATE'
  | 'DECIMAL'
  | 'BOOLEAN'
  | 'DATE'
  | 'TIME'
  | 'CHOICE'
  | 'JSON'
  | 'IMAGE'
  | 'CONTROL'

/**
 * A row of a file before its cells are looked at: texts by column; absent columns are not there.
 */
export interface RawRow {
  row: number
  cells: ReadonlyMap<string, string>
}

export interface RawFile {
  rows: RawRow[]
  problems: Problem[]
}
