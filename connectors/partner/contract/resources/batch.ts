import { choice, double, flag, int32, many, no, number, one, open, openList, required, resource, shopRecord, text, timestamp, zero, zeroInt32 } from '../fields.ts'
import { companyAsset } from './asset.ts'
import { note } from './note.ts'

export const BATCH_STATUSES = ['RECEIVED', 'IN_TRANSFER', 'IN_TESTING', 'READY_FOR_SALE', 'PROCESSING', 'ERROR', 'FINISHED'] as const

export const batch = resource('ProductBatch', {
  ...shopRecord,
  ...required.text('productId'),
  ...text('vendorId', 'sku', 'thcName', 'cbnName', 'cbdName', 'cbdaName', 'thcaName', 'cbgName', 'retailIdTraceMessage', 'trackPackageLabel', 'sourcePackageLabel'),
  ...text('trackHarvestBatch', 'trackHarvestDate', 'purchaseOrderId', 'customerCompanyId', 'brandId', 'poNumber', 'complianceError', 'extCategory', 'lotId', 'extTagId'),
  ...text('productName', 'vendorName', 'brandName', 'derivedLogId', 'licenseId', 'labelInfo', 'externalId', 'externalLicense', 'roomId', 'connectedBatchId', 'trackHarvestName'),
  ...text('extLabTestingState', 'complianceLabTestingState', 'runId', 'ndcNumber', 'externalTransferId', 'nmCcdMappingFlagReason'),
  ...zeroInt32('batchNo'),
  ...int32('retailIdCount', 'trackPackageId'),
  ...number('cost', 'costPerUnit', 'quantity', 'publishedQuantity', 'perUnitExciseTax', 'totalExciseTax', 'totalCultivationTax', 'actualWeightPerUnit', 'waste'),
  ...zero('liveQuantity', 'extQuantity', 'unitWeightValue', 'usableNetWeight', 'servingWeight'),
  ...double('totalTerpenes', 'totalCannabinoids', 'thc', 'cbn', 'cbd', 'cbda', 'thca', 'cbg', 'maxThc', 'maxCbn', 'maxCbd', 'maxCbda', 'maxThca', 'moistureLoss'),
  ...timestamp('retailIdUpdatedAt', 'purchasedDate', 'sellBy', 'archivedDate', 'publishedDate', 'lastAuditDate', 'receiveDate', 'expirationDate', 'produceDate', 'packageDate', 'finalTestingDate'),
  ...flag('archived', 'published', 'unsellable', 'trackTraceVerified', 'voidStatus', 'isPrepaidTax', 'unProcessed', 'productionBatch', 'fromTestSample', 'useBatchInfoQATest'),
  ...flag('sample', 'nmCcdMappingFlagged', 'active', 'doh'),
  ...no('complianceSampleChecked'),
  status: choice(BATCH_STATUSES, 'RECEIVED'),
  prevStatus: choice(BATCH_STATUSES),
  requestedStatus: choice(BATCH_STATUSES),
  trackTraceSystem: choice(['MANUAL', 'EXT_A', 'EXT_B', 'EXT_C', 'NM_CCD', 'OTHER'], 'MANUAL'),
  batchType: choice(['SAMPLE', 'SALE'], 'SALE'),
  unitWeightType: choice(['NONE', 'GRAM', 'OUNCE', 'FLUID_OUNCE', 'MILLIGRAM'], 'NONE'),
  attachments: many(companyAsset),
  notes: many(note),
  batchQRAsset: one(companyAsset),
  referenceNote: one(note),
  ...openList('unsellableReasons', 'bundleItems'),
  ...open('productBatchLabel', 'potencyAmount', 'potencyAmountInfo', 'cannabinoidInfo', 'complianceInfo', 'nmCcdReference', 'labResultData', 'terpenoids'),
})

export const batchQuantityInfo = resource('BatchQuantityInfo', { ...text('batchId', 'productId', 'inventoryId', 'batchSku'), ...number('quantity') }, 'All fields; read as how much of a batch is in a room.')

const transferLine = resource('InventoryTransferLine', { ...text('productId', 'fromInventoryId', 'fromBatchId', 'toInventoryId', 'toBatchId', 'prepackageItemId'), ...number('transferAmount') }, 'All fields; named as in the transfer request of a transaction.')

export const transferRequest = resource('InventoryTransferRequest', {
  ...text('fromShopId', 'toShopId', 'fromInventoryId', 'toInventoryId', 'employeeId', 'note'),
  transfers: many(transferLine),
}, 'All fields; read as rooms, and how much of which batch.')

export const TRANSFER_STATUSES = ['PENDING', 'ACCEPTED', 'DECLINED'] as const

export const transferHistory = resource('InventoryTransferHistory', {
  ...shopRecord,
  ...text('transferNo', 'fromShopId', 'toShopId', 'fromInventoryId', 'toInventoryId', 'employeeId', 'acceptedByEmployeeId', 'declinedByEmployeeId', 'note'),
  status: choice(TRANSFER_STATUSES, 'PENDING'),
  ...timestamp('acceptedDate', 'declinedDate'),
  transfers: many(transferLine),
}, 'All fields, and the states; read as PENDING until it is accepted or declined.')
