import { z } from 'zod'
import {
  choice,
  flag,
  many,
  no,
  number,
  one,
  open,
  openList,
  required,
  resource,
  shopRecord,
  text,
  timestamp,
} from '../fields.ts'
import { companyAsset } from './asset.ts'

export const PURCHASE_ORDER_STATUSES = [
  'InProgress',
  'ReceivingShipment',
  'RequiredApproval',
  'Approved',
  'WaitingShipment',
  'Closed',
  'Cancel',
  'Decline',
  'ReceivedShipment',
] as const
export const PAYMENT_TERMS = [
  'NET_30',
  'COD',
  'NET_45',
  'NET_60',
  'NET_15',
  'NET_7',
  'CUSTOM_DATE',
] as const
export const PAYMENT_OPTIONS = [
  'CASH',
  'CREDIT',
  'DEBIT',
  'COD',
  'ACH_TRANSFER',
  'CHEQUE',
  'EXTCAPITAL',
  'OTHER',
] as const

const adjustment = resource('AdjustmentInfo', {
  ...text('adjustmentId'),
  ...flag('negative'),
  ...number('amount'),
})

const shipment = resource(
  'Shipment',
  {
    ...text('id', 'shippingManifestId', 'shippingManifestNo', 'shipmentStatus'),
    ...timestamp('deliveryDate', 'deliveryTime', 'shippedDateTime', 'estimatedArrival'),
  },
  'Fields beyond these, and their types: times are read as epoch milliseconds.',
)

const line = resource(
  'POProductRequest',
  {
    ...shopRecord,
    ...text(
      'categoryId',
      'categoryName',
      'productId',
      'productName',
      'notes',
      'declineReason',
      'txnLineID',
      'requestStatus',
    ),
    ...number(
      'requestQuantity',
      'receivedQuantity',
      'unitPrice',
      'totalCost',
      'exciseTax',
      'totalExciseTax',
      'totalCultivationTax',
      'discount',
      'finalTotalCost',
    ),
    ...openList('trackingPackagesList', 'batches', 'batchAddDetails'),
    ...open('qaTestResult'),
  },
  'Values of requestStatus beyond the example PENDING.',
)

const lineAddRequest = resource('POProductAddRequest', {
  ...text('productId', 'notes'),
  ...number('requestQuantity', 'totalCost', 'discount', 'finalTotalCost'),
})

export const purchaseOrder = resource('PurchaseOrder', {
  ...shopRecord,
  ...text(
    'poNumber',
    'parentPOId',
    'parentPONumber',
    'approvedBy',
    'vendorId',
    'deliveredBy',
    'receivedByEmployeeId',
    'createdByEmployeeId',
    'completedByEmployeeId',
    'notes',
  ),
  ...text(
    'declineReason',
    'reference',
    'qbPurchaseOrderRef',
    'deliveryAddress',
    'termsAndCondition',
    'poQrCodeUrl',
    'shipmentBillId',
    'licenseId',
  ),
  ...text('complianceManifestNumber', 'complianceId', 'inventoryId', 'costSource'),
  ...timestamp(
    'approvedDate',
    'receivedDate',
    'completedDate',
    'declineDate',
    'submitForApprovalDate',
    'archiveDate',
    'customTermDate',
    'deliveryTime',
    'deliveryDate',
    'purchaseOrderDate',
    'dueDate',
  ),
  poPaymentTerms: choice(PAYMENT_TERMS),
  purchaseOrderStatus: choice(PURCHASE_ORDER_STATUSES, 'InProgress'),
  purchaseOrderPreviousStatus: choice(PURCHASE_ORDER_STATUSES),
  poPaymentOptions: choice(PAYMENT_OPTIONS),
  poType: choice(['Normal', 'BackOrder'], 'Normal'),
  customerType: choice(['VENDOR', 'CUSTOMER_COMPANY'], 'VENDOR'),
  flowerSourceType: choice(['CULTIVATOR_DIRECT', 'DISTRIBUTOR']),
  ...number(
    'totalCost',
    'amountPaid',
    'grandTotal',
    'totalTax',
    'totalPreCalcTax',
    'totalCalcTax',
    'deliveryCharge',
    'discount',
    'fees',
    'totalDiscount',
  ),
  ...flag('archive', 'manualClose'),
  ...no('enableDeliveryCharge'),
  approvedSignature: one(companyAsset),
  managerReceiveSignature: one(companyAsset),
  poQrCodeAsset: one(companyAsset),
  companyAssetList: many(companyAsset),
  poProductRequestList: many(line),
  ...open('taxResult'),
  adjustmentInfoList: many(adjustment),
  assignedShipments: many(shipment),
})

const order = {
  ...text(
    'vendorId',
    'notes',
    'reference',
    'deliveryAddress',
    'termsAndCondition',
    'licenseId',
    'inventoryId',
    'complianceManifestNumber',
    'costSource',
  ),
  ...timestamp('customTermDate', 'deliveryTime', 'deliveryDate', 'purchaseOrderDate'),
  ...number('discount', 'fees'),
  adjustmentInfoList: many(adjustment),
}

export const purchaseOrderRequest = resource('PurchaseOrderRequest', {
  ...required.text('currentEmployeeId'),
  poPaymentTerms: z.enum(PAYMENT_TERMS),
  paymentType: z
    .enum(PAYMENT_OPTIONS)
    .meta({ 'x-not-shown': 'Its values; read as those of poPaymentOptions.' }),
  poProductAddRequestList: z.array(lineAddRequest),
  ...order,
})

/** To be priced, not yet placed: nothing is required. */
export const purchaseOrderPrepareRequest = resource(
  'PurchaseOrderPrepareRequest',
  {
    ...text('currentEmployeeId'),
    poPaymentTerms: choice(PAYMENT_TERMS),
    paymentType: choice(PAYMENT_OPTIONS),
    poProductAddRequestList: many(lineAddRequest),
    ...order,
  },
  'All fields; read as those of the create request, none of them required.',
)
