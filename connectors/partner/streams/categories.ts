import { boolean, decimal, defineList, integer, json, text, timestamp } from '../../stream.ts'

/** What products are sorted by. The documentation promises the complete list, without pages. */
export const categories = defineList({
  name: 'categories',
  singular: 'category',
  title: 'product categories',
  path: '/api/v1/partner/category',
  answers: 'complete',
  optional: true,
  columns: {
    ...text('id', 'companyId', 'shopId'),
    ...timestamp('created', 'modified'),
    ...boolean('deleted', 'active', 'archived', 'cannabis', 'unitTrackingEnabled', 'isGiftCard'),
    ...text(
      'name',
      'unitType',
      'categoryApp',
      'externalId',
      'extCategoryId',
      'complianceId',
      'masterId',
      'companyCategoryId',
      'parentCategoryId',
      'topLevelCategoryId',
    ),
    ...text(
      'normalizedCategoryId',
      'platformCategoryId',
      'platformParentCategoryId',
      'wmCategory',
      'labelTemplateId',
    ),
    ...decimal('lowThreshold'),
    ...integer('priority'),
    ...json('shopIds', 'sourceMap', 'photo'),
  },
})
