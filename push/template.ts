import { valueAt } from '../text/exact-json.ts'
import type { JsonRecord } from '../text/exact-json.ts'
import { readCell } from './input/cell.ts'
import { idOf, textField } from './live.ts'
import type { LiveCatalog, LiveList } from './live.ts'
import type { Catalog } from './operation.ts'
import { columnsOf } from './plan/columns.ts'
import type { Column } from './plan/columns.ts'
import { diffRow, describeValue } from './plan/diff.ts'
import type { DiffContext } from './plan/diff.ts'

export interface Filled {
  rows: Record<string, string>[]
  /** Records that no row can name for certain: without an external id, or sharing it. */
  leftOut: number
}

/**
 * The live catalog as a file of its own: planned unchanged, it asks for nothing. What a cell cannot
 * say for certain is left empty, which leaves it as it is.
 */
export function fillTemplate(catalog: Catalog, live: LiveCatalog, context: DiffContext): Filled {
  const list = live[catalog]
  const rows: Record<string, string>[] = []
  for (const record of list.records) {
    const externalId = textField(record, 'externalId')
    if (externalId === '' || list.find('externalId', externalId).length > 1) continue
    const cells = columnsOf(catalog).map(column => [
      column.name,
      cellOf(record, column, { catalog, list, context }),
    ])
    rows.push(Object.fromEntries(cells) as Record<string, string>)
  }
  return { rows, leftOut: list.records.length - rows.length }
}

interface Filling {
  catalog: Catalog
  list: LiveList
  context: DiffContext
}

function cellOf(record: JsonRecord, column: Column, { catalog, list, context }: Filling): string {
  if (column.name === 'target_id') return idOf(record)
  if (['about', 'note', 'images'].includes(column.kind)) return ''
  const text = describeValue(valueAt(record, column.path), column, context)?.trim() ?? ''
  const cell = readCell(text, column)
  if (cell === undefined || 'refused' in cell || isShared(list, column, text)) return ''
  const externalId = textField(record, 'externalId')
  const row = { row: 0, externalId, cells: new Map([[column.name, cell]]), images: [] }
  const { changes, blocked } = diffRow(row, record, catalog, context)
  return changes.length > 0 || blocked.length > 0 ? '' : text
}

/** A key of several records would be taken for another one's. */
const isShared = (list: LiveList, { name }: Column, text: string): boolean =>
  (name === 'sku' && list.find('sku', text).length > 1) ||
  (name === 'import_id' && list.find('importId', text).length > 1)
