import type { JsonRecord } from '../../text/exact-json.ts'
import { textIn } from '../input/rows.ts'
import type { Row } from '../input/rows.ts'
import { idOf, sameText, textField } from '../live.ts'
import type { LiveList } from '../live.ts'
import type { Catalog, MatchMethod } from '../operation.ts'

export type Match =
  | { kind: 'match'; record: JsonRecord; by: MatchMethod }
  | { kind: 'none' }
  | { kind: 'conflict'; reason: string; by: MatchMethod | null; targetId: string | null }

/**
 * Which record a row is about: by target id, external id, import id, SKU, in this order. What could
 * be two records, or belongs to another external id, is a conflict and never a guess.
 */
export function matchRow(row: Row, list: LiveList, catalog: Catalog): Match {
  const found = firstMatch(row, list, catalog)
  if (found.kind === 'conflict') return found
  const record = found.kind === 'match' ? found.record : undefined
  const other = takenByAnother(row, list, record)
  if (other === undefined) return found
  return {
    kind: 'conflict',
    reason: other,
    by: found.kind === 'match' ? found.by : null,
    targetId: record === undefined ? null : idOf(record),
  }
}

function firstMatch(row: Row, list: LiveList, catalog: Catalog): Match {
  const targetId = textIn(row, 'target_id')
  if (targetId !== undefined) {
    const record = list.byId.get(targetId)
    return record === undefined
      ? conflict('target_id', `there is no record with the id ${targetId}`)
      : { kind: 'match', record, by: 'target_id' }
  }
  for (const { by, field, key } of keysOf(row, catalog)) {
    const found = list.find(field, key)
    if (found.length > 1)
      return conflict(by, `${found.length} records have the ${by} ${key}: ${idsOf(found)}`)
    const [record] = found
    if (record === undefined) continue
    const holder = textField(record, 'externalId')
    if (by !== 'external_id' && holder !== '' && !sameText(holder, row.externalId))
      return {
        ...conflict(by, `the ${by} ${key} belongs to the external id ${holder}`),
        targetId: idOf(record),
      }
    return { kind: 'match', record, by }
  }
  return { kind: 'none' }
}

interface Key {
  by: Exclude<MatchMethod, 'target_id'>
  field: 'externalId' | 'importId' | 'sku'
  key: string
}

/** What a row may be found by, in the order in which it is. */
export function keysOf(row: Row, catalog: Catalog): Key[] {
  const importId = textIn(row, 'import_id')
  const sku = catalog === 'products' ? textIn(row, 'sku') : undefined
  return [
    { by: 'external_id', field: 'externalId', key: row.externalId },
    ...(importId === undefined
      ? []
      : [{ by: 'import_id', field: 'importId', key: importId } as const]),
    ...(sku === undefined ? [] : [{ by: 'sku', field: 'sku', key: sku } as const]),
  ]
}

/** Keys of the row that another record has already. */
function takenByAnother(
  row: Row,
  list: LiveList,
  record: JsonRecord | undefined,
): string | undefined {
  for (const { by, field, key } of keysOf(row, 'products')) {
    const others = list
      .find(field, key)
      .filter(other => record === undefined || idOf(other) !== idOf(record))
    if (others.length > 0) return `the ${by} ${key} is another record's: ${idsOf(others)}`
  }
  return undefined
}

const conflict = (by: MatchMethod, reason: string): Extract<Match, { kind: 'conflict' }> => ({
  kind: 'conflict',
  reason,
  by,
  targetId: null,
})

const idsOf = (records: readonly JsonRecord[]): string => records.map(idOf).join(', ')
