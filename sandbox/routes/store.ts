import { EVERYTHING, readText } from '../http/parameters.ts'
import { play } from './play.ts'
import type { Route } from './route.ts'
import { list } from './route.ts'

const active = (record: Readonly<Record<string, unknown>>): boolean =>
  record['deleted'] === false && record['active'] === true

/**
 * The store behind the developer key. Fields of Shop and Contract are not shown: these are what
 * public clients read.
 */
export const storeRoutes: readonly Route[] = [
  play('getStore', call => {
    const { shop } = call.world
    return {
      shop: {
        id: shop.shopId,
        companyId: shop.companyId,
        name: shop.name,
        timeZone: shop.timeZone,
        shopType: 'Both',
        license: `C10-${String(1_000_000 + shop.index)}-LIC`,
        address: {
          city: shop.city,
          state: shop.state,
          country: shop.country,
          zipCode: shop.zipCodes[0],
          latitude: shop.at[0],
          longitude: shop.at[1],
        },
        enableDeliveryFee: true,
        active: true,
      },
      contract: { id: `${shop.shopId}-contract`, active: true, name: 'Membership agreement' },
      companyLogoURL: `https://assets.example/${shop.companyId}/logo.png`,
    }
  }),
  play('listDoctors', call => {
    const term = readText(call.query, 'term')?.toLowerCase()
    return list(call, {
      collection: call.world.lists.doctors,
      range: EVERYTHING,
      sortedBy: 'id',
      matches: doctor =>
        doctor['deleted'] === false &&
        (term === undefined ||
          `${String(doctor['searchText'])} ${String(doctor['license'])}`
            .toLowerCase()
            .includes(term)),
    })
  }),
  play('listTerminals', call =>
    list(call, {
      collection: call.world.lists.terminals,
      range: EVERYTHING,
      sortedBy: 'id',
      matches: active,
    }),
  ),
  play('listInventories', call =>
    list(call, {
      collection: call.world.lists.inventories,
      range: EVERYTHING,
      sortedBy: 'id',
      matches: active,
    }),
  ),
  play(
    'listTaxes',
    ({
      world: {
        lists: { taxes },
      },
    }) => {
      const numbers = taxes.order.slice(0, taxes.order.length).sort()
      return `[${[...numbers].map(number => taxes.text(number)).join(',')}]`
    },
  ),
]
