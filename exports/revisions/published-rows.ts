import { createReadStream, readFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { wallInstants } from '../../calendar/clock.ts'
import { quoteName, quoteText } from '../../connectors/quote.ts'
import { parseRecord } from '../books/record.ts'
import type { DatasetColumn } from '../dataset.ts'
import { FORMULA_START } from '../formats/formula.ts'
import { EXACT_DECIMALS } from '../formats/parquet.ts'
import { sheetText } from '../formats/sheet-cells.ts'
import type { FileFormat } from './manifest.ts'

/**
 * The rows of a published file, in its order, every cell as the text that CSV has: what was given
 * out, not what the database says today. Columns that the file does not have are left out. Memory
 * of one chunk. A sheet shows times by the clocks of `timeZone`.
 */
export async function* publishedRows(
  path: string,
  format: FileFormat,
  columns: readonly DatasetColumn[],
  timeZone = 'UTC',
): AsyncGenerator<Record<string, string | null>> {
  if (format === 'jsonl') return yield* jsonlRows(path, columns)
  if (format === 'xlsx') return yield* xlsxRows(path, columns, wallInstants(timeZone))
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: '512MB',
    preserve_insertion_order: 'true',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'")
    const source = sourceOf(path, format)
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`)
    const there = new Set(described.getRows().map(([name]) => String(name)))
    const present = columns.filter(({ name }) => there.has(name))
    // Without any of its columns a file still has rows.
    const isExact = !there.has(EXACT_DECIMALS)
    const cells = present.map(column =>
      column.kind === 'decimal' && !isExact ? exactText(column) : textOf(column, format),
    )
    const result = await connection.stream(`SELECT ${cells.join(', ') || 'NULL'} FROM ${source}`)
    for await (const rows of result.yieldRowsJson()) {
      for (const row of rows)
        yield Object.fromEntries(
          present.map(({ name }, index) => [name, (row[index] ?? null) as string | null]),
        )
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function* jsonlRows(
  path: string,
  columns: readonly DatasetColumn[],
): AsyncGenerator<Record<string, string | null>> {
  for await (const line of linesOf(path)) {
    // An integer beyond 2^53 keeps its digits.
    const row = parseRecord(line) as Record<string, string | number | boolean | null>
    yield Object.fromEntries(
      columns.flatMap(({ name }) =>
        name in row ? [[name, row[name] === null ? null : String(row[name])]] : [],
      ),
    )
  }
}

/** These are for people, so they are small enough to be held. */
async function* xlsxRows(
  path: string,
  columns: readonly DatasetColumn[],
  fromWall: (wallMs: number) => number,
): AsyncGenerator<Record<string, string | null>> {
  // Only here: most exports read no sheet.
  const { streamXlsxRows } = await import('hucre/xlsx')
  let names: string[] | undefined
  for await (const { values } of streamXlsxRows(readFileSync(path))) {
    if (names === undefined) names = values.map(String)
    else {
      const row = values
      const places = new Map(names.map((name, index) => [name, index]))
      yield Object.fromEntries(
        columns.flatMap(column =>
          places.has(column.name)
            ? [[column.name, sheetText(column, row[places.get(column.name)!], fromWall)]]
            : [],
        ),
      )
    }
  }
}

/** By line feeds alone: readline would also cut at U+2028, which texts may hold. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

function sourceOf(path: string, format: FileFormat): string {
  const file = quoteText(path)
  if (format === 'parquet') return `read_parquet(${file})`
  return (
    `read_csv(${file}, header = true, all_varchar = true, delim = ',', quote = '"', ` +
    `escape = '"', nullstr = '', parallel = false)`
  )
}

/** Of Parquet: what the type of the column does not hold stands beside it. */
const exactText = ({ name }: DatasetColumn): string =>
  `coalesce(${EXACT_DECIMALS}->>${quoteText(`$."${name}"`)}, ${quoteName(name)}::VARCHAR)`

function textOf({ name, kind }: DatasetColumn, format: FileFormat): string {
  const cell = quoteName(name)
  if (format === 'parquet')
    return kind === 'timestamp' ? `strftime(${cell}, '%Y-%m-%dT%H:%M:%S.%gZ')` : `${cell}::VARCHAR`
  // The apostrophe that keeps a text from being a formula is no part of it.
  return format === 'csv' && (kind === 'text' || kind === 'json')
    ? `regexp_replace(${cell}, '^''(${FORMULA_START.replaceAll("'", "''")})', '\\1')`
    : cell
}
