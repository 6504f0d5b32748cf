import { createHash } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { StoredCell } from '../../connectors/destination/snapshot.ts'
import { quoteName, quoteText } from '../../connectors/quote.ts'
import { allFit } from '../../money/decimal-totals.ts'
import { fitDecimal, plainDecimal } from '../../money/decimal.ts'
import { FINE_PLACES } from '../dataset.ts'
import type { DatasetColumn } from '../dataset.ts'
import { openDuckdb, readFile } from './duckdb.ts'
import type { ExportColumn, FileToWrite, Format, RowSink } from './format.ts'
import { writeWhole } from './write-whole.ts'

/** Part of the contract: another size gives other bytes. Raise `tillage-parquet` with it. */
const ROW_GROUP_SIZE = 20_480

/** Who wrote the bytes. Another writer may give other bytes for the same rows. */
export async function parquetWriter(): Promise<string> {
  const { version } = await import('@duckdb/node-api')
  return `duckdb ${version()}; tillage-parquet 2`
}

/**
 * Each row becomes a JSON array in a file of the work folder, which DuckDB reads, takes apart and
 * casts, beside whatever the thread of the export does meanwhile: no table, memory of one row
 * group. Texts all the way, since DuckDB's JSON reader would send numbers through doubles (INV-6).
 */
export const parquet = {
  name: 'parquet',
  async open(folder) {
    const { connection, close } = await openDuckdb({ temp_directory: folder })
    const writer = await parquetWriter()
    const copies: Promise<unknown>[] = []
    let step = (): void => {}
    return {
      begin(file) {
        step = () => file.step(0)
        return lineSink(file, folder, sql => {
          const copy = connection.run(sql)
          // It is awaited at the end; until then its failure is nobody's.
          copy.catch(() => {})
          copies.push(copy)
          return writer
        })
      },
      end: () => watched(connection, Promise.all(copies), step),
      async close() {
        const ending = setInterval(() => connection.interrupt(), WATCH_MS)
        await Promise.allSettled(copies)
        clearInterval(ending)
        close()
      },
    }
  },
  rows: (path, columns) =>
    readFile(`read_parquet(${quoteText(path)})`, columns, (column, there) =>
      column.kind === 'decimal' && there.has(EXACT_DECIMALS) ? exactText(column) : textOf(column),
    ),
} as const satisfies Format

const WATCH_MS = 50

/** Ends what DuckDB does where `step` fails: that is how a run is stopped. */
async function watched(
  connection: DuckDBConnection,
  copying: Promise<unknown>,
  step: () => void,
): Promise<void> {
  let failure: unknown
  const watch = setInterval(() => {
    try {
      step()
    } catch (error) {
      failure = error
      connection.interrupt()
    }
  }, WATCH_MS)
  try {
    await copying
  } catch (error) {
    throw failure ?? error
  } finally {
    clearInterval(watch)
  }
}

/**
 * The column beside the others for decimals that their type does not hold: a JSON object of their
 * exact digits by column, NULL in nearly every row. It is in each file that has decimals, so that
 * all files of a dataset have the same columns.
 */
const EXACT_DECIMALS = 'exact_decimals'

/** Writes rows as JSON arrays, a line each; `copy` has DuckDB read them. */
function lineSink(file: FileToWrite, folder: string, copy: (sql: string) => string): RowSink {
  const { columns, path } = file
  const hasDecimals = columns.some(({ kind }) => kind === 'decimal')
  const typed = columns.map(({ name, type }) => ({ name, type }))
  if (hasDecimals) typed.push({ name: EXACT_DECIMALS, type: 'VARCHAR' })
  const open = (): Lines => openLines(join(folder, `${basename(path)}.lines`), typed)
  let lines = open()
  const end = hasDecimals ? ',null]' : ']'
  const jsonOf = rowJson(columns)
  return {
    add(cells) {
      // What some type does not hold is written in a second pass, which knows all such columns.
      if (columns.every(fits)) lines.add(`${jsonOf(cells)}${end}`)
    },
    async finish() {
      const beyond = columns
        .filter(column => !fits(column))
        .map(column => ({ ...column, values: 0 }))
      if (beyond.length > 0) {
        lines = open()
        for await (const rows of file.rows())
          for (const cells of rows) lines.add(fittedLine(columns, cells, jsonOf, beyond))
      }
      const { content, ...written } = lines.finish()
      const writer = copy(copySql(path, typed, written))
      const beyondType = beyond.map(({ name, type, values }) => ({ column: name, type, values }))
      return { writer, content, beyondType }
    },
  }
}

const placesOf = ({ places = FINE_PLACES }: DatasetColumn): number => places

const fits = (column: ExportColumn): boolean =>
  column.totals === undefined || allFit(column.totals, placesOf(column))

/** A row whose columns do not all fit: fitted, and with the exact digits in the last cell. */
function fittedLine(
  columns: readonly ExportColumn[],
  cells: readonly StoredCell[],
  jsonOf: (cells: readonly StoredCell[]) => string,
  beyond: { name: string; values: number }[],
): string {
  const exact: Record<string, string> = {}
  const fitted = cells.map((cell, at) => {
    const column = columns[at]!
    const counted = beyond.find(({ name }) => name === column.name)
    if (cell === null || counted === undefined) return cell
    const fit = fitDecimal(String(cell), placesOf(column))!
    if (!fit.exact) {
      counted.values++
      exact[column.name] = plainDecimal(String(cell))!
    }
    return fit.text
  })
  const kept = Object.keys(exact).length === 0 ? 'null' : JSON.stringify(exact)
  return `${jsonOf(fitted)},${kept}]`
}

/** The JSON array of a row, without its end; whole numbers that are texts lose their quotes. */
function rowJson(columns: readonly ExportColumn[]): (cells: readonly StoredCell[]) => string {
  const integers = columns.flatMap(({ kind }, at) => (kind === 'integer' ? [at] : []))
  return cells => {
    if (integers.every(at => typeof cells[at] !== 'string'))
      return JSON.stringify(cells).slice(0, -1)
    const json = cells.map((cell, at) =>
      integers.includes(at) ? String(cell) : JSON.stringify(cell),
    )
    return `[${json.join(',')}`
  }
}

type TypedColumn = Pick<ExportColumn, 'name' | 'type'>

interface WrittenLines {
  paths: readonly string[]
  /** Of the largest file. */
  bytes: number
}

interface Lines {
  add: (line: string) => void
  finish: () => WrittenLines & { content: string }
}

/**
 * Rows of a file: a multiple of the 2,048 that DuckDB hands on at once, so that files are read as
 * if they were one, and few, since it holds what it reads of a file in memory.
 */
const ROWS_A_FILE = 2048

function openLines(path: string, columns: readonly TypedColumn[]): Lines {
  const hash = createHash('sha256')
  hash.update(JSON.stringify(columns.map(({ name, type }) => [name, type])))
  const paths: string[] = []
  let most = 0
  let waiting: string[] = []
  const write = (): void => {
    const bytes = Buffer.from(`\n${waiting.join('\n')}\n`)
    hash.update(bytes.subarray(0, -1))
    const file = openSync(`${path}${paths.length}`, 'w')
    paths.push(`${path}${paths.length}`)
    try {
      writeWhole(file, bytes.subarray(1))
    } finally {
      closeSync(file)
    }
    most = Math.max(most, bytes.length)
    waiting = []
  }
  return {
    add(line) {
      if (waiting.push(line) === ROWS_A_FILE) write()
    },
    finish() {
      if (waiting.length > 0) write()
      return { paths, bytes: most, content: hash.digest('hex') }
    },
  }
}

/**
 * DuckDB takes no line longer than this by itself, and reads twice as much at once: where a reading
 * ends in the middle of a row group, the group is cut elsewhere, and the bytes are others.
 */
const USUAL_BYTES = 16 * 1024 * 1024

function copySql(
  path: string,
  columns: readonly TypedColumn[],
  { paths, bytes }: WrittenLines,
): string {
  const cells = columns.map(
    ({ name, type }, index) => `${castTo(type, `v[${index + 1}]`)} AS ${quoteName(name)}`,
  )
  const lines =
    paths.length === 0
      ? "SELECT '' AS json WHERE false"
      : `SELECT json FROM read_json_objects([${paths.map(quoteText).join(', ')}],
           format = 'newline_delimited', maximum_object_size = ${Math.max(bytes, USUAL_BYTES)})`
  return `
    COPY (
      SELECT ${cells.join(', ')}
      FROM (SELECT from_json(json, '["VARCHAR"]') AS v FROM (${lines}))
    ) TO ${quoteText(path)}
    (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_SIZE})`
}

const castTo = (type: string, value: string): string =>
  type === 'TIMESTAMP WITH TIME ZONE'
    ? `make_timestamptz(${value}::BIGINT * 1000)`
    : `${value}::${type}`

const textOf = ({ name, kind }: DatasetColumn): string =>
  kind === 'timestamp'
    ? `strftime(${quoteName(name)}, '%Y-%m-%dT%H:%M:%S.%gZ')`
    : `${quoteName(name)}::VARCHAR`

/** What the type of the column does not hold stands beside it. */
const exactText = ({ name }: DatasetColumn): string =>
  `coalesce(${EXACT_DECIMALS}->>${quoteText(`$."${name}"`)}, ${quoteName(name)}::VARCHAR)`
