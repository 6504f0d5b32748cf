import { toIso } from '../../calendar/days.ts'
import { inTemporaryFolder } from '../../disk.ts'
import type { ExportColumn } from '../formats/format.ts'
import { formatOf } from '../formats/formats.ts'
import type { FileFormat } from '../formats/formats.ts'
import type { AnswerCell, AnswerColumn, QueryAnswer } from './query-cells.ts'

/** How an answer may be written; `table` and `json` also where no file is asked for. */
export const ANSWER_FORMATS = ['table', 'csv', 'json', 'parquet', 'xlsx'] as const
export type AnswerFormat = (typeof ANSWER_FORMATS)[number]
/** Those that exports write, too. */
type AnswerFile = Extract<AnswerFormat, FileFormat>

/** Writes an answer as a file by the writers of exports, so that both are read alike. */
export async function writeAnswer(
  { columns, rows }: QueryAnswer,
  format: AnswerFile,
  { path, bom }: { path: string; bom: boolean },
): Promise<void> {
  const stored = rows.map(row => row.map((cell, at) => storedCell(cell, columns[at]!)))
  await inTemporaryFolder(async folder => {
    const writer = await formatOf(format).open(folder)
    try {
      const sink = writer.begin({
        path,
        name: 'answer',
        columns: columns.map(column => exportColumn(column, format)),
        bom,
        timeZone: 'UTC',
        rows: async function* () {
          yield stored
        },
        step: () => {},
      })
      for (const row of stored) sink.add(row)
      await sink.finish()
      await writer.end()
    } finally {
      await writer.close()
    }
  })
}

/** In Parquet as text with its type: a column of exact digits is nothing that was asked for. */
const exportColumn = ({ name, kind, type }: AnswerColumn, format: AnswerFile): ExportColumn => ({
  name,
  kind: format === 'parquet' ? 'text' : kind,
  type,
  person: false,
  masked: false,
  totals: undefined,
})

const storedCell = (cell: AnswerCell, { kind }: AnswerColumn): AnswerCell =>
  kind === 'boolean' && cell !== null ? Number(cell === 'true') : cell

/** A cell as text for people and CSV. */
export const answerText = (cell: AnswerCell): string =>
  typeof cell === 'number' ? toIso(cell) : (cell ?? '')

/** Rows as objects of JSON: amounts as text, since a number would round them. */
export const answerAsJson = ({ columns, rows }: QueryAnswer): object => ({
  columns: columns.map(({ name, type }) => ({ name, type })),
  rows: rows.map(row =>
    Object.fromEntries(columns.map(({ name, kind }, at) => [name, jsonCell(row[at]!, kind)])),
  ),
})

function jsonCell(cell: AnswerCell, kind: AnswerColumn['kind']): unknown {
  if (cell === null) return null
  if (kind === 'boolean') return cell === 'true'
  const isWhole = kind === 'integer' && Number.isSafeInteger(Number(cell))
  return isWhole ? Number(cell) : answerText(cell)
}
