import { boolean, defineList, integer, json, text, timestamp } from '../../stream.ts'

/**
 * Counts that were sent through the API or the till (ReconciliationHistory). Needs the permission
 * PERFORM_RECONCILIATION.
 */
export const reconciliations = defineList({
  name: 'reconciliations',
  singular: 'reconciliation',
  title: 'inventory reconciliations',
  path: '/api/v1/partner/reconciliations',
  optional: true,
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'batchReconcile', 'audit', 'blind', 'forceScan', 'fullInventory'),
    ...integer('requestNo'),
    ...text(
      'employeeId',
      'transNo',
      'inventoryId',
      'note',
      'complianceReason',
      'extAdjustmentOption',
      'complianceAdjustmentOption',
    ),
    ...json('complianceFinishedPackageTags', 'reconciliations', 'batchQuantityInfoMap'),
  },
})
