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
    name: category.name,
    externalId: `CAT-${slug(category.name)}`,
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

export const brandRecord = ({ name, vendor }: Brand): object => ({
  name,
  active: true,
  isDefault: false,
  website: `https://${slug(name)}.example`,
  externalId: `BR-${slug(name)}`,
  vendorList: [vendor.id],
})

/** Whom to write to, and where. */
function vendorContact(shop: Shop, { number, name }: Vendor): object {
  const firstName = FIRST_NAMES[(number * 3 + shop.index) % FIRST_NAMES.length]!
  const lastName = LAST_NAMES[(number * 5 + 1) % LAST_NAMES.length]!
  const phone = `+1555${String(2_000_000 + number * 1311 + shop.index)}`
  return {
    firstName,
    lastName,
    contactPerson: `${firstName} ${lastName}`,
    email: `orders@${slug(name)}.example`,
    phone,
    mobileNumber: phone,
    website: `https://${slug(name)}.example`,
  }
}

export function vendorRecord(shop: Shop, vendor: Vendor): object {
  return {
    name: vendor.name,
    dbaName: vendor.name.replace(/ (LLC|Co\.)$/, ''),
    active: vendor.number % 12 !== 11,
    ...vendorContact(shop, vendor),
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
  return {
    ...productNames(product),
    ...productKind(product),
    ...productAmounts(product, onHand),
    ...productFlags(product, onHand),
    activeBatchId: active?.id ?? '',
    quantities: [...rooms].map(([inventoryId, quantity]) => ({
      inventoryId,
      quantity: pieces(quantity),
    })),
    tags: product.unitPrice < 1500 ? ['value', 'déjà vu'] : [],
    priceBreaks: [],
    priceRanges: [],
    taxTables: [taxTable('Adult use', 'AdultUse'), taxTable('Medical', 'MedicinalState')],
    bundleItems: [],
    assets: [],
    notes: [],
  }
}

/** Whole pieces or grams as a decimal. */
const pieces = (quantity: number): object => decimal(quantity * 100)

const productNames = (product: Product): object => ({
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
})

const productKind = (product: Product): object => ({
  productSaleType: 'Both',
  productType: 'REGULAR',
  cannabisType: cannabisType(product.category),
  weightPerUnit: product.category.weighed ? 'FULL_GRAM' : 'EACH',
  customGramType: 'GRAM',
  productInfoSourcingStrategy: 'NONE',
})

function cannabisType({ cannabis, weighed }: Category): string {
  if (!cannabis) return 'NON_CANNABIS'
  return weighed ? 'DRY_FLOWER' : 'CONCENTRATE'
}

const productAmounts = (product: Product, onHand: number): object => ({
  unitPrice: decimal(product.unitPrice),
  salesPrice: decimal(0),
  purchasePrice: decimal(product.unitCost),
  unitValue: pieces(1),
  customWeight: pieces(0),
  lowThreshold: pieces(5),
  reOrderLevel: pieces(0),
  thc: decimal(product.thcHundredths),
  cbd: decimal(product.category.cannabis ? (product.number * 13) % 120 : 0),
  totalCommittedQuantity: pieces(0),
  totalSellableQuantity: pieces(onHand),
  totalConsumerOrderQuantity: pieces(0),
  usableMarijuana: pieces(0),
})

const productFlags = (product: Product, onHand: number): object => ({
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
})

const taxTable = (name: string, consumerType: string): object => ({
  name,
  active: true,
  taxType: 'Default',
  taxOrder: 'PostTaxed',
  consumerType,
})

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
