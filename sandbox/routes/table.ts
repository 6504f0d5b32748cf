import { batchRoutes } from './batches.ts'
import { categoryRoutes } from './categories.ts'
import { memberRoutes } from './members.ts'
import { productRoutes } from './products.ts'
import { purchaseOrderRoutes } from './purchase-orders.ts'
import type { Route } from './route.ts'
import { storeRoutes } from './store.ts'
import { transactionRoutes } from './transactions.ts'
import { vendorRoutes } from './vendors.ts'

/** Every operation that the sandbox plays; a group of the documentation is a file beside this one and a line here. */
export const routes: readonly Route[] = [...storeRoutes, ...productRoutes, ...categoryRoutes, ...vendorRoutes, ...memberRoutes, ...purchaseOrderRoutes, ...batchRoutes, ...transactionRoutes]
