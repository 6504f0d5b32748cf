import { readPlace, regionOf } from '../commerce/place.ts'
import { notFound } from '../http/api-error.ts'
import { EVERYTHING } from '../http/parameters.ts'
import { play } from './play.ts'
import type { Route } from './route.ts'
import { list, single } from './route.ts'

export const regionRoutes: readonly Route[] = [
  play('listRegions', call =>
    list(call, { collection: call.world.lists.regions, range: EVERYTHING, sortedBy: 'id' }),
  ),
  play('findNearbyRegion', call => {
    const region = regionOf(call.world, readPlace(call.query))
    if (region === undefined) throw notFound('lat', 'No region of this store reaches there')
    return single(call.world.lists.regions, String(region['id']), 'regionId')
  }),
  play('getRegion', call => single(call.world.lists.regions, call.params['regionId']!, 'regionId')),
]
