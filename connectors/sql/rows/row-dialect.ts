/** What databases call otherwise where rows are read. */
export interface RowDialect {
  /** The least of several values. */
  least: 'min' | 'least'
  /** The view that shows a stream, or lines, as everything is kept. */
  viewOf(name: string): string
  /** A field of a record, by its path, as text. */
  fieldOf(raw: string, path: string): string
  /** A query that has a row where there is such a table. */
  findTable(name: string): string
}
