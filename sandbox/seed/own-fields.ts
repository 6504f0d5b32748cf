import type { Shop } from './stores.ts'

/** Records belong to the company alone, or to one shop of it. */
export type Owner = { companyId: string; shopId?: string }

export const ownersOf = ({ companyId, shopId }: Shop): Record<'company' | 'shop', Owner> => ({
  company: { companyId },
  shop: { companyId, shopId },
})

export interface Life {
  created: number
  modified: number
  deleted?: boolean
}

/** The fields that every record has: the server's own. */
export const ownFields = (
  id: string,
  owner: Owner,
  { created, modified, deleted = false }: Life,
): object => ({ id, ...owner, created, modified, deleted, updated: modified > created })
