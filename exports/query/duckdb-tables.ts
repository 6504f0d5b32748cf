import { DuckDBTableFunction, VARCHAR } from '@duckdb/node-api'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { QuestionTables } from '../../connectors/destination/snapshot.ts'
import { quoteName } from '../../connectors/quote.ts'
import type { DatasetColumn } from '../dataset.ts'
import type { QueryTable } from './query-tables.ts'

/** DuckDB's vector size: the most that a table function hands over at once. */
const CHUNK = 2048

/** Of a quantity of four times a cost of six. */
const EXACT_PLACES = 10

type Cells = (string | null)[]

/** Where rows come from. */
interface ShownTables {
  tables: QuestionTables
  /** One alone; undefined: all. */
  store: string | undefined
  /** Gets the columns of which a value had more decimals than SQL has here. */
  rounded: Set<string>
}

/**
 * Shows a view of the database to SQL of this connection. Each reading takes the columns that the
 * question needs, and none is copied before it is read. Answers what ends readings that the
 * question did not: it may have wanted the first row alone.
 */
export async function showTable(
  connection: DuckDBConnection,
  { name, columns }: QueryTable,
  { tables, store, rounded }: ShownTables,
): Promise<() => void> {
  const source = `rows_of_${name}`
  const readings: Reading['rows'][] = []
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: source,
      supportsProjectionPushdown: true,
      bindFunction: bind => columns.forEach(one => bind.addResultColumn(one.name, VARCHAR)),
      initFunction: init => {
        init.setMaxThreads(1)
        const asked = init.getColumnIndexes().map(index => columns[index]!)
        const rows = tables.texts(name, asked, store)
        readings.push(rows)
        init.setInitData({ rows, asked })
      },
      mainFunction: (info, chunk) => {
        try {
          const { rows, asked } = info.getInitData() as Reading
          const taken = take(rows)
          chunk.rowCount = taken.length
          if (taken.length === 0) return
          for (const [at, column] of asked.entries()) {
            const cells = taken.map(row => row[at] ?? null)
            if (column.kind === 'decimal' && cells.some(isTooFine))
              rounded.add(`${name}.${column.name}`)
            chunk.setColumnValues(at, cells)
          }
        } catch (error) {
          info.setError(error instanceof Error ? error.message : 'the database cannot be read')
        }
      },
    }),
  )
  const cells = columns.map(one => `${typedCell(one)} AS ${quoteName(one.name)}`)
  await connection.run(
    `CREATE VIEW ${quoteName(name)} AS SELECT ${cells.join(', ')} FROM ${quoteName(source)}()`,
  )
  return () => readings.forEach(rows => rows.return?.())
}

interface Reading {
  rows: IterableIterator<Cells>
  asked: readonly DatasetColumn[]
}

function isTooFine(cell: string | null): boolean {
  const at = cell?.indexOf('.') ?? -1
  return at >= 0 && /[1-9]/.test(cell!.slice(at + 1 + EXACT_PLACES))
}

function take(rows: IterableIterator<Cells>): Cells[] {
  const taken: Cells[] = []
  while (taken.length < CHUNK) {
    const { value, done } = rows.next()
    if (done === true) break
    taken.push(value)
  }
  return taken
}

/** The text of a cell as what it is. */
function typedCell({ name, kind }: DatasetColumn): string {
  const cell = quoteName(name)
  if (kind === 'text' || kind === 'json') return cell
  if (kind === 'timestamp') return `make_timestamptz(${cell}::BIGINT * 1000)`
  return `${cell}::${{ date: 'DATE', integer: 'BIGINT', boolean: 'BOOLEAN', decimal: `DECIMAL(38, ${EXACT_PLACES})` }[kind]}`
}
