import { releaseQuantities } from '../commerce/tracking.ts'
import { findNumber } from '../model/records.ts'
import { play } from './play.ts'
import type { Route } from './route.ts'

/**
 * What submitted orders hold. Deleting those of a cart only deactivates them ("soft delete"); a
 * single one is gone from the list.
 */
export const orderQuantityRoutes: readonly Route[] = [
  play('listOrderQuantities', call => {
    const { products, consumer_order_quantities: quantities } = call.world.lists
    const productId = products.idOf(findNumber(products, call.params['productId']!, 'productId'))
    return `[${quantities
      .where('productId', productId)
      .map(number => quantities.text(number))
      .join(',')}]`
  }),
  play('deactivateCartOrderQuantities', call => {
    const { consumer_carts: carts } = call.world.lists
    releaseQuantities(
      call,
      carts.idOf(findNumber(carts, call.params['consumerCartId']!, 'consumerCartId')),
    )
    return undefined
  }),
  play('deleteOrderQuantity', call => {
    const { consumer_order_quantities: quantities } = call.world.lists
    quantities.remove(
      findNumber(quantities, call.params['consumerOrderQtyId']!, 'consumerOrderQtyId'),
    )
    return undefined
  }),
]
