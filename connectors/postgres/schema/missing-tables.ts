import type { ClientBase } from 'pg'
import { sha256Of } from '../../../sha256.ts'
import { cellTables } from '../../cells.ts'
import type { CellTable } from '../../cells.ts'
import { quoteName as quote, quoteText as literal } from '../../quote.ts'
import { fillFromKept } from '../../sql/rows/kept-records.ts'
import type { PartsOfRows } from '../../sql/rows/kept-records.ts'
import { runSteps } from '../../sql/steps.ts'
import { rowTable } from '../../stream-sql.ts'
import type { Stream } from '../../stream.ts'
import { statementsOn } from '../connection/sql-connection.ts'
import { recordStaging } from '../window/staged-records.ts'
import type { ExistingSchema } from './existing-schema.ts'
import { streamRights } from './rights.ts'
import {
  createLines,
  createRows,
  declarationOf,
  definition,
  indexes,
  kindsDeclared,
  trigger,
} from './stream-tables.ts'
import { streamViews } from './stream-views.ts'

/** A statement, or what is more than one, inside the transaction of this connection. */
export type Work = string | ((client: ClientBase) => Promise<void>)

/**
 * What is missing for a stream, in order; nothing where all is there. A column or a list that is
 * new, or of another kind, is filled for all history from `raw`, without asking the API. What is no
 * longer declared stays, and nobody reads it. Views are made anew, all of the stream.
 */
export function missingWork(stream: Stream, existing: ExistingSchema): Work[] {
  const tables = missingTables(stream, existing)
  const views = streamViews(stream)
  const isOld = views.some(([name, sql]) => existing.said(name) !== digestOf(sql))
  const isRemade = isOld || tables.length > 0
  const dropped = views.toReversed().map(([name]) => `DROP VIEW IF EXISTS ${name}`)
  return [
    ...(isRemade ? dropped : []),
    ...tables,
    ...[...indexes(stream), trigger(stream)].flatMap(([name, sql]) =>
      existing.has(name) && tables.length === 0 ? [] : [sql],
    ),
    ...(isRemade ? [...views.flatMap(madeView), streamRights(stream)] : []),
  ]
}

function missingTables(stream: Stream, existing: ExistingSchema): Work[] {
  const [own, ...lists] = cellTables(stream) as [CellTable, ...CellTable[]]
  const isNew = !existing.has(rowTable(own.name))
  const columns = isNew ? [] : missingColumns(own, existing)
  const others = lists.filter(list => isNew || missingColumns(list, existing).length > 0)
  if (!isNew && columns.length + others.length === 0) return []
  return [
    ...(isNew ? [createRows(stream)] : columns.flatMap(name => addColumn(own, name, existing))),
    ...others.flatMap(list => [`DROP TABLE IF EXISTS ${rowTable(list.name)}`, createLines(list)]),
    ...[own, ...lists].map(declare),
    ...(isNew ? [] : [fill(stream, { columns, lists: others.map(({ name }) => name) })]),
  ]
}

/** Its kind stands in the comment of its table: types of PostgreSQL tell less. */
function missingColumns({ name, columns }: CellTable, existing: ExistingSchema): string[] {
  const table = rowTable(name)
  const there = existing.columns(table)
  const declared = kindsDeclared(existing.said(table) ?? '')
  return Object.entries(columns)
    .filter(([column, { kind }]) => !there.has(column) || declared.get(column) !== kind)
    .map(([column]) => column)
    .filter(column => column !== 'id' || !there.has(column))
}

function addColumn(
  { name, columns }: CellTable,
  column: string,
  existing: ExistingSchema,
): string[] {
  const table = rowTable(name)
  return [
    ...(existing.columns(table).has(column)
      ? [`ALTER TABLE ${table} DROP COLUMN ${quote(column)}`]
      : []),
    `ALTER TABLE ${table} ADD COLUMN ${definition(column, columns[column]!)}`,
  ]
}

const declare = (table: CellTable): string =>
  `COMMENT ON TABLE ${rowTable(table.name)} IS ${literal(declarationOf(table))}`

const fill =
  (stream: Stream, parts: PartsOfRows) =>
  (client: ClientBase): Promise<void> =>
    runSteps(statementsOn(client), fillFromKept(recordStaging(client), stream, parts))

const madeView = ([name, sql]: readonly [name: string, sql: string]): string[] => [
  sql,
  `COMMENT ON VIEW ${name} IS ${literal(digestOf(sql))}`,
]

/** A view is known by the statement that made it, which no server keeps as it was. */
const digestOf = (sql: string): string => sha256Of(sql).slice(0, 16)
