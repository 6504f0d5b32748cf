import { boolean, defineList, json, person, text, timestamp } from '../../stream.ts'

/**
 * The store itself: one record (StoreInfoResult). The fields of `shop` are not shown; these are the
 * ones that public clients read.
 */
export const store = defineList({
  name: 'store',
  singular: 'store_record',
  title: 'the store itself',
  path: '/api/v1/partner/store',
  answers: { record: 'shop' },
  optional: true,
  columns: {
    ...text('id', 'companyId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'active', 'enableDeliveryFee'),
    ...text('name', 'shopType', 'timeZone', 'license', 'receivingInventoryId', 'companyLogoURL'),
    ...person.text('emailAdress', 'phoneNumber'),
    ...timestamp('snapshopTime', 'nextSnapshotTime'),
    ...json('address', 'taxInfo', 'contract'),
  },
})
