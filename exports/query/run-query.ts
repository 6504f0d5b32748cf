import { DuckDBInstance, StatementType } from '@duckdb/node-api'
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api'
import { openQuestionTables } from '../../connectors/database-for-exports.ts'
import type { Stream } from '../../connectors/stream.ts'
import { TillageError, UsageError } from '../../errors.ts'
import { showTable } from './duckdb-tables.ts'
import { cellsOf, columnsOf } from './query-cells.ts'
import type { AnswerRows, QueryAnswer } from './query-cells.ts'
import { queryTables } from './query-tables.ts'

/** A question in SQL, and whom it may read about. */
export interface QueryOrder {
  sql: string
  database: string
  streams: readonly Stream[]
  /** One store alone; undefined: all. */
  store: string | undefined
  /** With the columns that tell who somebody is. */
  withPeople: boolean
  /** A question that takes longer is ended. */
  limitMs: number
  signal: AbortSignal
}

/** Beyond it DuckDB ends the question; it writes nothing to the disk to go on. */
const MEMORY = '1GB'
/** How often it is looked at whether a question is to be ended. */
const WATCH_MS = 50
/** More is no answer that somebody reads, and would have to fit into memory. */
const MOST_CELLS = 2_000_000

/**
 * Answers one SELECT over the tables of the database, as they stand at one moment. Nothing else is
 * within reach: no file, no network, no other database, no setting, and nothing that writes. Throws
 * a UsageError where the question cannot be asked, QUERY_ENDED where it takes too long or too much.
 */
export async function runQuery(order: QueryOrder): Promise<QueryAnswer> {
  const { database, store } = order
  const tables = await openQuestionTables(database)
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    memory_limit: MEMORY,
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  })
  const connection = await instance.connect()
  const endReadings: (() => void)[] = []
  try {
    await connection.run("SET TimeZone = 'UTC'")
    const rounded = new Set<string>()
    for (const table of queryTables(tables.views(), order.streams, order.withPeople))
      endReadings.push(await showTable(connection, table, { tables, store, rounded }))
    await connection.run('SET enable_external_access = false')
    await connection.run('SET lock_configuration = true')
    return { ...(await answer(connection, order)), rounded: [...rounded] }
  } finally {
    connection.closeSync()
    instance.closeSync()
    for (const end of endReadings) end()
    tables.close()
  }
}

/** Ends what runs away: by time, by memory, or because somebody pressed Ctrl-C. */
async function answer(connection: DuckDBConnection, order: QueryOrder): Promise<AnswerRows> {
  const { limitMs, signal } = order
  const endMs = Date.now() + limitMs
  const isLate = (): boolean => Date.now() >= endMs
  // Again and again, since an interruption between two steps of DuckDB's ends nothing.
  const watch = setInterval(() => {
    if (signal.aborted || isLate()) connection.interrupt()
  }, WATCH_MS)
  try {
    signal.throwIfAborted()
    return await read(await ask(connection, order.sql))
  } catch (error) {
    signal.throwIfAborted()
    throw isLate() ? takesTooLong(limitMs) : explain(error, order)
  } finally {
    clearInterval(watch)
  }
}

/** One statement, and one that only reads. */
async function ask(connection: DuckDBConnection, sql: string): Promise<DuckDBResult> {
  const statements = await connection.extractStatements(sql)
  if (statements.count !== 1)
    throw refused(`a question is one SELECT, and these are ${statements.count} statements`)
  const statement = await statements.prepare(0)
  if (statement.statementType !== StatementType.SELECT)
    throw refused(
      `a question only reads, and this is ${StatementType[statement.statementType] ?? 'no SELECT'}`,
    )
  return statement.stream()
}

async function read(result: DuckDBResult): Promise<AnswerRows> {
  const columns = columnsOf(result)
  const rows: QueryAnswer['rows'] = []
  for await (const chunk of result.yieldRows()) {
    rows.push(...chunk.map(row => cellsOf(row, columns)))
    if (rows.length * columns.length > MOST_CELLS) throw holdsTooMuch()
  }
  return { columns, rows }
}

const refused = (what: string): UsageError =>
  new UsageError(
    what,
    'Nothing was read or written. Ask with SELECT alone: tables are those of tillage streams and ' +
      'books_*; files are written with --out.',
  )

const takesTooLong = (limitMs: number): TillageError =>
  new TillageError('QUERY_ENDED', `the question took longer than ${limitMs / 1000} seconds`, {
    remedy: 'Ask about fewer days or one store, or give it longer: --seconds NUMBER.',
  })

const holdsTooMuch = (): TillageError =>
  new TillageError('QUERY_ENDED', `the answer has more than ${MOST_CELLS} cells`, {
    remedy: 'Add up in the question, or LIMIT it. All rows of a list are a file: tillage export.',
  })

/** What DuckDB says of a question, with what to do about it. */
function explain(error: unknown, { withPeople }: QueryOrder): unknown {
  if (error instanceof TillageError || !(error instanceof Error)) return error
  const [said = ''] = error.message.split('\n\n')
  if (/^Out of Memory/i.test(said))
    return new TillageError('QUERY_ENDED', `the question needs more than ${MEMORY} of memory`, {
      remedy: 'Ask about fewer days or one store.',
    })
  if (/^Permission Error/i.test(said))
    return refused('a question reads the tables of the database and nothing else')
  const people = withPeople ? '' : ' Columns that tell who somebody is are there with --people.'
  return new UsageError(
    said.replaceAll(/\s+/g, ' '),
    `Columns of a table: tillage describe TABLE; of the books: tillage describe books_TABLE.${people}`,
  )
}
