import { TillageError } from '../errors.ts'
import { unescapeFormula } from './formula.ts'

/** A text of CSV, and how far it is read. */
export interface CsvReader {
  readonly text: string
  readonly separator: string
  at: number
  /** Reading a line ends soon after it passes one of these. */
  readonly most?: { readonly columns: number; readonly cellCharacters: number }
}

/** Why a line cannot be read. */
export type CsvFault = 'a quote is never closed' | 'a quote within a cell' | 'a cell is too long'

/** The cells of the next line, which may end in any way; the line must be there. */
export function readCsvLine(reader: CsvReader): string[] | CsvFault {
  const mostColumns = reader.most?.columns ?? Infinity
  const cells: string[] = []
  for (;;) {
    const cell = reader.text[reader.at] === '"' ? readQuoted(reader) : { text: readPlain(reader) }
    if (typeof cell === 'string') return cell
    cells.push(cell.text)
    const next = reader.text[reader.at]
    if (next === reader.separator && cells.length <= mostColumns) {
      reader.at++
      continue
    }
    reader.at += next === '\r' && reader.text[reader.at + 1] === '\n' ? 2 : 1
    return cells
  }
}

function readPlain(reader: CsvReader): string {
  const { text, separator } = reader
  const from = reader.at
  while (reader.at < text.length && !isEnd(text[reader.at]!, separator)) reader.at++
  return text.slice(from, reader.at)
}

const isEnd = (letter: string, separator: string): boolean =>
  letter === separator || letter === '\n' || letter === '\r'

function readQuoted(reader: CsvReader): { text: string } | CsvFault {
  const { text, separator, at: start } = reader
  const mostCharacters = reader.most?.cellCharacters ?? Infinity
  const parts: string[] = []
  for (let from = start + 1; ;) {
    const quote = text.indexOf('"', from)
    if (quote === -1) return 'a quote is never closed'
    // A quote that is written twice is one.
    if (quote - start > 2 * mostCharacters) return 'a cell is too long'
    parts.push(text.slice(from, quote))
    const next = text[quote + 1]
    reader.at = quote + 1
    if (next === undefined || isEnd(next, separator)) return { text: parts.join('"') }
    if (next !== '"') return 'a quote within a cell'
    from = quote + 2
  }
}

/**
 * Reads what `write-csv.ts` wrote: rows by the names of the header, texts without the apostrophe
 * that guards them. Throws `EVIDENCE_CHANGED`, with the path, where a quote is out of place, as
 * nothing of ours writes it.
 */
export function readCsv(
  text: string,
  path = 'a CSV file that was given out',
): Record<string, string>[] {
  const reader: CsvReader = { text: text.replace(/^\uFEFF/, ''), separator: ',', at: 0 }
  const lines: string[][] = []
  while (reader.at < reader.text.length) {
    const line = readCsvLine(reader)
    if (typeof line === 'string') throw changed(path, lines.length + 1, line)
    lines.push(line.map(unescapeFormula))
  }
  const [header = [], ...rows] = lines
  return rows.map(row => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])))
}

const changed = (path: string, row: number, fault: CsvFault): TillageError =>
  new TillageError('EVIDENCE_CHANGED', `${path} was changed: row ${row}: ${fault}`, {
    remedy: 'Bring it back from a backup.',
  })
