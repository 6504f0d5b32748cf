import { invalid } from '../http/api-error.ts'
import { readDecimal, readText } from '../http/parameters.ts'
import type { Query } from '../http/parameters.ts'
import type { JsonRecord } from '../model/collection.ts'
import type { World } from '../model/world.ts'

/** Where somebody is: a point, a zip code, or both. */
export interface Place {
  point: readonly [latitude: number, longitude: number] | undefined
  zipCode: string | undefined
}

/**
 * Reading: farther than this from the middle of its region a place without a zip code is in none.
 */
const REACH_KM = 25
const EARTH_KM = 6371

export function readPlace(query: Query): Place {
  const latitude = readDecimal(query, 'lat')
  const longitude = readDecimal(query, 'long')
  if ((latitude === undefined) !== (longitude === undefined))
    throw invalid(latitude === undefined ? 'lat' : 'long', 'lat and long belong together')
  if (latitude !== undefined && Math.abs(latitude) > 90)
    throw invalid('lat', 'lat must be from -90 to 90')
  if (longitude !== undefined && Math.abs(longitude) > 180)
    throw invalid('long', 'long must be from -180 to 180')
  const zipCode = readText(query, 'zipCode')
  if (latitude === undefined && zipCode === undefined)
    throw invalid('lat', 'lat and long, or zipCode, are required')
  return { point: latitude === undefined ? undefined : [latitude, longitude!], zipCode }
}

/** Great-circle distance. */
export function distanceKm(a: readonly [number, number], b: readonly [number, number]): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180
  const half =
    Math.sin(radians(b[0] - a[0]) / 2) ** 2 +
    Math.cos(radians(a[0])) * Math.cos(radians(b[0])) * Math.sin(radians(b[1] - a[1]) / 2) ** 2
  return 2 * EARTH_KM * Math.asin(Math.sqrt(Math.min(1, half)))
}

/** The active region of a place: by its zip code if one is given, else the nearest within reach. */
export function regionOf(world: World, { point, zipCode }: Place): JsonRecord | undefined {
  const regions = [...world.lists.regions.all()].filter(
    region => region['deleted'] === false && region['active'] === true,
  )
  if (zipCode !== undefined)
    return regions.find(region => (region['zipCodes'] as string[]).includes(zipCode))
  const away = (region: JsonRecord): number =>
    distanceKm(point!, [Number(region['latitude']), Number(region['longitude'])])
  const [nearest] = regions.sort((a, b) => away(a) - away(b))
  return nearest === undefined || away(nearest) > REACH_KM ? undefined : nearest
}
