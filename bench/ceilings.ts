/** What no contender can beat on this machine: the parts of the work, done by nothing else. */
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import Database from 'better-sqlite3'
import pLimit from 'p-limit'
import { Pool } from 'undici'

const IN_FLIGHT = 8
const PAGE = 100

/** Seconds to fetch every page, eight in flight, and throw it away. */
export async function drainPages(url: string, records: number): Promise<number> {
  const pool = new Pool(url, { connections: IN_FLIGHT })
  const inFlight = pLimit(IN_FLIGHT)
  const startedMs = performance.now()
  const starts = Array.from({ length: Math.ceil(records / PAGE) }, (_, page) => page * PAGE)
  await inFlight.map(starts, async skip => {
    const path = `/list?skip=${skip}&limit=${PAGE}`
    const { body } = await pool.request({ path, method: 'GET' })
    await body.dump({ limit: Infinity })
  })
  await pool.close()
  return (performance.now() - startedMs) / 1000
}

/** Seconds for SQLite to copy the synced tables, with their indexes, into a new database. */
export function loadIntoSqlite(from: string, folder: string): number {
  const database = new Database(join(folder, 'ceiling.db'))
  database.pragma('page_size = 32768')
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  database.prepare('ATTACH ? AS synced').run(from)
  const schema = database.prepare<[], { type: string; name: string; sql: string }>(
    `SELECT type, name, sql FROM synced.sqlite_schema
     WHERE type IN ('table', 'index') AND sql IS NOT NULL AND tbl_name IN
       ('rows_transactions', 'rows_transaction_items', 'rows_transaction_payments')
     ORDER BY type DESC`,
  )
  const objects = schema.all()
  for (const { sql } of objects) database.exec(sql)
  const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => name)
  const startedMs = performance.now()
  for (const table of tables)
    database.exec(`INSERT INTO main.${table} SELECT * FROM synced.${table}`)
  database.pragma('wal_checkpoint(TRUNCATE)')
  const seconds = (performance.now() - startedMs) / 1000
  database.close()
  return seconds
}

/** Seconds for DuckDB's own COPY of the exported tables to Parquet and CSV. */
export async function copyWithDuckdb(parquet: readonly string[], folder: string): Promise<number> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  for (const [number, file] of parquet.entries())
    await connection.run(`CREATE TABLE t${number} AS SELECT * FROM read_parquet('${file}')`)
  const startedMs = performance.now()
  for (const number of parquet.keys()) {
    const out = join(folder, `copy-${number}`)
    await connection.run(`COPY t${number} TO '${out}.parquet' (FORMAT parquet, COMPRESSION zstd)`)
    await connection.run(`COPY t${number} TO '${out}.csv' (FORMAT csv, HEADER)`)
  }
  const seconds = (performance.now() - startedMs) / 1000
  connection.closeSync()
  instance.closeSync()
  return seconds
}
