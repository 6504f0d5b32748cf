import { choice, flag, no, number, one, open, openChoiceOr, required, resource, shopRecord, text, texts, yes, zero, zeroInt32 } from '../fields.ts'
import { companyAsset } from './asset.ts'

/** Also known as ProductCategoryView. */
export const category = resource('ProductCategory', {
  ...shopRecord,
  ...required.text('name'),
  ...flag('cannabis', 'unitTrackingEnabled', 'isGiftCard'),
  ...text('extCategoryId', 'complianceId', 'topLevelCategoryId', 'normalizedCategoryId', 'parentCategoryId', 'companyCategoryId', 'wmCategory', 'externalId', 'masterId'),
  ...text('platformCategoryId', 'platformParentCategoryId', 'labelTemplateId'),
  ...yes('active'),
  ...no('archived'),
  unitType: openChoiceOr('units'),
  ...zero('lowThreshold'),
  ...texts('shopIds'),
  ...zeroInt32('priority'),
  ...open('sourceMap'),
  photo: one(companyAsset),
  categoryApp: choice(['DISTRO', 'MANUFACTURING']),
})

export const categoryAddRequest = resource('ProductCategoryAddRequest', {
  ...required.text('name'),
  ...flag('cannabis'),
  ...zeroInt32('priority'),
  ...yes('active'),
  ...number('lowThreshold'),
  ...text('wmCategory', 'externalId', 'complianceId', 'parentId', 'shopId', 'topLevelCategoryId', 'labelTemplateId', 'platformCategoryId', 'platformParentCategoryId', 'normalizedCategoryId'),
  photo: one(companyAsset),
})
