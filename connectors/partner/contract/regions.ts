import { page, paging, query, record } from './fields.ts'
import { get, group } from './operation.ts'
import { place } from './place.ts'
import { region } from './resources/region.ts'

export const regions = group('Regions', '/api/v1/partner/regions', {
  getRegion: get('/{regionId}', 'One region', { answer: record(region) }),
  listRegions: get('', 'Regions', { query: query(paging('skip')), answer: page(region) }),
  findNearbyRegion: get('/nearby', 'The region of a place: lat and long, or zipCode', {
    query: query(place),
    answer: record(region),
  }),
})
