import { boolean, decimal, defineList, json, text, timestamp } from '../../stream.ts'

/**
 * The tills. The documented list holds active ones only. `creditCardReader` holds a secret and
 * stays in `raw`.
 */
export const terminals = defineList({
  name: 'terminals',
  singular: 'terminal',
  title: 'terminals (tills), active ones',
  path: '/api/v1/partner/store/terminals',
  optional: true,
  ofShop: true,
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'active', 'onPremEnabled'),
    ...text(
      'name',
      'terminalType',
      'checkoutType',
      'assignedInventoryId',
      'currentEmployeeId',
      'regionId',
      'posTerminal',
    ),
    ...text(
      'deviceId',
      'deviceModel',
      'deviceVersion',
      'deviceName',
      'deviceType',
      'appVersion',
      'cvAccountId',
    ),
    ...decimal('quickStartAmount'),
    ...json('brandIds'),
  },
})
