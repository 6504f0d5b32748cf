import { formatNumber } from './number.ts'
import { oneLine } from './printable.ts'
import { sayAsStarted, startedAs, startedWidth } from './started-as.ts'
import { cut, wrap, wrapMessage } from './wrap.ts'

/** A text stands on one line, whatever is in it; several lines are several texts. */
type TableCell = string | number | readonly string[]

/** What a table may do where it is wider than the terminal. */
interface TableLayout {
  /** Titles of columns that are left out, the first of these first. */
  minor?: readonly string[]
  /** The title of a column whose text goes below its row, so that it is never cut. */
  below?: string
  /** Columns of the terminal. */
  width?: number
}

/** Their text is what somebody has to read, so it is never cut. */
const REASONS = ['why', 'evidence', 'detail', 'reason']

/**
 * The column of paths. Below its row, one is on a line of its own, spaces and all: to be copied.
 */
const PATH = 'file'

/** What a number looks like, or an amount, which comes as a text since it is never a float. */
const FIGURE = /^([+-]?\d[\d,]*(\.\d+)?)?$/

/** One line of a table: a text for each of its columns. */
type TableRow = readonly string[]

/**
 * A table without borders, numbers to the right. Where it is wider than the terminal, minor columns
 * are left out if that is enough; else reasons go below their rows, then minor columns are left
 * out, then texts are broken between words, and at last the widest is cut with an ellipsis; paths
 * never are.
 */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly TableCell[])[],
  { minor = [], below, width = startedWidth() }: TableLayout = {},
): string {
  const texts = rows.map(row => row.map(textOf))
  const reason = head.findIndex(title => title === below || REASONS.includes(title))
  const { columns, isBelow } = chooseColumns(head, texts, { minor, reason, width })
  const shown = (row: TableRow): TableRow => columns.map(column => row[column]!)
  const widths = fitWidths([head, ...texts].map(shown), width)
  const isNumeric = columns.map(
    column => texts.length > 0 && texts.every(row => FIGURE.test(row[column]!)),
  )
  const line = (cells: TableRow): string =>
    cells
      .map((text, at) => (isNumeric[at]! ? text.padStart(widths[at]!) : text.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd()
  const lines = (row: TableRow): string[] => unfold(shown(row), widths).map(line)
  const whole = texts.flatMap(row => [
    ...lines(row),
    ...(isBelow && row[reason] !== ''
      ? linesBelow(row[reason]!, head[reason] === PATH ? Infinity : width - 6)
      : []),
  ])
  return [...lines(head), ...whole].map(text => `  ${text}`).join('\n')
}

/** Indented below their row; a command to type stays in one piece. */
const linesBelow = (text: string, width: number): string[] =>
  wrapMessage(text, width, startedAs())
    .split('\n')
    .map(line => `  ${line}`)

function textOf(cell: TableCell): string {
  if (typeof cell === 'number') return formatNumber(cell)
  return [cell]
    .flat()
    .map(line => sayAsStarted(oneLine(line)))
    .join('\n')
}

/** Which columns are shown, and whether the reason stands below its row instead of beside it. */
function chooseColumns(
  head: TableRow,
  texts: readonly TableRow[],
  { minor, reason, width }: { minor: readonly string[]; reason: number; width: number },
): { columns: number[]; isBelow: boolean } {
  const fits = (columns: readonly number[]): boolean =>
    widthOf(columns.map(column => columnWidth([head, ...texts], column))) <= width
  const leaveOut = (columns: readonly number[]): number[] => {
    let left = [...columns]
    for (const title of minor) if (!fits(left)) left = left.filter(column => head[column] !== title)
    return left
  }
  const all = head.map((_, column) => column)
  const beside = leaveOut(all)
  if (reason === -1 || fits(beside)) return { columns: beside, isBelow: false }
  return { columns: leaveOut(all.filter(column => column !== reason)), isBelow: true }
}

/** A row whose cells need several lines, as several rows. */
function unfold(row: TableRow, widths: readonly number[]): TableRow[] {
  const cells = row.map((text, at) =>
    text
      .split('\n')
      .flatMap(part => wrap(part, widths[at]!).map(word => cutCell(word, widths[at]!))),
  )
  const height = Math.max(...cells.map(({ length }) => length))
  return Array.from({ length: height }, (_, at) => cells.map(lines => lines[at] ?? ''))
}

const widthOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width + 2, 0)

const columnWidth = (rows: readonly TableRow[], column: number): number =>
  longest(rows.flatMap(row => row[column]!.split('\n')))

const longest = (texts: readonly string[]): number =>
  texts.reduce((most, { length }) => Math.max(most, length), 0)

/** Narrower than this, a column says nothing any more. */
const NARROWEST = 8

/** As wide as their texts; else no narrower than their words, as long as that is enough. */
function fitWidths(rows: readonly TableRow[], width: number): number[] {
  const columns = (rows[0] ?? []).map((_, column) => column)
  const words = columns.map(column => longest(rows.flatMap(row => row[column]!.split(/\s/))))
  const natural = columns.map(column => columnWidth(rows, column))
  return shrink(shrink(natural, words, width), [], width)
}

/** Takes from the widest column until all fit, or nothing is left to take. */
function shrink(widths: readonly number[], floors: readonly number[], width: number): number[] {
  const left = [...widths]
  const floor = (at: number): number => Math.max(NARROWEST, floors[at] ?? 0)
  while (widthOf(left) > width) {
    const [widest] = left
      .map((_, at) => at)
      .filter(at => left[at]! > floor(at))
      .toSorted((one, other) => left[other]! - left[one]!)
    if (widest === undefined) break
    left[widest]! -= 1
  }
  return left
}

/** Not what has slashes: a path of which a part is missing cannot be copied. */
const cutCell = (text: string, width: number): string =>
  /[/\\]/.test(text) ? text : cut(text, width)
