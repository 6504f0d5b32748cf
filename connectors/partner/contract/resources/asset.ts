import { companyRecord, flag, int32, resource, text, yes } from '../fields.ts'

/**
 * Kinds of files that can be uploaded; the type of an asset may have other values, which are not
 * shown.
 */
export const ASSET_TYPES = ['Photo', 'Document', 'Kml'] as const

export const companyAsset = resource(
  'CompanyAsset',
  {
    ...companyRecord,
    ...text(
      'name',
      'key',
      'type',
      'publicURL',
      'thumbURL',
      'mediumURL',
      'largeURL',
      'largeX2URL',
      'origURL',
      'platformFileUrl',
    ),
    ...flag('active'),
    ...int32('priority'),
    ...yes('secured'),
  },
  'Values of type beyond the upload values Photo, Document and Kml.',
)
