import type { JsonRecord } from '../model/collection.ts'
import { create, findNumber, replaceWhole, softDelete } from '../model/records.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'

const numberOf = (call: Call): number =>
  findNumber(call.world.lists.brands, call.params['brandId']!, 'brandId', true)

export const brandRoutes: readonly Route[] = [
  play('createBrand', call =>
    create(
      call.world.lists.brands,
      { active: true, isDefault: false, vendorList: [], ...call.exact },
      call.nowMs,
    ),
  ),
  play('updateBrand', call =>
    replaceWhole(
      call.world.lists.brands,
      numberOf(call),
      { vendorList: [], ...call.exact },
      call.nowMs,
    ),
  ),
  play('deleteBrand', call =>
    softDelete(call.world.lists.brands, numberOf(call), call.nowMs, { active: false }),
  ),
]

/** The brands of a vendor, whichever of the two names the other. */
export function brandsOf({ world: { lists } }: Call, vendor: JsonRecord): JsonRecord[] {
  const named = new Set((vendor['brands'] as string[] | undefined) ?? [])
  return [...lists.brands.all()].filter(
    brand =>
      brand['deleted'] === false &&
      (named.has(String(brand['id'])) ||
        ((brand['vendorList'] as string[] | undefined) ?? []).includes(String(vendor['id']))),
  )
}
