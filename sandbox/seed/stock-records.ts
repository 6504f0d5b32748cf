import { DAY_MS } from '../../calendar/days.ts'
import { decimal, share } from '../values/money.ts'
import { common } from './catalog-records.ts'
import type { Catalog } from './catalog.ts'
import type { Batch, PurchaseLine, PurchaseOrder } from './stock.ts'
import type { Shop } from './stores.ts'

const units = (quantity: number): object => decimal(quantity * 100)

/** ProductBatch, in the documentation's field names. */
export function batchRecord(shop: Shop, catalog: Catalog, batch: Batch): object {
  const { product, purchaseOrder } = batch
  const excise = product.category.cannabis ? share(batch.costPerUnit, 1500) : 0
  return {
    ...common(shop, batch.id, batch.created, batch.modified, batch.deleted),
    productId: product.id,
    productName: product.name,
    vendorId: product.vendor.id,
    vendorName: product.vendor.name,
    brandId: product.brand.id,
    brandName: product.brand.name,
    sku: `B-${String(batch.batchNo).padStart(6, '0')}`,
    batchNo: batch.batchNo,
    ...(purchaseOrder === undefined
      ? {}
      : { purchaseOrderId: purchaseOrder.id, poNumber: purchaseOrder.poNumber }),
    status: batch.status,
    batchType: batch.number % 180 === 17 ? 'SAMPLE' : 'SALE',
    trackTraceSystem: product.category.cannabis ? 'EXT_A' : 'MANUAL',
    trackTraceVerified: product.category.cannabis,
    ...(product.category.cannabis
      ? {
          trackPackageLabel: `1A4060300${String(shop.index).padStart(3, '0')}${String(batch.number).padStart(12, '0')}`,
          trackHarvestBatch: `H-${1 + (batch.number % 60)}`,
        }
      : {}),
    quantity: units(batch.quantity),
    liveQuantity: units(batch.live),
    publishedQuantity: units(batch.live),
    extQuantity: units(batch.live),
    cost: decimal(batch.costPerUnit * batch.quantity),
    costPerUnit: decimal(batch.costPerUnit),
    perUnitExciseTax: decimal(excise),
    totalExciseTax: decimal(excise * batch.quantity),
    totalCultivationTax: decimal(0),
    unitWeightType: product.category.weighed ? 'GRAM' : 'NONE',
    unitWeightValue: units(product.category.weighed ? 1 : 0),
    thc: decimal(product.thcHundredths + (batch.number % 50)),
    thca: decimal(product.thcHundredths),
    cbd: decimal((batch.number * 13) % 120),
    purchasedDate: batch.receivedMs,
    receiveDate: batch.receivedMs,
    packageDate: batch.receivedMs - 9 * DAY_MS,
    expirationDate: batch.receivedMs + 365 * DAY_MS,
    sellBy: batch.receivedMs + 330 * DAY_MS,
    ...(batch.archived ? { archivedDate: batch.modified } : {}),
    active: !batch.archived,
    archived: batch.archived,
    published: batch.status === 'READY_FOR_SALE',
    unsellable: false,
    voidStatus: false,
    isPrepaidTax: true,
    roomId: catalog.inventories[1],
    notes: [],
    attachments: [],
    bundleItems: [],
    labelInfo: '',
  }
}

const lineTotal = (line: PurchaseLine): number => line.quantity * line.unitCost

/** PurchaseOrder. Reading: grandTotal = totalCost - discount + fees + deliveryCharge + totalTax. */
export function purchaseOrderRecord(shop: Shop, catalog: Catalog, order: PurchaseOrder): object {
  const totalCost = order.lines.reduce((sum, line) => sum + lineTotal(line), 0)
  const discount = order.number % 5 === 0 ? share(totalCost, 250) : 0
  const fees = order.number % 4 === 0 ? 2500 : 0
  const deliveryCharge = order.number % 3 === 0 ? 7500 : 0
  const totalTax = 0
  const grandTotal = totalCost - discount + fees + deliveryCharge + totalTax
  const clerk = catalog.employees[order.number % catalog.employees.length]!
  const closed = order.status === 'Closed'
  return {
    ...common(shop, order.id, order.created, order.modified, order.deleted),
    poNumber: order.poNumber,
    vendorId: order.vendor.id,
    purchaseOrderStatus: order.status,
    ...(closed ? { purchaseOrderPreviousStatus: 'ReceivedShipment' } : {}),
    poType: 'Normal',
    customerType: 'VENDOR',
    poPaymentTerms: ['NET_30', 'COD', 'NET_15'][order.vendor.number % 3],
    poPaymentOptions: ['ACH_TRANSFER', 'CASH', 'CHEQUE'][order.number % 3],
    flowerSourceType: 'DISTRIBUTOR',
    reference: `REF-${4000 + order.number}`,
    notes: order.number % 8 === 0 ? 'Lieferung über die Hintertür' : '',
    createdByEmployeeId: clerk.id,
    ...(order.approvedMs === undefined
      ? {}
      : {
          approvedBy: catalog.employees[0]!.id,
          approvedDate: order.approvedMs,
          submitForApprovalDate: order.orderedMs,
        }),
    ...(order.receivedMs === undefined
      ? {}
      : { receivedByEmployeeId: clerk.id, receivedDate: order.receivedMs }),
    ...(order.completedMs === undefined
      ? {}
      : { completedByEmployeeId: clerk.id, completedDate: order.completedMs }),
    ...(order.status === 'Decline' ? { declineReason: 'Price', declineDate: order.modified } : {}),
    purchaseOrderDate: order.orderedMs,
    dueDate: order.orderedMs + 30 * DAY_MS,
    deliveryDate: order.orderedMs + 4 * DAY_MS,
    inventoryId: catalog.inventories[1],
    complianceManifestNumber: String(900_000 + order.number),
    totalCost: decimal(totalCost),
    totalDiscount: decimal(discount),
    discount: decimal(discount),
    fees: decimal(fees),
    deliveryCharge: decimal(deliveryCharge),
    enableDeliveryCharge: deliveryCharge > 0,
    totalTax: decimal(totalTax),
    totalPreCalcTax: decimal(0),
    totalCalcTax: decimal(totalTax),
    grandTotal: decimal(grandTotal),
    amountPaid: decimal(closed ? grandTotal : 0),
    archive: false,
    manualClose: false,
    taxResult: {
      totalPreCalcTax: decimal(0),
      totalPostCalcTax: decimal(totalTax),
      totalExciseTax: decimal(0),
    },
    adjustmentInfoList: [],
    assignedShipments: [],
    companyAssetList: [],
    poProductRequestList: order.lines.map(line => ({
      ...common(shop, line.id, order.created, order.modified, false),
      categoryId: line.product.category.id,
      categoryName: line.product.category.name,
      productId: line.product.id,
      productName: line.product.name,
      requestStatus:
        line.received > 0 ? 'ACCEPTED' : order.status === 'Decline' ? 'DECLINED' : 'PENDING',
      requestQuantity: units(line.quantity),
      receivedQuantity: units(line.received),
      unitPrice: decimal(line.unitCost),
      totalCost: decimal(lineTotal(line)),
      discount: decimal(0),
      finalTotalCost: decimal(lineTotal(line)),
      exciseTax: decimal(0),
      totalExciseTax: decimal(0),
      totalCultivationTax: decimal(0),
      trackingPackagesList: [],
      batches: [],
      batchAddDetails: [],
    })),
  }
}
