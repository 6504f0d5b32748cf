import { days, json, page, paging, query, record } from './fields.ts'
import { get, group, post, put } from './operation.ts'
import { vendor, vendorAddRequest, vendorResult, vendorUpdateRequest } from './resources/vendor.ts'

export const vendors = group('Vendors', '/api/v1/partner/vendors', {
  getVendor: get('/{vendorId}', 'One vendor, with its brand list', {
    answer: record(vendorResult),
  }),
  listVendors: get('', 'Vendors, by dates on request', {
    query: query({ ...days, ...paging('skip') }),
    answer: page(vendor),
    notShown: [
      'Which field the dates look at: modified.',
      'Whether the 7-day limit holds here: it does not, the dates may be left out.',
    ],
  }),
  createVendor: post('', 'Creates a vendor; employeeId is for audit attribution', {
    body: json(vendorAddRequest),
    answer: record(vendor),
  }),
  updateVendor: put('/{vendorId}', 'Replaces a vendor: send it whole', {
    body: json(vendorUpdateRequest),
    answer: record(vendor),
  }),
})
