import { createHash } from 'node:crypto'
import type { Hash } from 'node:crypto'
import { DuckDBInstance, version } from '@duckdb/node-api'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteName, quoteText } from '../../connectors/quote.ts'
import type { ScannedColumn } from '../scan.ts'
import { duckdbCellSql } from './cells.ts'
import type { FileJob } from './file-job.ts'
import { handOver, registerLineSource } from './line-source.ts'
import type { LineSource } from './line-source.ts'
import { hashLines, writtenLines } from './written-lines.ts'

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
  /**
   * The same for files whose rows DuckDB reads itself, one after the other. It does so beside
   * whatever the thread that calls does meanwhile.
   */
  writeAside: (jobs: readonly FileJob[]) => Promise<string[]>
  close: () => void
}

/**
 * Each row is one JSON array, which DuckDB takes apart and casts: no table, memory of one row
 * group. It reads them itself where they stand in a file already, and else SQLite hands them over.
 * One thread, since row groups are then cut by count alone: the same rows give the same bytes.
 * Texts all the way, since DuckDB's JSON reader would send numbers through doubles (INV-6).
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
  const source = registerLineSource(connection)
  return {
    write: job => writeParquet(connection, source, job),
    writeAside: jobs => writeAside(connection, jobs),
    close: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

async function writeParquet(
  connection: DuckDBConnection,
  source: LineSource,
  job: FileJob,
): Promise<string> {
  const written = writtenColumns(job.scan.columns)
  const hash = hashOf(written)
  await handOver(source, linesOf(job, written), {
    hash,
    step: job.step,
    read: from => connection.run(copyInto(job.path, written, from)),
  })
  return hash.digest('hex')
}

const hashOf = (written: readonly WrittenColumn[]): Hash =>
  createHash('sha256').update(JSON.stringify(written.map(({ name, type }) => [name, type])))

/**
 * DuckDB takes no longer line, and reads twice as much at once: where a reading ends in the middle
 * of a row group, the group is cut elsewhere, and the bytes are others. So rows stand in several
 * files (`openLines`).
 */
const MOST_AT_ONCE = 16 * 1024 * 1024

/** Whether DuckDB reads the rows from their files as it would if they were handed over. */
export const canReadItself = ({ lines, scan }: FileJob): boolean =>
  lines !== undefined &&
  lines.bytes < MOST_AT_ONCE &&
  scan.columns.every(({ beyondType }) => beyondType === 0)

/** How often a COPY that nobody feeds is looked at. */
const WATCH_MS = 50

/** Ends early where `step` fails: that is how a run is stopped. */
async function writeAside(
  connection: DuckDBConnection,
  jobs: readonly FileJob[],
): Promise<string[]> {
  if (jobs.length === 0) return []
  let failure: unknown
  const watch = setInterval(() => {
    try {
      jobs[0]!.step(0)
    } catch (error) {
      failure = error
      connection.interrupt()
    }
  }, WATCH_MS)
  try {
    // As one text, so that none waits for the thread that calls.
    const copying = connection.run(jobs.map(copyWritten).join(';'))
    const hashes = jobs.map(async job => hashWritten(job))
    await Promise.allSettled([copying, ...hashes])
    await copying
    return await Promise.all(hashes)
  } catch (error) {
    throw failure ?? error
  } finally {
    clearInterval(watch)
  }
}

function copyWritten({ scan, path, lines }: FileJob): string {
  const paths = lines!.paths.map(quoteText).join(', ')
  const from = `read_json_objects([${paths}], format = 'newline_delimited')`
  return copyInto(path, writtenColumns(scan.columns), `SELECT json AS line FROM ${from}`)
}

function hashWritten({ scan, lines }: FileJob): string {
  const hash = hashOf(writtenColumns(scan.columns))
  hashLines(lines!.paths, hash)
  return hash.digest('hex')
}

/** A JSON array for each row: read from the snapshot, or from where they are written already. */
function linesOf(
  { snapshot, dataset, scan, lines }: FileJob,
  written: readonly WrittenColumn[],
): IterableIterator<string> {
  if (lines !== undefined) return writtenLines(lines.paths, scan.columns)
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

function copyInto(path: string, columns: readonly WrittenColumn[], lines: string): string {
  const cells = columns.map(
    ({ name, type }, index) => `${castTo(type, `v[${index + 1}]`)} AS ${quoteName(name)}`,
  )
  return `
    COPY (
      SELECT ${cells.join(', ')}
      FROM (SELECT from_json(line, '["VARCHAR"]') AS v FROM (${lines}))
    ) TO ${quoteText(path)}
    (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_SIZE})`
}

const castTo = (type: string, value: string): string =>
  type === 'TIMESTAMP WITH TIME ZONE'
    ? `make_timestamptz(${value}::BIGINT * 1000)`
    : `${value}::${type}`
