import type { Route } from './route.ts'
import { get } from './route.ts'

/** The store behind the developer key. Fields of Shop and Contract are not shown: these are what public clients read. */
export const storeRoutes: readonly Route[] = [
  get('/api/v1/partner/store', (call) => {
    const { shop } = call.world
    return JSON.stringify({
      shop: { id: shop.shopId, companyId: shop.companyId, name: shop.name, timeZone: shop.timeZone, shopType: 'Both', license: `C10-${String(1_000_000 + shop.index)}-LIC`, address: { city: shop.city, state: shop.state, country: shop.country }, enableDeliveryFee: true, active: true },
      contract: { id: `${shop.shopId}-contract`, active: true, name: 'Membership agreement' },
      companyLogoURL: `https://assets.example/${shop.companyId}/logo.png`,
    })
  }),
]
