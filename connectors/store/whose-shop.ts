/** Whose shop the keys of a store stand for, and whether its rows may go beside those we have. */
import { TillageError } from '../../errors.ts'
import { isSameShop } from '../destination/stores.ts'
import type { KnownStore, Stores } from '../destination/stores.ts'
import type { StoreInfo } from '../partner/store-info.ts'

/** A store of tillage.yaml, which may say whose key it must be. */
export interface ConfiguredStore {
  id: string
  baseUrl: string
  companyId?: string | undefined
  shopId?: string | undefined
}

/** The shops that the database knows. */
export type KnownShops = Pick<Stores, 'find' | 'all'>

/**
 * Refuses with STORE_UNKNOWN or STORE_TWICE where the shop that answered is not the store's
 * (INV-13). Answers whose rows may come: of an API that names nobody now, those of the shop whose
 * rows are in the database. Undefined: the database does not know the store yet.
 */
export async function acceptShop(
  store: ConfiguredStore,
  answered: StoreInfo,
  { shops, configured }: { shops: KnownShops; configured: readonly string[] },
): Promise<StoreInfo | undefined> {
  refuseOtherStore(store, answered)
  const known = await shops.find(store.id)
  if (known !== undefined) refuseChangedStore(known, answered)
  if (known?.shopId !== undefined) return withKnown(known, answered)
  const { id, baseUrl } = store
  const { companyId, shopId } = answered
  const shop = { id, baseUrl, companyId, shopId }
  const twin = (await shops.all()).find(other => isSameShop(shop, other))
  if (twin !== undefined) throw shopIsHereAs(id, twin, configured)
  return known === undefined ? undefined : withKnown(known, answered)
}

const withKnown = (known: KnownStore, answered: StoreInfo): StoreInfo => ({
  ...answered,
  companyId: answered.companyId ?? known.companyId,
  shopId: answered.shopId ?? known.shopId,
})

/**
 * A key may be the right kind of key for the wrong shop; the configuration may say whose it must
 * be.
 */
function refuseOtherStore(configured: ConfiguredStore, answered: StoreInfo): void {
  for (const field of ['companyId', 'shopId'] as const) {
    if (configured[field] === undefined || configured[field] === answered[field]) continue
    throw new TillageError(
      'STORE_UNKNOWN',
      `the developer key of ${configured.id} stands for ` +
        `${field} ${answered[field] ?? 'that the API does not name'}, ` +
        `and tillage.yaml says ${configured[field]}`,
      {
        remedy: `Put in the key of this store, or correct ${field} in tillage.yaml.`,
      },
    )
  }
}

/** The rows in the database are those of the company and shop that answered before. */
function refuseChangedStore(known: KnownStore, answered: StoreInfo): void {
  for (const [noun, before, today] of [
    ['company', known.companyId, answered.companyId],
    ['shop', known.shopId, answered.shopId],
  ] as const) {
    if (before === undefined || today === undefined || today === before) continue
    throw new TillageError(
      'STORE_UNKNOWN',
      `the developer key of ${known.id} now answers for another ${noun} (${today}) ` +
        `than the rows in the database (${before})`,
      {
        remedy:
          'Put back the key of this store, or give the other store an id ' +
          'and a database of its own.',
      },
    )
  }
}

/** The shop of a new id is in the database already. `configured` are the ids of tillage.yaml. */
export function shopIsHereAs(
  id: string,
  other: KnownStore,
  configured: readonly string[],
): TillageError {
  const remedy = configured.includes(other.id)
    ? `Take ${id} or ${other.id} out of tillage.yaml: they are one shop, and would be stored twice.`
    : `If ${other.id} was renamed, keep its history: tillage store rename ${other.id} ${id}. ` +
      `If not, put in the keys of ${id}.`
  return new TillageError(
    'STORE_TWICE',
    `the keys of ${id} stand for shop ${other.shopId}, which is already here as ${other.id}; ` +
      'nothing was read',
    { remedy },
  )
}
