import Table from 'cli-table3'
import { TillageError } from '../errors.ts'
import { withoutSecrets } from '../secrets.ts'

/** Results go to stdout, everything else to stderr, so that `--json` is one clean document. */
export interface Terminal {
  json: boolean
  print(text: string): void
  /** One line of progress; a terminal shows only the newest. */
  progress(line: string): void
  log(line: string): void
}

/**
 * Characters that a terminal acts on, besides line feed and tab: controls of both sets, and those
 * that turn the direction of writing. An id of the API may hold any. They are shown as JSON would
 * write them, so that a document under `--json` stays one.
 */
const printable = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const NON_TTY_EVERY_MS = 5_000

export function createTerminal(json: boolean): Terminal {
  const live = process.stderr.isTTY
  let shown = false
  let lastMs = 0
  const clear = (): void => {
    if (shown) process.stderr.write('\r\x1b[2K')
    shown = false
  }
  return {
    json,
    print(text) {
      clear()
      process.stdout.write(`${printable(text)}\n`)
    },
    log(line) {
      clear()
      process.stderr.write(`${printable(line)}\n`)
    },
    progress(line) {
      if (live) {
        clear()
        process.stderr.write(printable(line).slice(0, (process.stderr.columns || 100) - 1))
        shown = true
      } else if (Date.now() - lastMs > NON_TTY_EVERY_MS) {
        lastMs = Date.now()
        process.stderr.write(`${printable(line)}\n`)
      }
    },
  }
}

const PLAIN = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '  ',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
}

/** A table that fits a terminal: no borders, numbers to the right. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const numeric = head.map(
    (_, column) =>
      rows.length > 0 && rows.every(row => typeof row[column] === 'number' || row[column] === ''),
  )
  const table = new Table({
    head: [...head],
    chars: PLAIN,
    colAligns: numeric.map(right => (right ? 'right' : 'left')),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
  })
  for (const row of rows)
    table.push(row.map(cell => (typeof cell === 'number' ? formatNumber(cell) : printable(cell))))
  return table
    .toString()
    .split('\n')
    .map(line => line.trimEnd())
    .join('\n')
}

export const formatNumber = (value: number): string => value.toLocaleString('en-US')

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
