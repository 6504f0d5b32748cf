import {
  choice,
  flag,
  int64,
  many,
  no,
  number,
  open,
  resource,
  shopRecord,
  text,
  texts,
} from '../fields.ts'

const productLossRequest = resource(
  'ProductLossRequest',
  { ...text('productId', 'batchId', 'inventoryId', 'note'), ...number('newQuantity') },
  'All fields; newQuantity is read as the count.',
)

const historyLine = resource(
  'ReconciliationHistoryList',
  { ...text('productId', 'batchId', 'inventoryId'), ...number('oldQuantity', 'newQuantity') },
  'All fields; read as the quantity before and after.',
)

export const reconciliation = resource('ReconciliationHistory', {
  ...shopRecord,
  ...int64('requestNo'),
  ...text('employeeId', 'transNo', 'inventoryId', 'note', 'complianceReason'),
  extAdjustmentOption: choice(
    ['ADJUST_BY_DIFFERENCE', 'ADJUST_BY_FINAL_AMOUNT', 'DO_NOT_ADJUST_EXT'],
    'ADJUST_BY_FINAL_AMOUNT',
  ),
  complianceAdjustmentOption: choice([
    'ADJUST_BY_DIFFERENCE',
    'ADJUST_BY_FINAL_AMOUNT',
    'DO_NOT_ADJUST',
  ]),
  ...texts('complianceFinishedPackageTags'),
  reconciliations: many(historyLine),
  ...open('batchQuantityInfoMap'),
  ...no('batchReconcile', 'audit'),
  ...flag('blind', 'forceScan', 'fullInventory'),
})

export const reconciliationRequest = resource('ReconciliationRequest', {
  ...text('terminalId', 'inventoryId', 'note', 'complianceReason', 'employeeId'),
  ...no('reportLoss', 'batchReconcile'),
  ...flag('audit', 'blind', 'forceScan', 'fullInventory'),
  productLossRequests: many(productLossRequest),
})
