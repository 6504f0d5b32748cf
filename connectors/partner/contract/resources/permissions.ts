/** What a role may do (Role). */
export const PERMISSIONS = [
  'None', 'iPadMemberAdd', 'iPadMemberEdit', 'iPadQueueAddMember', 'iPadTransactionsViews', 'iPadProcessSales', 'iPadRefund', 'iPadApplyCartDiscounts', 'iPadApplyLineItemDiscounts',
  'iPadApplyCoupons', 'iPadCashDrawerOpen', 'iPadCashDrawerCloseOut', 'iPadTransactionsLookup', 'iPadInitiation', 'iPadQuickPinLogin', 'iPadManageSettingsView', 'iPadManagerSettingsManage',
  'WebAdminLogin', 'WebAllMembersView', 'WebMembersView', 'WebMembersManage', 'WebMembersAddToQueue', 'WebPromotionsView', 'WebPromotionsManage', 'WebTransactionsView', 'WebTransactionsRefund',
  'WebInventoryView', 'WebInventoryManage', 'WebInventoryTransfer', 'WebInventoryCategoryManage', 'WebEmployeeView', 'WebEmployeeManage', 'WebEmployeeClockout', 'WebVendorView', 'WebVendorManage',
  'WebSettingsView', 'WebSettingsManage', 'WebPhysiciansView', 'WebPhysiciansManage', 'WebReportsView', 'WebDeliveryView', 'WebCashDrawerView', 'WebUnlockOrder', 'WebEditBatch', 'WebAddBatch',
  'WebInvoiceView', 'WebInvoiceManage', 'WebInventoryReconciliation', 'WebDashboardView', 'WebPurchaseOrderView', 'WebPurchaseOrderManage', 'WebExpenseView', 'WebExpenseManage',
  'WebAccountingManage', 'WebInvoiceManifestChange', 'WebEditPosPayment', 'WebTransactionsVoid', 'WebCancelPosOrders',
] as const
