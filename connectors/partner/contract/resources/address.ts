import { double, flag, resource, text, timestamp } from '../fields.ts'

export const address = resource('Address', {
  ...text('id', 'companyId', 'address', 'addressLine2', 'city', 'country', 'state', 'zipCode'),
  ...double('latitude', 'longitude'),
  ...timestamp('created', 'modified'),
  ...flag('deleted', 'updated'),
})
