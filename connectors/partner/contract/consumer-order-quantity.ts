import { array, none } from './fields.ts'
import { del, get, group } from './operation.ts'
import { orderQuantity } from './resources/cart.ts'

export const consumerOrderQuantities = group(
  'Consumer order quantity',
  '/api/v1/partner/store/consumer-order-qty',
  {
    listOrderQuantities: get('/{productId}/', 'Quantities of a product in orders', {
      answer: array(orderQuantity),
      notShown: ['The shape of the list: a bare array.'],
    }),
    deactivateCartOrderQuantities: del(
      '/consumerCart/{consumerCartId}',
      'Deactivates all quantities of a cart',
      { answer: none },
    ),
    deleteOrderQuantity: del('/{consumerOrderQtyId}', 'Deletes one quantity', { answer: none }),
  },
)
