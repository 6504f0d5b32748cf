import { boolean, decimal, defineList, integer, json, text, timestamp } from '../../stream.ts'

/** The catalog. Parameters of its list are not shown beyond pagination, so it is read whole each time. */
export const products = defineList({
  name: 'products',
  singular: 'product',
  title: 'products (catalog)',
  path: '/api/v1/partner/products',
  lookup: { path: '/api/v1/partner/products/{id}' },
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'active', 'archived'),
    ...text('name', 'description', 'sku', 'importId', 'importSrc', 'externalId', 'categoryId', 'vendorId', 'brandId', 'brandName'),
    ...text('productSaleType', 'productType', 'cannabisType', 'flowerType', 'genetics', 'weightPerUnit', 'customGramType', 'productInfoSourcingStrategy'),
    ...text('pricingTemplateId', 'companyPricingTemplateId', 'complianceId', 'toleranceId', 'producerMfg', 'producerLicense', 'provider'),
    ...text('activeBatchId', 'activeBatchSku', 'masterId', 'companyProductId', 'parentId', 'globalProductId', 'platformProductId', 'productFamilyId'),
    ...text('overrideExtCategoryId', 'dispatchPrepackageItemId', 'wmProductId', 'wmBrandId', 'extAccountingItemRef', 'menuApiBrandName', 'menuApiProductName'),
    ...decimal('unitPrice', 'salesPrice', 'purchasePrice', 'unitValue', 'customWeight', 'lowThreshold', 'reOrderLevel', 'wmThreshold'),
    ...decimal('totalCommittedQuantity', 'totalSellableQuantity', 'totalConsumerOrderQuantity', 'usableMarijuana'),
    ...decimal('thc', 'cbn', 'cbd', 'cbda', 'thca', 'cbg', 'maxThc', 'maxCbn', 'maxCbd', 'maxCbda', 'maxThca', 'totalCannabinoids', 'totalTerpenes'),
    ...boolean('instock', 'sellable', 'showInWidget', 'discountable', 'discountEnabled', 'medicinal', 'byGram', 'byPrepackage', 'enableMixMatch'),
    ...boolean('enableExtListing', 'lowInventoryNotification', 'enableExciseTax', 'priceIncludesExcise', 'priceIncludesALExcise', 'automaticReOrder'),
    ...boolean('wmOnlineSellable', 'component', 'item', 'loyaltyAccrual', 'isGiftCard', 'lastListingSyncStatus'),
    ...integer('leadTime', 'minDaysOnHand', 'maxDaysOnHand', 'checkSum', 'menuApiProductId', 'menuApiVariantProductId', 'menuApiBrandId'),
    ...timestamp('lastWMSyncTime', 'lastListingSyncTime', 'metadataModifiedAt'),
    ...json('tags', 'wmTags', 'secondaryVendors', 'priceBreaks', 'priceRanges', 'taxTables', 'bundleItems', 'medicalConditions', 'assets', 'notes', 'category', 'brand'),
  },
  children: {
    product_quantities: {
      path: 'quantities',
      columns: { ...text('inventoryId'), ...decimal('quantity') },
    },
  },
})
