import { EVERYTHING, readDays, readText } from '../parameters.ts'
import type { Call, Route } from './route.ts'
import { get, list, single } from './route.ts'

const brandListOf = ({ world: { lists: { brands } } }: Call, vendorId: string): string => JSON.stringify([...brands.all()].filter((brand) => brand['deleted'] === false && (brand['vendorList'] as string[]).includes(vendorId)))

/** Dates are optional (Vendors) and, a reading, not limited to 7 days. A single vendor has its brand list (VendorResult). */
export const vendorRoutes: readonly Route[] = [
  get('/api/v1/partner/vendors', (call) => {
    const dated = readText(call.query, 'startDate') !== undefined || readText(call.query, 'endDate') !== undefined
    const range = dated ? readDays(call.query, call.world.shop.timeZone, call.nowMs, call.state.behaviour, false) : EVERYTHING
    return list(call, { collection: call.world.lists.vendors, range, sortedBy: 'id' })
  }),
  get('/api/v1/partner/vendors/:vendorId', (call) => {
    const id = call.params['vendorId']!
    const text = single(call.world.lists.vendors, id, 'vendorId')
    return `${text.slice(0, -1)},"brandList":${brandListOf(call, id)}}`
  }),
]
