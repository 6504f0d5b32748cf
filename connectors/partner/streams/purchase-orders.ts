import { boolean, decimal, defineStream, json, text, timestamp } from '../../stream.ts'

/** What was bought from vendors, with its lines. */
export const purchaseOrders = defineStream({
  name: 'purchase_orders',
  singular: 'purchase_order',
  title: 'purchase orders',
  path: '/api/v1/partner/purchaseorders/dates',
  window: 'days',
  offset: 'start',
  pageCap: 100,
  cursor: 'modified',
  eventTimes: ['modified', 'created', 'purchaseOrderDate', 'completedDate', 'receivedDate'],
  lookup: { path: '/api/v1/partner/purchaseorders/{id}' },
  lookbackDays: 14,
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'archive', 'manualClose', 'enableDeliveryCharge'),
    ...text('poNumber', 'parentPOId', 'parentPONumber', 'vendorId', 'purchaseOrderStatus', 'purchaseOrderPreviousStatus', 'poType', 'customerType'),
    ...text('poPaymentTerms', 'poPaymentOptions', 'flowerSourceType', 'reference', 'qbPurchaseOrderRef', 'notes', 'declineReason', 'costSource'),
    ...text('approvedBy', 'deliveredBy', 'receivedByEmployeeId', 'createdByEmployeeId', 'completedByEmployeeId', 'deliveryAddress', 'termsAndCondition'),
    ...text('shipmentBillId', 'licenseId', 'complianceManifestNumber', 'complianceId', 'inventoryId', 'poQrCodeUrl'),
    ...timestamp('purchaseOrderDate', 'dueDate', 'deliveryDate', 'deliveryTime', 'submitForApprovalDate', 'approvedDate', 'receivedDate'),
    ...timestamp('completedDate', 'declineDate', 'archiveDate', 'customTermDate'),
    ...decimal('totalCost', 'amountPaid', 'grandTotal', 'totalTax', 'totalPreCalcTax', 'totalCalcTax', 'deliveryCharge', 'discount', 'fees', 'totalDiscount'),
    ...json('taxResult', 'adjustmentInfoList', 'assignedShipments', 'companyAssetList'),
  },
  children: {
    purchase_order_items: {
      path: 'poProductRequestList',
      columns: {
        ...text('id', 'categoryId', 'categoryName', 'productId', 'productName', 'notes', 'declineReason', 'txnLineID', 'requestStatus'),
        ...decimal('requestQuantity', 'receivedQuantity', 'unitPrice', 'totalCost', 'exciseTax', 'totalExciseTax', 'totalCultivationTax', 'discount', 'finalTotalCost'),
        ...json('trackingPackagesList', 'batches', 'batchAddDetails', 'qaTestResult'),
      },
    },
  },
})
