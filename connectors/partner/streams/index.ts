import type { Stream } from '../../stream.ts'
import { batchQuantities } from './batch-quantities.ts'
import { batches } from './batches.ts'
import { brands } from './brands.ts'
import { categories } from './categories.ts'
import { companyContacts } from './company-contacts.ts'
import { consumerCarts } from './consumer-carts.ts'
import { consumerOrderQuantities } from './consumer-order-quantities.ts'
import { doctors } from './doctors.ts'
import { employees } from './employees.ts'
import { inventories } from './inventories.ts'
import { loyaltyActivity } from './loyalty-activity.ts'
import { members } from './members.ts'
import { products } from './products.ts'
import { promotions } from './promotions.ts'
import { purchaseOrders } from './purchase-orders.ts'
import { reconciliations } from './reconciliations.ts'
import { regions } from './regions.ts'
import { rewards } from './rewards.ts'
import { store } from './store.ts'
import { taxRates } from './tax-rates.ts'
import { terminals } from './terminals.ts'
import { transactions } from './transactions.ts'
import { vendors } from './vendors.ts'
import { webhooks } from './webhooks.ts'

/** Every stream, in the order in which people read them. */
export const streams: readonly Stream[] = [
  transactions,
  batches,
  members,
  purchaseOrders,
  products,
  vendors,
  categories,
  brands,
  inventories,
  terminals,
  employees,
  regions,
  promotions,
  rewards,
  loyaltyActivity,
  doctors,
  taxRates,
  companyContacts,
  reconciliations,
  webhooks,
  store,
  batchQuantities,
  consumerOrderQuantities,
  consumerCarts,
]

/**
 * What is read where nobody names streams: all but those that take a request for each record of
 * another.
 */
export const dailyStreams: readonly Stream[] = streams.filter(({ parent }) => parent === undefined)

export function findStream(name: string): Stream | undefined {
  return streams.find(stream => stream.name === name)
}
