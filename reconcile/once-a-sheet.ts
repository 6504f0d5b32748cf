import type { CountRow } from './read-rows.ts'

/** Cells that people write once, and mean for the whole sheet. */
const ONCE = [
  { column: 'counted_by', beside: 'counted_qty' },
  { column: 'counted_at', beside: 'counted_qty' },
  { column: 'recounted_by', beside: 'recount_qty' },
] as const
type Once = (typeof ONCE)[number]['column']

/**
 * Who counted, and when, where a row leaves it empty: what the whole file says, if it says one
 * thing; else what stands first above it on the sheet of its room. A row that says something else
 * speaks for itself alone. Pure.
 */
export function fillOnceASheet(rows: readonly CountRow[]): CountRow[] {
  const files = Map.groupBy(rows, ({ file }) => file)
  return [...files.values()].flatMap(ofFile => {
    const whole = Object.fromEntries(ONCE.map(({ column }) => [column, onlyOf(ofFile, column)]))
    const first = new Map<string, string>()
    return ofFile.map(row => {
      const cells = { ...row.cells }
      for (const { column, beside } of ONCE) {
        const key = JSON.stringify([sheetOf(row), column])
        if (cells[column] !== '' && !first.has(key)) first.set(key, cells[column])
        if (cells[beside] === '' || cells[column] !== '') continue
        cells[column] = whole[column] ?? first.get(key) ?? ''
      }
      return { ...row, cells }
    })
  })
}

/** A worksheet, or the lines of a room in a file without worksheets. */
const sheetOf = ({ sheet, cells }: CountRow): string => sheet ?? (cells.inventory_id || cells.room)

/** What a column of the file says, where it says one thing only. */
function onlyOf(rows: readonly CountRow[], column: Once): string | undefined {
  const said = new Set(rows.map(({ cells }) => cells[column]).filter(text => text !== ''))
  return said.size === 1 ? [...said][0] : undefined
}
