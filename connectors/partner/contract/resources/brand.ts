import { companyRecord, flag, int64, one, resource, text, texts } from '../fields.ts'
import { companyAsset } from './asset.ts'

const details = {
  ...text('name', 'website', 'phoneNo', 'email', 'description', 'externalId', 'platformBrandId'),
  ...flag('active'),
  brandLogo: one(companyAsset),
  ...texts('vendorList'),
  ...int64('leadTime', 'minDaysOnHand', 'maxDaysOnHand'),
}

export const brand = resource('Brand', {
  ...companyRecord,
  ...details,
  ...text('globalBrandId'),
  ...flag('isDefault'),
})

export const brandAddRequest = resource('BrandAddRequest', { ...details, ...text('logoUrl') })
