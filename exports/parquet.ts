import { createHash } from 'node:crypto'
import { DuckDBInstance, DuckDBTableFunction, VARCHAR, version } from '@duckdb/node-api'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteName, quoteText } from '../connectors/quote.ts'
import { duckdbCellSql } from './cells.ts'
import type { FileJob } from './file-job.ts'
import type { ScannedColumn } from './scan.ts'
import { writtenLines } from './written-lines.ts'

/** DuckDB's vector size: the most that a table function hands over at once. */
const CHUNK = 2048
/** More are no faster, and cost memory with wide rows. */
const CHUNKS_AHEAD = 2

/** Part of the contract: another size gives other bytes. Raise `tillage-parquet` with it. */
const ROW_GROUP_SIZE = 20_480

/** Who wrote the bytes. Another writer may give other bytes for the same rows. */
export function parquetWriter(): string {
  return `duckdb ${version()}; tillage-parquet 2`
}

export interface ParquetWriter {
  /**
   * Writes one file; answers the sha256 of its rows and types, which does not depend on the writer.
   */
  write: (job: FileJob) => Promise<string>
  close: () => void
}

/**
 * SQLite hands each row over as one JSON array, DuckDB takes it apart and casts: no table, no
 * temporary file, memory of one row group. One thread, since one source feeds it and row groups are
 * then cut by count alone: the same rows give the same bytes. Texts all the way, since DuckDB's
 * JSON reader would send numbers through doubles (INV-6).
 */
export async function openParquetWriter(temporaryFolder: string): Promise<ParquetWriter> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: '512MB',
    preserve_insertion_order: 'true',
    temp_directory: temporaryFolder,
    // Everything needed is built in; never ask the network.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  const source = registerSource(connection)
  return {
    write: job => writeParquet(connection, source, job),
    close: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** What DuckDB reads: whoever writes a file sets `next`, and finds out here why it failed. */
interface Source {
  next: () => string[]
  failure: unknown
}

function registerSource(connection: DuckDBConnection): Source {
  const source: Source = { next: () => [], failure: undefined }
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: 'source',
      bindFunction: bind => bind.addResultColumn('line', VARCHAR),
      initFunction: init => init.setMaxThreads(1),
      mainFunction: (info, chunk) => {
        try {
          const lines = source.next()
          chunk.rowCount = lines.length
          if (lines.length > 0) chunk.setColumnValues(0, lines)
        } catch (error) {
          // The one clean way to end a COPY early: terminating the thread would abort the whole
          // process.
          source.failure = error
          info.setError('stopped')
        }
      },
    }),
  )
  return source
}

async function writeParquet(
  connection: DuckDBConnection,
  source: Source,
  job: FileJob,
): Promise<string> {
  const { scan, path, step } = job
  const written = writtenColumns(scan.columns)
  const hash = createHash('sha256').update(
    JSON.stringify(written.map(({ name, type }) => [name, type])),
  )
  const lines = linesOf(job, written)
  const ahead = readAhead(chunksOf(lines, hash, step))
  source.next = ahead.take
  source.failure = undefined
  try {
    await connection.run(copyInto(path, written))
  } catch (error) {
    throw source.failure ?? error
  } finally {
    ahead.stop()
    lines.return?.()
  }
  return hash.digest('hex')
}

/** A JSON array for each row: read from the snapshot, or from where they are written already. */
function linesOf(
  { snapshot, dataset, scan, lines }: FileJob,
  written: readonly WrittenColumn[],
): IterableIterator<string> {
  if (lines !== undefined) return writtenLines(lines, scan.columns)
  return snapshot.values(dataset, `json_array(${written.map(({ carried }) => carried).join(', ')})`)
}

/**
 * The column beside the others for decimals that their type does not hold: a JSON object of their
 * exact digits by column, NULL in nearly every row. It is in each file that has decimals, so that
 * all files of a dataset have the same columns.
 */
export const EXACT_DECIMALS = 'exact_decimals'

interface WrittenColumn {
  name: string
  type: string
  /** The cell on its way to DuckDB, as SQL for `json_array`. */
  carried: string
}

function writtenColumns(columns: readonly ScannedColumn[]): WrittenColumn[] {
  const written = columns.map((column): WrittenColumn => ({
    name: column.name,
    type: column.type,
    carried: column.beyondType === 0 ? duckdbCellSql(column) : decimalCall('fit_decimal', column),
  }))
  if (!columns.some(({ kind }) => kind === 'decimal')) return written
  return [...written, { name: EXACT_DECIMALS, type: 'VARCHAR', carried: exactDecimals(columns) }]
}

const decimalCall = (call: string, { name, type }: ScannedColumn): string =>
  `${call}(r.${quoteName(name)}, ${/,(\d+)\)/.exec(type)![1]})`

function exactDecimals(columns: readonly ScannedColumn[]): string {
  const beyond = columns.filter(({ beyondType }) => beyondType > 0)
  if (beyond.length === 0) return 'NULL'
  const pairs = beyond.map(
    column => `${quoteText(column.name)}, ${decimalCall('beyond_decimal', column)}`,
  )
  // A patch with itself leaves out what is NULL.
  return `nullif(json_patch('{}', json_object(${pairs.join(', ')})), '{}')`
}

function copyInto(path: string, columns: readonly WrittenColumn[]): string {
  const cells = columns.map(
    ({ name, type }, index) => `${castTo(type, `v[${index + 1}]`)} AS ${quoteName(name)}`,
  )
  return `
    COPY (
      SELECT ${cells.join(', ')}
      FROM (SELECT from_json(line, '["VARCHAR"]') AS v FROM source())
    ) TO ${quoteText(path)}
    (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_SIZE})`
}

const castTo = (type: string, value: string): string =>
  type === 'TIMESTAMP WITH TIME ZONE'
    ? `make_timestamptz(${value}::BIGINT * 1000)`
    : `${value}::${type}`

/** Lines by the chunk, hashed; an empty chunk is the end. */
function chunksOf(
  lines: IterableIterator<string>,
  hash: { update: (text: string) => unknown },
  step: (rows: number) => void,
): () => string[] {
  let rows = 0
  return () => {
    const chunk: string[] = []
    while (chunk.length < CHUNK) {
      const { value, done } = lines.next()
      if (done === true) break
      chunk.push(value)
    }
    if (chunk.length > 0) hash.update(`\n${chunk.join('\n')}`)
    rows += chunk.length
    step(rows)
    return chunk
  }
}

/** Reads while DuckDB compresses; a few chunks at most, so that memory stays flat. */
function readAhead(readChunk: () => string[]): { take: () => string[]; stop: () => void } {
  const queue: string[][] = []
  let ended = false
  let planned = false
  let failure: unknown
  const read = (): string[] => {
    const chunk = readChunk()
    if (chunk.length < CHUNK) ended = true
    return chunk
  }
  const plan = (): void => {
    if (planned || ended || failure !== undefined || queue.length >= CHUNKS_AHEAD) return
    planned = true
    setImmediate(() => {
      planned = false
      if (ended) return
      try {
        queue.push(read())
        plan()
      } catch (error) {
        failure = error
      }
    })
  }
  return {
    take: () => {
      if (failure !== undefined) throw failure
      const chunk = queue.shift() ?? (ended ? [] : read())
      plan()
      return chunk
    },
    stop: () => {
      ended = true
    },
  }
}
