import { double, emptyText, flag, int32, int64, many, no, number, one, open, openChoiceOr, openList, required, resource, shopRecord, text, texts, timestamp, yes, zero, zeroInt32 } from '../fields.ts'
import { address } from './address.ts'
import { companyAsset } from './asset.ts'
import { brand } from './brand.ts'
import { category } from './category.ts'
import { note } from './note.ts'
import { shop } from './store.ts'

export const productQuantity = resource('ProductQuantity', { ...text('id', 'inventoryId', 'shopId'), ...number('quantity') }, 'All fields; read as the room and how much is there.')

/** Also returned as ProductWithInfo and ProductWithRelatedQuantities. */
export const product = resource('Product', {
  ...shopRecord,
  ...required.text('name'),
  ...emptyText('description'),
  ...int64('checkSum'),
  ...text('importId', 'importSrc', 'categoryId', 'sku', 'vendorId', 'flowerType', 'genetics', 'brandId', 'pricingTemplateId', 'companyPricingTemplateId', 'complianceId', 'toleranceId'),
  ...text('producerMfg', 'producerLicense', 'overrideExtCategoryId', 'dispatchPrepackageItemId', 'wmProductId', 'wmBrandId', 'activeBatchId', 'activeBatchSku', 'externalId', 'masterId'),
  ...text('companyProductId', 'parentId', 'globalProductId', 'platformProductId', 'productFamilyId', 'provider', 'brandName', 'extAccountingItemRef', 'menuApiBrandName', 'menuApiProductName'),
  productSaleType: openChoiceOr('Both'),
  weightPerUnit: openChoiceOr('EACH'),
  cannabisType: openChoiceOr('DEFAULT'),
  customGramType: openChoiceOr('GRAM'),
  productType: openChoiceOr('REGULAR'),
  productInfoSourcingStrategy: openChoiceOr('NONE'),
  ...number('unitPrice', 'purchasePrice', 'unitValue', 'lowThreshold', 'customWeight', 'reOrderLevel', 'salesPrice'),
  ...zero('wmThreshold', 'totalCommittedQuantity', 'totalSellableQuantity', 'usableMarijuana', 'totalConsumerOrderQuantity'),
  ...double('thc', 'cbn', 'cbd', 'cbda', 'thca', 'cbg', 'totalCannabinoids', 'totalTerpenes', 'maxThc', 'maxCbn', 'maxCbd', 'maxCbda', 'maxThca'),
  ...open('terpenoids', 'sourceMap', 'metadataMap'),
  ...yes('active', 'showInWidget', 'discountable', 'discountEnabled', 'medicinal', 'byGram', 'sellable', 'wmOnlineSellable', 'loyaltyAccrual'),
  ...no('instock', 'enableMixMatch', 'enableExtListing', 'lowInventoryNotification', 'byPrepackage', 'enableExciseTax', 'priceIncludesExcise', 'priceIncludesALExcise'),
  ...no('automaticReOrder', 'lastListingSyncStatus', 'component', 'item', 'archived'),
  ...flag('isGiftCard'),
  ...zeroInt32('maxDaysOnHand'),
  ...int32('leadTime', 'minDaysOnHand', 'menuApiProductId', 'menuApiVariantProductId', 'menuApiBrandId'),
  ...timestamp('lastWMSyncTime', 'lastListingSyncTime', 'metadataModifiedAt'),
  ...openList('medicalConditions', 'priceRanges', 'priceBreaks', 'taxTables', 'bundleItems', 'metadata', 'purchaseLimits'),
  assets: many(companyAsset),
  quantities: many(productQuantity),
  notes: many(note),
  shopsList: many(shop),
  ...texts('secondaryVendors', 'wmTags', 'tags'),
  category: one(category),
  brand: one(brand),
  producerAddress: one(address),
  shop: one(shop),
  ...open('customTaxInfo', 'potencyAmount', 'complianceInfo'),
})

export const productPrices = resource('ProductPrices', { ...text('id', 'sku'), ...number('unitPrice', 'salesPrice'), ...openList('priceRanges', 'priceBreaks'), ...timestamp('modified') }, 'All fields; read as the prices of one product.')
