import { idOf, textField } from '../live.ts'
import type { LiveCatalog } from '../live.ts'

export type ReferredEntity = 'brands' | 'categories' | 'vendors'

export type Resolved =
  /** A record that is there. */
  | { kind: 'there'; id: string }
  /** One that another operation of this plan creates. */
  | { kind: 'created'; op: string }
  | { kind: 'missing'; reason: string }

/** What rows refer to by external id: in the API, or about to be created by this plan. */
export interface References {
  resolve(entity: ReferredEntity, externalId: string): Resolved
  /** The external id of a record, for people; its id where it has none. */
  nameOf(entity: ReferredEntity, id: string): string
}

const ONE: Readonly<Record<ReferredEntity, string>> = {
  brands: 'brand',
  categories: 'category',
  vendors: 'vendor',
}

export const createReferences = (
  live: LiveCatalog,
  creations: ReadonlyMap<string, string>,
): References => ({
  resolve(entity, externalId) {
    const found = live[entity].find('externalId', externalId)
    if (found.length > 1)
      return {
        kind: 'missing',
        reason: `${found.length} ${entity} have the external id ${externalId}`,
      }
    if (found.length === 1) return { kind: 'there', id: idOf(found[0]!) }
    const op = creations.get(creationKey(entity, externalId))
    return op === undefined
      ? { kind: 'missing', reason: `there is no ${ONE[entity]} with the external id ${externalId}` }
      : { kind: 'created', op }
  },
  nameOf(entity, id) {
    const record = live[entity].byId.get(id)
    const external = record === undefined ? '' : textField(record, 'externalId')
    return external === '' ? id : external
  },
})

export const creationKey = (entity: ReferredEntity, externalId: string): string =>
  `${entity} ${externalId}`
