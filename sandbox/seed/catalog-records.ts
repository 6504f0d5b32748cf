import { DAY_MS } from '../../calendar/days.ts'
import { decimal } from '../values/money.ts'
import type { Brand, Catalog, Category, Product, Vendor } from './catalog.ts'
import { FIRST_NAMES, LAST_NAMES, STREETS } from './names.ts'
import { roomsOf } from './rooms.ts'
import type { Stock } from './stock.ts'
import type { Shop } from './stores.ts'

/**
 * Catalog records as the documentation's second part lists their fields (Product, Vendor, Brand,
 * ProductCategory).
 */

export function categoryRecord(shop: Shop, category: Category, priority: number): object {
  return {
    ...common(
      shop,
      category.id,
      shop.timeline.startMs - 1000 * DAY_MS,
      shop.timeline.startMs - 300 * DAY_MS,
      false,
    ),
    name: category.name,
    cannabis: category.cannabis,
    active: true,
    archived: false,
    unitType: category.weighed ? 'grams' : 'units',
    lowThreshold: decimal(500),
    priority,
    shopIds: [shop.shopId],
    unitTrackingEnabled: false,
    isGiftCard: false,
  }
}

export function brandRecord(shop: Shop, brand: Brand): object {
  return {
    id: brand.id,
    companyId: shop.companyId,
    created: brand.vendor.created,
    modified: brand.vendor.modified,
    deleted: false,
    updated: true,
    name: brand.name,
    active: true,
    isDefault: false,
    website: `https://${slug(brand.name)}.example`,
    externalId: `BR-${slug(brand.name)}`,
    vendorList: [brand.vendor.id],
  }
}

/** Vendors belong to the company: no `shopId`. */
export function vendorRecord(shop: Shop, vendor: Vendor): object {
  const contact = {
    firstName: FIRST_NAMES[(vendor.number * 3 + shop.index) % FIRST_NAMES.length]!,
    lastName: LAST_NAMES[(vendor.number * 5 + 1) % LAST_NAMES.length]!,
  }
  const phone = `+1555${String(2_000_000 + vendor.number * 1311 + shop.index)}`
  return {
    id: vendor.id,
    companyId: shop.companyId,
    created: vendor.created,
    modified: vendor.modified,
    deleted: false,
    updated: true,
    name: vendor.name,
    dbaName: vendor.name.replace(/ (LLC|Co\.)$/, ''),
    active: vendor.number % 12 !== 11,
    ...contact,
    contactPerson: `${contact.firstName} ${contact.lastName}`,
    email: `orders@${slug(vendor.name)}.example`,
    phone,
    mobileNumber: phone,
    website: `https://${slug(vendor.name)}.example`,
    description: '',
    externalId: `V-${1001 + vendor.number}`,
    licenseNumber: `C11-${String(1_000_000 + vendor.number * 37)}-LIC`,
    licenseExpirationDate: shop.timeline.endMs + (vendor.number - 3) * 30 * DAY_MS,
    armsLengthType: vendor.number % 5 === 4 ? 'NON_ARMS_LENGTH' : 'ARMS_LENGTH',
    vendorType: vendor.number % 9 === 8 ? 'BOTH' : 'VENDOR',
    defaultPaymentTerm: ['NET_30', 'COD', 'NET_15'][vendor.number % 3],
    backOrderEnabled: false,
    relatedEntity: false,
    toDefault: false,
    isGiftCard: false,
    credits: decimal(vendor.number % 7 === 0 ? 12550 : 0),
    address: addressRecord(shop, vendor.number),
    additionalAddressList: [],
    brands: vendor.brands.map(brand => brand.id),
    companyLicenses: [],
    notes: [],
    assets: [],
  }
}

export function productRecord(
  shop: Shop,
  catalog: Catalog,
  stock: Stock,
  product: Product,
): object {
  const batches = stock.batchesOf[product.number]!
  const active = batches.findLast(batch => batch.status === 'READY_FOR_SALE')
  const rooms = roomsOf(catalog, batches)
  const onHand = [...rooms.values()].reduce((sum, quantity) => sum + quantity, 0)
  const each = (quantity: number): object => decimal(quantity * 100)
  return {
    ...common(shop, product.id, product.created, product.modified, product.deleted),
    name: product.name,
    description: `${product.name} by ${product.brand.name}. Keep away from children.`,
    sku: product.sku,
    externalId: `P-${1001 + product.number}`,
    categoryId: product.category.id,
    category: {
      id: product.category.id,
      name: product.category.name,
      cannabis: product.category.cannabis,
    },
    vendorId: product.vendor.id,
    secondaryVendors: [],
    brandId: product.brand.id,
    brandName: product.brand.name,
    brand: { id: product.brand.id, name: product.brand.name },
    ...(product.category.cannabis
      ? { flowerType: ['Indica', 'Sativa', 'Hybrid'][product.number % 3], genetics: '' }
      : {}),
    productSaleType: 'Both',
    productType: 'REGULAR',
    cannabisType: product.category.cannabis
      ? product.category.weighed
        ? 'DRY_FLOWER'
        : 'CONCENTRATE'
      : 'NON_CANNABIS',
    weightPerUnit: product.category.weighed ? 'FULL_GRAM' : 'EACH',
    customGramType: 'GRAM',
    productInfoSourcingStrategy: 'NONE',
    unitPrice: decimal(product.unitPrice),
    salesPrice: decimal(0),
    purchasePrice: decimal(product.unitCost),
    unitValue: each(1),
    customWeight: each(0),
    lowThreshold: each(5),
    reOrderLevel: each(0),
    thc: decimal(product.thcHundredths),
    cbd: decimal(product.category.cannabis ? (product.number * 13) % 120 : 0),
    totalCommittedQuantity: each(0),
    totalSellableQuantity: each(onHand),
    totalConsumerOrderQuantity: each(0),
    usableMarijuana: each(0),
    active: product.number % 40 !== 39,
    archived: false,
    instock: onHand > 0,
    sellable: true,
    showInWidget: product.number % 9 !== 0,
    discountable: true,
    discountEnabled: true,
    medicinal: true,
    byGram: product.category.weighed,
    byPrepackage: false,
    enableMixMatch: product.category.code === 'PRE',
    enableExciseTax: product.category.cannabis,
    priceIncludesExcise: false,
    isGiftCard: false,
    loyaltyAccrual: true,
    leadTime: 0,
    minDaysOnHand: 0,
    maxDaysOnHand: 0,
    activeBatchId: active?.id ?? '',
    quantities: [...rooms].map(([inventoryId, quantity]) => ({
      inventoryId,
      quantity: each(quantity),
    })),
    tags: product.unitPrice < 1500 ? ['value', 'déjà vu'] : [],
    priceBreaks: [],
    priceRanges: [],
    taxTables: [
      {
        name: 'Adult use',
        active: true,
        taxType: 'Default',
        taxOrder: 'PostTaxed',
        consumerType: 'AdultUse',
      },
      {
        name: 'Medical',
        active: true,
        taxType: 'Default',
        taxOrder: 'PostTaxed',
        consumerType: 'MedicinalState',
      },
    ],
    bundleItems: [],
    assets: [],
    notes: [],
  }
}

export function common(
  shop: Shop,
  id: string,
  created: number,
  modified: number,
  deleted: boolean,
): object {
  return {
    id,
    companyId: shop.companyId,
    shopId: shop.shopId,
    created,
    modified,
    deleted,
    updated: modified > created,
  }
}

export function addressRecord(shop: Shop, number: number): object {
  return {
    address: `${101 + ((number * 17) % 8900)} ${STREETS[number % STREETS.length]!}`,
    addressLine2: number % 6 === 0 ? `Unit ${1 + (number % 40)}` : '',
    city: shop.city,
    state: shop.state,
    zipCode: shop.zipCodes[number % shop.zipCodes.length],
    country: shop.country,
  }
}

export function slug(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
