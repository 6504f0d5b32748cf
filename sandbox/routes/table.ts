import { achRoutes } from './ach.ts'
import { assetRoutes } from './assets.ts'
import { batchRoutes } from './batches.ts'
import { brandRoutes } from './brands.ts'
import { categoryRoutes } from './categories.ts'
import { companyContactRoutes } from './company-contacts.ts'
import { consumerAuthRoutes } from './consumer-auth.ts'
import { consumerCartRoutes } from './consumer-cart.ts'
import { consumerUserRoutes } from './consumer-user.ts'
import { employeeRoutes } from './employees.ts'
import { loyaltyRoutes } from './loyalty.ts'
import { memberRoutes } from './members.ts'
import { orderQuantityRoutes } from './order-quantities.ts'
import { paymentRoutes } from './payments.ts'
import { productRoutes } from './products.ts'
import { publicInventoryRoutes } from './public-inventory.ts'
import { purchaseOrderRoutes } from './purchase-orders.ts'
import { reconciliationRoutes } from './reconciliations.ts'
import { regionRoutes } from './regions.ts'
import type { Route } from './route.ts'
import { storeInventoryRoutes } from './store-inventory.ts'
import { storeRoutes } from './store.ts'
import { transactionRoutes } from './transactions.ts'
import { transferRoutes } from './transfers.ts'
import { vendorRoutes } from './vendors.ts'
import { webHookRoutes } from './webhooks.ts'

/**
 * Every operation that the sandbox plays; a group of the documentation is a file beside this one
 * and a line here.
 */
export const routes: readonly Route[] = [
  ...storeRoutes,
  ...storeInventoryRoutes,
  ...publicInventoryRoutes,
  ...productRoutes,
  ...categoryRoutes,
  ...brandRoutes,
  ...vendorRoutes,
  ...memberRoutes,
  ...purchaseOrderRoutes,
  ...batchRoutes,
  ...transferRoutes,
  ...reconciliationRoutes,
  ...employeeRoutes,
  ...regionRoutes,
  ...assetRoutes,
  ...companyContactRoutes,
  ...loyaltyRoutes,
  ...consumerUserRoutes,
  ...consumerAuthRoutes,
  ...consumerCartRoutes,
  ...orderQuantityRoutes,
  ...transactionRoutes,
  ...webHookRoutes,
  ...paymentRoutes,
  ...achRoutes,
]
