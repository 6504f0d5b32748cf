import { DAY_MS } from '../../calendar/days.ts'
import { decimal, share } from '../values/money.ts'
import type { Catalog } from './catalog.ts'
import { ownersOf, ownFields } from './own-fields.ts'
import type { Batch, PurchaseLine, PurchaseOrder } from './stock.ts'
import type { Shop } from './stores.ts'

const units = (quantity: number): object => decimal(quantity * 100)

/** ProductBatch, in the documentation's field names. */
export function batchRecord(shop: Shop, catalog: Catalog, batch: Batch): object {
  const { product, purchaseOrder } = batch
  return {
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
    ...batchTracking(shop, batch),
    ...batchAmounts(batch),
    ...batchDates(batch),
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

/** What the state's tracking system knows it by. */
function batchTracking(shop: Shop, { number, product }: Batch): object {
  if (!product.category.cannabis) return { trackTraceSystem: 'MANUAL', trackTraceVerified: false }
  return {
    trackTraceSystem: 'EXT_A',
    trackTraceVerified: true,
    trackPackageLabel: packageLabel(shop, number),
    trackHarvestBatch: `H-${1 + (number % 60)}`,
  }
}

/** 24 characters, as on the tags of the tracking system. */
export const packageLabel = (shop: Shop, number: number): string =>
  `1A4060300${String(shop.index).padStart(3, '0')}${String(number).padStart(12, '0')}`

function batchAmounts(batch: Batch): object {
  const { product, costPerUnit } = batch
  const { cannabis, weighed } = product.category
  const excise = cannabis ? share(costPerUnit, 1500) : 0
  return {
    quantity: units(batch.quantity),
    liveQuantity: units(batch.live),
    publishedQuantity: units(batch.live),
    extQuantity: units(batch.live),
    cost: decimal(costPerUnit * batch.quantity),
    costPerUnit: decimal(costPerUnit),
    perUnitExciseTax: decimal(excise),
    totalExciseTax: decimal(excise * batch.quantity),
    totalCultivationTax: decimal(0),
    unitWeightType: weighed ? 'GRAM' : 'NONE',
    unitWeightValue: units(weighed ? 1 : 0),
    thc: decimal(product.thcHundredths + (batch.number % 50)),
    thca: decimal(product.thcHundredths),
    cbd: decimal((batch.number * 13) % 120),
  }
}

const batchDates = ({ receivedMs, archived, modified }: Batch): object => ({
  purchasedDate: receivedMs,
  receiveDate: receivedMs,
  packageDate: receivedMs - 9 * DAY_MS,
  expirationDate: receivedMs + 365 * DAY_MS,
  sellBy: receivedMs + 330 * DAY_MS,
  ...(archived ? { archivedDate: modified } : {}),
})

/** PurchaseOrder. */
export function purchaseOrderRecord(shop: Shop, catalog: Catalog, order: PurchaseOrder): object {
  const clerk = catalog.employees[order.number % catalog.employees.length]!
  const closed = order.status === 'Closed'
  return {
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
    ...orderSteps(order, catalog.employees[0]!.id, clerk.id),
    purchaseOrderDate: order.orderedMs,
    dueDate: order.orderedMs + 30 * DAY_MS,
    deliveryDate: order.orderedMs + 4 * DAY_MS,
    inventoryId: catalog.inventories[1],
    complianceManifestNumber: String(900_000 + order.number),
    ...orderAmounts(order),
    adjustmentInfoList: [],
    assignedShipments: [],
    companyAssetList: [],
    poProductRequestList: order.lines.map(line => lineRecord(shop, order, line)),
  }
}

/** Who took which step, and when; nothing of the steps that were not taken. */
function orderSteps(order: PurchaseOrder, manager: string, clerk: string): object {
  const { approvedMs, receivedMs, completedMs, orderedMs, status, modified } = order
  const approved = {
    approvedBy: manager,
    approvedDate: approvedMs,
    submitForApprovalDate: orderedMs,
  }
  return {
    ...(approvedMs === undefined ? {} : approved),
    ...(receivedMs === undefined ? {} : { receivedByEmployeeId: clerk, receivedDate: receivedMs }),
    ...(completedMs === undefined
      ? {}
      : { completedByEmployeeId: clerk, completedDate: completedMs }),
    ...(status === 'Decline' ? { declineReason: 'Price', declineDate: modified } : {}),
  }
}

const lineTotal = (line: PurchaseLine): number => line.quantity * line.unitCost

/** Reading: grandTotal = totalCost - discount + fees + deliveryCharge + totalTax. */
function orderAmounts({ number, lines, status }: PurchaseOrder): object {
  const totalCost = lines.reduce((sum, line) => sum + lineTotal(line), 0)
  const discount = number % 5 === 0 ? share(totalCost, 250) : 0
  const fees = number % 4 === 0 ? 2500 : 0
  const deliveryCharge = number % 3 === 0 ? 7500 : 0
  const grandTotal = totalCost - discount + fees + deliveryCharge
  return {
    totalCost: decimal(totalCost),
    totalDiscount: decimal(discount),
    discount: decimal(discount),
    fees: decimal(fees),
    deliveryCharge: decimal(deliveryCharge),
    enableDeliveryCharge: deliveryCharge > 0,
    totalTax: decimal(0),
    totalPreCalcTax: decimal(0),
    totalCalcTax: decimal(0),
    grandTotal: decimal(grandTotal),
    amountPaid: decimal(status === 'Closed' ? grandTotal : 0),
    archive: false,
    manualClose: false,
    taxResult: {
      totalPreCalcTax: decimal(0),
      totalPostCalcTax: decimal(0),
      totalExciseTax: decimal(0),
    },
  }
}

function lineRecord(shop: Shop, order: PurchaseOrder, line: PurchaseLine): object {
  const { created, modified } = order
  return {
    ...ownFields(line.id, ownersOf(shop).shop, { created, modified }),
    categoryId: line.product.category.id,
    categoryName: line.product.category.name,
    productId: line.product.id,
    productName: line.product.name,
    requestStatus: requestStatus(order, line),
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
  }
}

function requestStatus({ status }: PurchaseOrder, { received }: PurchaseLine): string {
  if (received > 0) return 'ACCEPTED'
  return status === 'Decline' ? 'DECLINED' : 'PENDING'
}
