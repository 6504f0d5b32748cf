import {
  choice,
  companyRecord,
  flag,
  many,
  no,
  number,
  one,
  openList,
  required,
  resource,
  text,
  texts,
  timestamp,
  withoutDefaults,
  yes,
} from '../fields.ts'
import { address } from './address.ts'
import { companyAsset } from './asset.ts'
import { brand } from './brand.ts'
import { note } from './note.ts'

const fields = {
  ...companyRecord,
  ...required.text('name'),
  ...text(
    'importId',
    'phone',
    'email',
    'fax',
    'description',
    'website',
    'firstName',
    'lastName',
    'licenseNumber',
    'mobileNumber',
    'dbaName',
    'createdBy',
    'accountOwnerId',
  ),
  ...text(
    'defaultPaymentTerm',
    'salesPerson',
    'contactPerson',
    'defaultContactId',
    'externalId',
    'connectedShop',
    'platformVendorId',
  ),
  ...yes('active'),
  ...no('backOrderEnabled'),
  address: one(address),
  additionalAddressList: many(address),
  notes: many(note),
  assets: many(companyAsset),
  ...timestamp('licenseExpirationDate'),
  armsLengthType: choice(['ARMS_LENGTH', 'NON_ARMS_LENGTH'], 'NON_ARMS_LENGTH'),
  ...texts('brands'),
  ...number('credits'),
  ...flag('relatedEntity', 'toDefault', 'isGiftCard'),
  vendorType: choice(['CUSTOMER', 'VENDOR', 'BOTH'], 'VENDOR'),
  ...openList('companyLicenses'),
}

export const vendor = resource('Vendor', fields)
export const vendorResult = resource('VendorResult', { ...fields, brandList: many(brand) })
export const vendorAddRequest = resource('VendorAddRequest', {
  ...fields,
  ...flag('medical'),
  ...text('contactFirstName', 'contactLastName', 'employeeId'),
})
export const vendorUpdateRequest = resource('VendorUpdateRequest', {
  ...withoutDefaults(fields),
  ...text('employeeId'),
})
