import { nameKey } from '../../outbound/approval.ts'
import { textIn } from '../input/rows.ts'
import type { Row } from '../input/rows.ts'
import { textField } from '../live.ts'
import type { Operation } from '../operation.ts'
import { creationKey } from './reference.ts'
import type { CreatableEntity, StoreQuestion } from './store-question.ts'

const COLUMNS = {
  brands: { id: 'brand_external_id', name: 'brand_name', flag: 'new_brand' },
  categories: { id: 'category_external_id', name: 'category_name', flag: 'new_category' },
} as const

/** Brands and categories that rows refer to, are not there, and may be created. */
export function planCreations(question: StoreQuestion): { key: string; operation: Operation }[] {
  if (question.catalog !== 'products') return []
  return question.create.flatMap(entity => {
    const first = new Map<string, Row>()
    for (const row of question.rows) {
      const externalId = textIn(row, COLUMNS[entity].id)
      const name = textIn(row, COLUMNS[entity].name)
      if (externalId !== undefined && name !== undefined && !first.has(externalId))
        first.set(externalId, row)
    }
    return [...first]
      .filter(([externalId, row]) => isNew(question, entity, externalId, row))
      .map(([externalId, row]) => ({
        key: creationKey(entity, externalId),
        operation: creation(question, entity, externalId, row),
      }))
  })
}

/** One of the same name would become two: a person gives the one that is there its external id. */
function isNew(
  { live }: StoreQuestion,
  entity: CreatableEntity,
  externalId: string,
  row: Row,
): boolean {
  if (live[entity].find('externalId', externalId).length > 0) return false
  const name = nameKey(textIn(row, COLUMNS[entity].name)!)
  return !live[entity].records.some(record => nameKey(textField(record, 'name')) === name)
}

function creation(
  { store, nextId }: StoreQuestion,
  entity: CreatableEntity,
  externalId: string,
  row: Row,
): Operation {
  const name = textIn(row, COLUMNS[entity].name)!
  const change = (field: string, path: string, text: string): Operation['changes'][number] => ({
    field,
    old: null,
    new: text,
    edits: [{ path: [path], to: JSON.stringify(text) }],
  })
  return {
    id: nextId(),
    store,
    entity,
    op: 'create',
    row: row.row,
    externalId,
    name,
    targetId: null,
    match: null,
    changes: [
      change(COLUMNS[entity].id, 'externalId', externalId),
      change(COLUMNS[entity].name, 'name', name),
    ],
    flags: [COLUMNS[entity].flag],
    dependsOn: [],
    effectiveAt: null,
    reason: null,
    base: null,
  }
}
