import { assetRoutes } from './assets.ts'
import { batchRoutes } from './batches.ts'
import { brandRoutes } from './brands.ts'
import { categoryRoutes } from './categories.ts'
import { companyContactRoutes } from './company-contacts.ts'
import { employeeRoutes } from './employees.ts'
import { memberRoutes } from './members.ts'
import { productRoutes } from './products.ts'
import { publicInventoryRoutes } from './public-inventory.ts'
import { purchaseOrderRoutes } from './purchase-orders.ts'
import { reconciliationRoutes } from './reconciliations.ts'
import { regionRoutes } from './regions.ts'
import type { Route } from './route.ts'
import { storeRoutes } from './store.ts'
import { storeInventoryRoutes } from './store-inventory.ts'
import { transactionRoutes } from './transactions.ts'
import { transferRoutes } from './transfers.ts'
import { vendorRoutes } from './vendors.ts'

/** Every operation that the sandbox plays; a group of the documentation is a file beside this one and a line here. */
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
  ...transactionRoutes,
]
