import { DuckDBTypeId } from '@duckdb/node-api'
import type { DuckDBResult, DuckDBType, DuckDBValue } from '@duckdb/node-api'
import type { DatasetColumn } from '../dataset.ts'

/** A column of an answer. */
export interface AnswerColumn {
  name: string
  kind: DatasetColumn['kind']
  /** DuckDB's own, for files that have types. */
  type: string
}

/** As writers of files take them: texts, instants as epoch milliseconds, and nothing. */
export type AnswerCell = string | number | null

export interface AnswerRows {
  columns: AnswerColumn[]
  rows: AnswerCell[][]
}

export interface QueryAnswer extends AnswerRows {
  /** `table.column` of which a value had more decimals than SQL has here. */
  rounded: string[]
}

const KINDS: ReadonlyMap<DuckDBTypeId, DatasetColumn['kind']> = new Map([
  [DuckDBTypeId.BOOLEAN, 'boolean'],
  [DuckDBTypeId.DATE, 'date'],
  [DuckDBTypeId.TINYINT, 'integer'],
  [DuckDBTypeId.SMALLINT, 'integer'],
  [DuckDBTypeId.INTEGER, 'integer'],
  [DuckDBTypeId.BIGINT, 'integer'],
  [DuckDBTypeId.UTINYINT, 'integer'],
  [DuckDBTypeId.USMALLINT, 'integer'],
  [DuckDBTypeId.UINTEGER, 'integer'],
  [DuckDBTypeId.UBIGINT, 'integer'],
  [DuckDBTypeId.HUGEINT, 'integer'],
  [DuckDBTypeId.DECIMAL, 'decimal'],
  [DuckDBTypeId.FLOAT, 'decimal'],
  [DuckDBTypeId.DOUBLE, 'decimal'],
  [DuckDBTypeId.TIMESTAMP_TZ, 'timestamp'],
])

/** Names that two columns share are told apart, so that a file can have them. */
export function columnsOf(result: DuckDBResult): AnswerColumn[] {
  const names = result.deduplicatedColumnNames()
  return result.columnTypes().map((type, at) => ({
    name: names[at]!,
    kind: KINDS.get(type.typeId) ?? 'text',
    type: fileType(type),
  }))
}

/** Parquet has no whole numbers of 128 bits but decimals; what it cannot hold at all is text. */
function fileType(type: DuckDBType): string {
  if (type.typeId === DuckDBTypeId.HUGEINT) return 'DECIMAL(38, 0)'
  return KINDS.has(type.typeId) ? String(type) : 'VARCHAR'
}

export const cellsOf = (
  row: readonly DuckDBValue[],
  columns: readonly AnswerColumn[],
): AnswerCell[] => row.map((value, at) => cellOf(value, columns[at]!))

function cellOf(value: DuckDBValue, { kind }: AnswerColumn): AnswerCell {
  if (value === null) return null
  if (kind === 'timestamp' && typeof value === 'object' && 'micros' in value)
    return Math.floor(Number(value.micros) / 1000)
  return kind === 'decimal' ? withoutZeros(String(value)) : String(value)
}

/** SQL has more decimals of an amount than anybody writes: of zeros at the end four stay. */
const withoutZeros = (text: string): string => text.replace(/(\.\d{4}\d*?)0+$/, '$1')
