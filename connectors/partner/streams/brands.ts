import { boolean, defineList, integer, json, text, timestamp } from '../../stream.ts'

/** Brands of the company. The documentation shows no parameters and no shape of this list. */
export const brands = defineList({
  name: 'brands',
  singular: 'brand',
  title: 'brands',
  path: '/api/v1/partner/store/inventory/brands',
  answers: 'complete',
  optional: true,
  columns: {
    ...text('id', 'companyId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'active', 'isDefault'),
    ...text(
      'name',
      'website',
      'phoneNo',
      'email',
      'description',
      'externalId',
      'platformBrandId',
      'globalBrandId',
    ),
    ...integer('leadTime', 'minDaysOnHand', 'maxDaysOnHand'),
    ...json('vendorList', 'brandLogo'),
  },
})
