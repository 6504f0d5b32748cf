import { TillageError } from '../errors.ts'
import { withoutSecrets } from '../secrets.ts'
import { oneLine, printable } from './printable.ts'
import { sayAsStarted, startedAs, startedWidth, USUAL_WIDTH } from './started-as.ts'
import { wrap, wrapMessage } from './wrap.ts'

/** Results go to stdout, everything else to stderr, so that `--json` is one clean document. */
export interface Terminal {
  json: boolean
  print(text: string): void
  /** Progress; a terminal shows only the newest, on as many lines as it needs. */
  progress(line: string): void
  log(line: string): void
}

/** The terminal of one call of the program. */
export interface ProgramTerminal extends Terminal {
  /** Takes the last line of progress away. */
  end(): void
}

const NON_TTY_EVERY_MS = 5_000

/** Where words go: the process itself, or whoever calls the program without one. */
export interface TerminalStreams {
  stdout: Pick<NodeJS.WriteStream, 'write'>
  stderr: Pick<NodeJS.WriteStream, 'write'> & Partial<NodeJS.WriteStream>
}

export function createTerminal(
  json: boolean,
  { stdout, stderr }: TerminalStreams,
): ProgramTerminal {
  const live = stderr.isTTY === true
  const newest = newestLines(stderr)
  let lastMs = 0
  return {
    json,
    end: newest.clear,
    print(text) {
      newest.clear()
      // A document for programs is the same however the program was started.
      stdout.write(`${printable(json ? text : sayAsStarted(text))}\n`)
    },
    log(line) {
      newest.clear()
      const said = printable(sayAsStarted(line))
      const isProse = live && !json
      stderr.write(`${isProse ? wrapMessage(said, columnsOf(stderr), startedAs()) : said}\n`)
    },
    progress(line) {
      if (live) newest.show(printable(line))
      else if (Date.now() - lastMs > NON_TTY_EVERY_MS) {
        lastMs = Date.now()
        stderr.write(`${printable(line)}\n`)
      }
    },
  }
}

const columnsOf = ({ columns }: TerminalStreams['stderr']): number => columns || USUAL_WIDTH

/** What stands at the end of a terminal until something newer takes its place. */
function newestLines(stderr: TerminalStreams['stderr']): {
  show(text: string): void
  clear(): void
} {
  let shown = 0
  const clear = (): void => {
    if (shown > 0) stderr.write(`\r\x1b[2K${'\x1b[1A\x1b[2K'.repeat(shown - 1)}`)
    shown = 0
  }
  return {
    clear,
    show(text) {
      clear()
      // One column stays free: a full line makes some terminals begin the next one.
      const widest = columnsOf(stderr) - 1
      const lines = text
        .split('\n')
        .flatMap(part => wrap(part, widest))
        .map(part => cut(part, widest))
      stderr.write(lines.join('\n'))
      shown = lines.length
    },
  }
}

/** Prose that is printed, in lines that the terminal does not break. */
export const fold = (text: string): string =>
  wrapMessage(sayAsStarted(text), startedWidth(), startedAs())

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
const REASONS = ['why', 'evidence', 'detail']

/**
 * The column of paths. Below its row, one is on a line of its own, spaces and all: to be copied.
 */
const PATH = 'file'

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
    column =>
      rows.length > 0 && rows.every(row => typeof row[column] === 'number' || row[column] === ''),
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
      ? wrap(row[reason]!, head[reason] === PATH ? Infinity : width - 6).map(text => `  ${text}`)
      : []),
  ])
  return [...lines(head), ...whole].map(text => `  ${text}`).join('\n')
}

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

const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}\u2026` : text

/** Not what has slashes: a path of which a part is missing cannot be copied. */
const cutCell = (text: string, width: number): string =>
  /[/\\]/.test(text) ? text : cut(text, width)

export const formatNumber = (value: number): string => value.toLocaleString('en-US')

/** `1 day`, `2 days`; of a noun with another plural, both. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

/** What happened, what to do next; never a stack trace for errors that we know. */
export function formatError(error: unknown): string {
  if (error instanceof TillageError)
    return `${error.code}: ${error.message}${error.remedy === undefined ? '' : `\n${error.remedy}`}`
  return withoutSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error))
}

/**
 * The same for programs: the one document that `--json` promises, also when nothing could be done.
 */
export function errorAsJson(error: unknown): {
  code: string
  message: string
  remedy: string | null
} {
  if (error instanceof TillageError)
    return { code: error.code, message: error.message, remedy: error.remedy ?? null }
  return {
    code: 'UNKNOWN',
    message: withoutSecrets(error instanceof Error ? error.message : String(error)),
    remedy: null,
  }
}

export const exitStatusOf = (error: unknown): number =>
  error instanceof TillageError ? error.exitStatus : 1
