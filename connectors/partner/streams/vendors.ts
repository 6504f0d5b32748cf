import { boolean, decimal, defineList, json, person, text, timestamp } from '../../stream.ts'

/**
 * Who the store buys from. Its dates are optional in the documentation and the list is short: it is
 * read whole.
 */
export const vendors = defineList({
  name: 'vendors',
  singular: 'vendor',
  title: 'vendors',
  path: '/api/v1/partner/vendors',
  offset: 'skip',
  lookup: { path: '/api/v1/partner/vendors/{id}' },
  knownBy: ['name', 'dbaName'],
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'active', 'backOrderEnabled', 'relatedEntity', 'toDefault', 'isGiftCard'),
    ...text(
      'name',
      'dbaName',
      'importId',
      'externalId',
      'vendorType',
      'armsLengthType',
      'licenseNumber',
      'website',
      'description',
    ),
    ...text(
      'defaultPaymentTerm',
      'defaultContactId',
      'accountOwnerId',
      'createdBy',
      'connectedShop',
      'platformVendorId',
      'fax',
    ),
    ...person.text(
      'firstName',
      'lastName',
      'email',
      'phone',
      'mobileNumber',
      'contactPerson',
      'salesPerson',
    ),
    ...decimal('credits'),
    ...timestamp('licenseExpirationDate'),
    ...json(
      'address',
      'additionalAddressList',
      'brands',
      'brandList',
      'companyLicenses',
      'notes',
      'assets',
    ),
  },
})
