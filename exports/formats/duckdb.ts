import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteName } from '../../connectors/quote.ts'
import type { DatasetColumn } from '../dataset.ts'
import type { FileRow } from './format.ts'

/** DuckDB in memory, which asks no network: everything needed is built in. */
export async function openDuckdb(
  options: Readonly<Record<string, string>> = {},
): Promise<{ connection: DuckDBConnection; close: () => void }> {
  // Only here: what writes and reads no such file loads none of it.
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', {
    // Row groups are then cut by count alone: the same rows give the same bytes.
    threads: '1',
    memory_limit: '512MB',
    preserve_insertion_order: 'true',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    ...options,
  })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  return {
    connection,
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** The rows that DuckDB reads in a file; `textOf` is the SQL of a cell as text. */
export async function* readFile(
  source: string,
  columns: readonly DatasetColumn[],
  textOf: (column: DatasetColumn, there: ReadonlySet<string>) => string,
): AsyncGenerator<FileRow> {
  const { connection, close } = await openDuckdb()
  try {
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`)
    const there = new Set(described.getRows().map(([name]) => String(name)))
    const present = columns.filter(({ name }) => there.has(name))
    const cells = present.map(column => `${textOf(column, there)} AS ${quoteName(column.name)}`)
    // Without any of its columns a file still has rows.
    const result = await connection.stream(`SELECT ${cells.join(', ') || 'NULL'} FROM ${source}`)
    for await (const rows of result.yieldRowsJson()) {
      for (const row of rows)
        yield Object.fromEntries(
          present.map(({ name }, index) => [name, (row[index] ?? null) as string | null]),
        )
    }
  } finally {
    close()
  }
}
