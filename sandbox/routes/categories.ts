import { create, findNumber, replaceWhole, softDelete } from '../model/records.ts'
import { play } from './play.ts'
import type { Call, Route } from './route.ts'

const numberOf = (call: Call): number =>
  findNumber(call.world.lists.categories, call.params['id']!, 'id', true)

/**
 * `{values}`: the complete list, no pagination (Categories). Reading: what was deleted is in the
 * inventory's list alone, if asked for.
 */
export const categoryRoutes: readonly Route[] = [
  play('listCategories', call => `{"values":[${categoryTexts(call, false).join(',')}]}`),
  play('getCategory', call => call.world.lists.categories.text(numberOf(call))),
  play('createCategory', call =>
    create(
      call.world.lists.categories,
      { shopIds: [call.world.shop.shopId], archived: false, ...call.exact },
      call.nowMs,
    ),
  ),
  play('updateCategory', call =>
    replaceWhole(call.world.lists.categories, numberOf(call), call.exact, call.nowMs),
  ),
  play('deleteCategory', call =>
    softDelete(call.world.lists.categories, numberOf(call), call.nowMs, { active: false }),
  ),
]

/** The categories as JSON, in the order in which they were made. */
export function categoryTexts(call: Call, includeDeleted: boolean): string[] {
  const { categories } = call.world.lists
  return [...categories.all()]
    .filter(category => includeDeleted || category['deleted'] === false)
    .map(category => categories.text(categories.find(String(category['id']))!))
}
