import type { Settings } from '../options.ts'
import { dayOf } from '../values/calendar.ts'
import { makeIds } from '../values/ids.ts'
import { mix } from '../values/random.ts'
import { Timeline } from './timeline.ts'

/**
 * Tax rates in basis points. They compound as published for this API family: excise on net + city,
 * sales tax on all of it.
 */
export interface TaxRates {
  city: number
  excise: number
  state: number
  county: number
}

/** One company with one shop, which is what a developer key stands for. */
export interface Shop {
  index: number
  id: string
  name: string
  city: string
  state: string
  country: string
  timeZone: string
  /** Latitude and longitude. */
  at: readonly [number, number]
  /** Where it delivers; one region for each. */
  zipCodes: readonly string[]
  companyId: string
  shopId: string
  developerKey: string
  seed: number
  taxes: TaxRates
  /** Cash totals are rounded to this many cents. */
  cashStep: 1 | 5
  /** Goods without cannabis carry their sales tax inside the price (pre-tax in the API's words). */
  accessoriesIncludeTax: boolean
  timeline: Timeline
}

export interface PartnerKey {
  key: string
  permissions: readonly string[]
}

type Place = Pick<
  Shop,
  'id' | 'name' | 'city' | 'state' | 'country' | 'timeZone' | 'at' | 'zipCodes' | 'taxes'
>

const taxes = (city: number, excise: number, state: number, county: number): TaxRates => ({
  city,
  excise,
  state,
  county,
})

/**
 * The first two are the defaults; the others bring zones with other clock changes, half hours, and
 * none at all.
 */
const PLACES: readonly Place[] = [
  {
    id: 'downtown',
    name: 'Downtown',
    city: 'Los Angeles',
    state: 'CA',
    country: 'US',
    timeZone: 'America/Los_Angeles',
    at: [34.0407, -118.2468],
    zipCodes: ['90012', '90013', '90021'],
    taxes: taxes(1000, 1500, 725, 250),
  },
  {
    id: 'harbor',
    name: 'Harbor',
    city: 'Brooklyn',
    state: 'NY',
    country: 'US',
    timeZone: 'America/New_York',
    at: [40.6782, -73.9442],
    zipCodes: ['11201', '11215', '11231'],
    taxes: taxes(400, 900, 400, 488),
  },
  {
    id: 'kreuzberg',
    name: 'Kreuzberg',
    city: 'Berlin',
    state: 'BE',
    country: 'DE',
    timeZone: 'Europe/Berlin',
    at: [52.4986, 13.4034],
    zipCodes: ['10961', '10997', '10999'],
    taxes: taxes(0, 700, 1900, 0),
  },
  {
    id: 'bondi',
    name: 'Bondi Beach',
    city: 'Sydney',
    state: 'NSW',
    country: 'AU',
    timeZone: 'Australia/Sydney',
    at: [-33.8915, 151.2767],
    zipCodes: ['2022', '2026', '2030'],
    taxes: taxes(0, 500, 1000, 0),
  },
  {
    id: 'indiranagar',
    name: 'Indiranagar',
    city: 'Bengaluru',
    state: 'KA',
    country: 'IN',
    timeZone: 'Asia/Kolkata',
    at: [12.9719, 77.6412],
    zipCodes: ['560008', '560038', '560075'],
    taxes: taxes(0, 600, 900, 900),
  },
  {
    id: 'mesa',
    name: 'Mesa',
    city: 'Phoenix',
    state: 'AZ',
    country: 'US',
    timeZone: 'America/Phoenix',
    at: [33.4484, -112.074],
    zipCodes: ['85003', '85004', '85006'],
    taxes: taxes(250, 1600, 560, 70),
  },
  {
    id: 'lakeview',
    name: 'Lakeview',
    city: 'Chicago',
    state: 'IL',
    country: 'US',
    timeZone: 'America/Chicago',
    at: [41.9398, -87.6589],
    zipCodes: ['60613', '60614', '60657'],
    taxes: taxes(300, 1000, 625, 175),
  },
  {
    id: 'plateau',
    name: 'Le Plateau',
    city: 'Montréal',
    state: 'QC',
    country: 'CA',
    timeZone: 'America/Toronto',
    at: [45.5231, -73.5817],
    zipCodes: ['H2J', 'H2T', 'H2W'],
    taxes: taxes(0, 500, 500, 998),
  },
  {
    id: 'mile-high',
    name: 'Mile High',
    city: 'Denver',
    state: 'CO',
    country: 'US',
    timeZone: 'America/Denver',
    at: [39.7392, -104.9903],
    zipCodes: ['80202', '80203', '80205'],
    taxes: taxes(550, 1500, 290, 100),
  },
  {
    id: 'anchorage',
    name: 'Ship Creek',
    city: 'Anchorage',
    state: 'AK',
    country: 'US',
    timeZone: 'America/Anchorage',
    at: [61.2181, -149.9003],
    zipCodes: ['99501', '99503', '99508'],
    taxes: taxes(500, 0, 0, 0),
  },
]

export function makeShops(settings: Settings): Shop[] {
  return Array.from({ length: settings.stores }, (_, index) => {
    const place = PLACES[index % PLACES.length]!
    const round = Math.floor(index / PLACES.length) + 1
    const id = round === 1 ? place.id : `${place.id}-${round}`
    const seed = mix(mix(settings.seed, 0x5707e), index)
    return {
      ...place,
      index,
      id,
      name: `${place.name} Cannabis${round === 1 ? '' : ` No. ${round}`}`,
      companyId: makeIds(seed, 1).of(1),
      shopId: makeIds(seed, 2).of(1),
      developerKey: `dk_${id}_${secret(seed)}`,
      seed,
      cashStep: index % 2 === 0 ? 1 : 5,
      accessoriesIncludeTax: index % 2 === 1,
      timeline: new Timeline(
        place.timeZone,
        settings.until ?? dayOf(settings.bornMs, place.timeZone),
        settings.days,
        settings.transactionsPerDay,
      ),
    }
  })
}

/**
 * The first may do everything; the second shows what a missing permission looks like
 * (Authentication, rule 7).
 */
export function makePartnerKeys(seed: number): [PartnerKey, ...PartnerKey[]] {
  return [
    {
      key: `pk_full_${secret(mix(seed, 0xfc))}`,
      permissions: ['NORMAL', 'PERFORM_RECONCILIATION'],
    },
    { key: `pk_read_${secret(mix(seed, 0x0e))}`, permissions: ['NORMAL'] },
  ]
}

const secret = (seed: number): string =>
  [1, 2, 3]
    .map(part =>
      mix(seed, 0x5ec + part)
        .toString(36)
        .padStart(7, '0'),
    )
    .join('')
