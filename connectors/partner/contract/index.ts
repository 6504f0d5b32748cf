/**
 * The contract: every operation of the API's documentation, as data. The client, the sandbox, the
 * OpenAPI document and `tillage api` derive from it. Where the documentation is silent, the
 * operation says so in `notShown`, with our reading.
 */
import { achManagement } from './ach.ts'
import { assets } from './assets.ts'
import { batches } from './batches.ts'
import { brands } from './brands.ts'
import { categories } from './categories.ts'
import { companyContacts } from './company-contacts.ts'
import { consumerAuthentication } from './consumer-authentication.ts'
import { consumerCarts } from './consumer-cart.ts'
import { consumerOrderQuantities } from './consumer-order-quantity.ts'
import { consumerUsers } from './consumer-user.ts'
import { employees } from './employees.ts'
import { loyalty } from './loyalty.ts'
import { members } from './members.ts'
import type { Operation } from './operation.ts'
import { payments } from './payments.ts'
import { products } from './products.ts'
import { publicInventory } from './public-inventory.ts'
import { purchaseOrders } from './purchase-orders.ts'
import { reconciliations } from './reconciliations.ts'
import { regions } from './regions.ts'
import { storeInventory } from './store-inventory.ts'
import { store } from './store.ts'
import { transactions } from './transactions.ts'
import { vendors } from './vendors.ts'
import { webHooks } from './webhooks.ts'

export const contract = {
  ...store,
  ...storeInventory,
  ...publicInventory,
  ...products,
  ...categories,
  ...brands,
  ...vendors,
  ...members,
  ...loyalty,
  ...purchaseOrders,
  ...batches,
  ...consumerUsers,
  ...consumerAuthentication,
  ...consumerCarts,
  ...employees,
  ...regions,
  ...assets,
  ...reconciliations,
  ...consumerOrderQuantities,
  ...webHooks,
  ...companyContacts,
  ...payments,
  ...transactions,
  ...achManagement,
}

export type Contract = typeof contract
export type OperationId = keyof Contract

export const operations: readonly Operation[] = Object.values(contract)

/** One operation with its exact type. */
export const operation = <Id extends OperationId>(id: Id): Contract[Id] => contract[id]
