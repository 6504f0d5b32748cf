import { EVERYTHING, readDays, readText } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import { create, findNumber, replaceWhole } from '../model/records.ts'
import { brandsOf } from './brands.ts'
import { play } from './play.ts'
import type { Route } from './route.ts'
import { dateRules, list } from './route.ts'

/** Who did it is kept as `createdBy`; the contact of the create request is the vendor's own. */
function asVendor({
  employeeId,
  contactFirstName,
  contactLastName,
  ...sent
}: JsonRecord): JsonRecord {
  return {
    ...(contactFirstName === undefined ? {} : { firstName: contactFirstName }),
    ...(contactLastName === undefined ? {} : { lastName: contactLastName }),
    ...(employeeId === undefined ? {} : { createdBy: employeeId }),
    ...sent,
  }
}

/**
 * Dates are optional (Vendors) and, a reading, not limited to 7 days. A single vendor has its brand
 * list (VendorResult).
 */
export const vendorRoutes: readonly Route[] = [
  play('listVendors', call => {
    const dated =
      readText(call.query, 'startDate') !== undefined ||
      readText(call.query, 'endDate') !== undefined
    const range = dated ? readDays(call.query, dateRules(call, { limited: false })) : EVERYTHING
    return list(call, { collection: call.world.lists.vendors, range, sortedBy: 'id' })
  }),
  play('getVendor', call => {
    const { vendors } = call.world.lists
    const number = findNumber(vendors, call.params['vendorId']!, 'vendorId')
    const brandList = JSON.stringify(brandsOf(call, vendors.read(number)))
    return `${vendors.text(number).slice(0, -1)},"brandList":${brandList}}`
  }),
  play('createVendor', call => create(call.world.lists.vendors, asVendor(call.exact), call.nowMs)),
  play('updateVendor', call => {
    const { vendors } = call.world.lists
    const { brandList: _, employeeId: __, ...sent } = call.exact
    return replaceWhole(
      vendors,
      findNumber(vendors, call.params['vendorId']!, 'vendorId'),
      sent,
      call.nowMs,
    )
  }),
]
