/**
 * The contract: every operation of the API's documentation, as data. The client, the sandbox, the OpenAPI document and
 * `tillage api` derive from it. Where the documentation is silent, the operation says so in `notShown`, with our reading.
 */
import { batches } from './batches.ts'
import { brands } from './brands.ts'
import { categories } from './categories.ts'
import type { Operation } from './operation.ts'
import { products } from './products.ts'
import { publicInventory } from './public-inventory.ts'
import { purchaseOrders } from './purchase-orders.ts'
import { reconciliations } from './reconciliations.ts'
import { store } from './store.ts'
import { storeInventory } from './store-inventory.ts'
import { vendors } from './vendors.ts'

export const contract = { ...store, ...storeInventory, ...publicInventory, ...products, ...categories, ...brands, ...vendors, ...purchaseOrders, ...batches, ...reconciliations }

export type Contract = typeof contract
export type OperationId = keyof Contract

export const operations: readonly Operation[] = Object.values(contract)

/** One operation with its exact type. */
export const operation = <Id extends OperationId>(id: Id): Contract[Id] => contract[id]
