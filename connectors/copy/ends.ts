/** What a kind of database does so that all its rows can be taken out of it and into it. */

/**
 * A cell as a text, whatever its type: decimals and JSON letter for letter, true and false as 1 and
 * 0.
 */
export type Cell = string | null

/** A table as a database has it; columns that it computes itself are not among them. */
export interface TableShape {
  name: string
  columns: readonly string[]
  /** The columns of its primary key. */
  key: readonly string[]
}

export interface RowsQuestion {
  table: string
  columns: readonly string[]
  /** Whole numbers that no two rows share; rows come in their order. */
  key: readonly string[]
  /** Rows after the one with this key. */
  after?: readonly string[]
  /** What is selected behind the columns: a table joined to `t`, and values. */
  beside?: { join: string; values: readonly string[] }
}

export interface CopyReader {
  /** For messages and marks: without credentials. */
  readonly place: string
  shapes(): Promise<TableShape[]>
  /** Some at a time, so that memory stays flat. */
  rows(question: RowsQuestion): AsyncIterable<Cell[][]>
  /** Of tables that number their rows, the greatest number that was ever given out. */
  counters(): Promise<Map<string, number>>
}

/** Nobody else writes to it until it is closed. */
export interface CopySource extends CopyReader {
  /** Where everything is, of one that was given up. */
  readonly movedTo: string | undefined
  /** No text of it holds a NUL, but U+FFFD in its place; `raw` has it as the escape that it was. */
  readonly lacksNul: boolean
  /** What one record says, of a row by its number. */
  rawOf(table: string, rid: string): Promise<string | undefined>
  /** From now on it refuses writes, and says where everything is. */
  markMoved(place: string): Promise<void>
  close(): Promise<void>
}

/** Nothing else opens it before `finish`. */
export interface CopyTarget extends CopyReader {
  /** How far an earlier copy came: of tables, the key of the last row. */
  begun(): Promise<Map<string, string[]>>
  /** These rows, all or none, together with how far that is. */
  take(rows: TakenRows): Promise<void>
  setCounters(counters: ReadonlyMap<string, number>): Promise<void>
  /** It is a database from now on; of its own, where it has a new identity. */
  finish(options: { newIdentity: boolean }): Promise<void>
  close(): Promise<void>
}

export interface TakenRows extends Pick<RowsQuestion, 'table' | 'columns'> {
  rows: readonly (readonly Cell[])[]
  /** The key of the last one. */
  last: readonly string[]
}

export interface TargetOrder {
  /** Where the rows come from. */
  from: string
  resume: boolean
}
