import type { Catalog } from '../operation.ts'

/** How a cell is read, and how it is compared with what stands in the API. */
export type ColumnKind =
  | 'text'
  | 'decimal'
  | 'boolean'
  /** `yyyy-MM-dd`: midnight of the store. */
  | 'date'
  /** Texts with `;` between them. */
  | 'list'
  | 'json'
  /** The external id of a brand, category or vendor; the API holds its id. */
  | 'reference'
  | 'references'
  /** A note that is added where no note says it. */
  | 'note'
  /** Pictures, as paths beside the file. */
  | 'images'
  /** Says something about the row, and is no field of the record. */
  | 'about'

export interface Column {
  name: string
  kind: ColumnKind
  /** Where it stands in the API's record; empty for what is no field of it. */
  path: readonly string[]
  means: string
  /** What people and other programs call it. */
  aliases?: readonly string[]
  choices?: readonly string[]
  /** What a reference refers to. */
  of?: 'brands' | 'categories' | 'vendors'
}

const column = (
  name: string,
  kind: ColumnKind,
  field: string,
  more: Partial<Pick<Column, 'means' | 'choices' | 'of' | 'aliases'>> = {},
): Column => ({
  name,
  kind,
  path: field === '' ? [] : field.split('.'),
  means: '',
  ...more,
})

const EXTERNAL_ID = column('external_id', 'text', 'externalId', {
  means: 'your own key; always needed',
  aliases: ['external key', 'external'],
})
const TARGET_ID = column('target_id', 'about', '', { means: "the API's id, where you know it" })
const NAME = column('name', 'text', 'name', {
  means: 'needed to create',
  aliases: ['product name', 'vendor name'],
})
const IMPORT_ID = column('import_id', 'text', 'importId', {
  means: 'the id that an import gave it',
})
const ACTIVE = column('active', 'boolean', 'active', { means: 'false takes it out of use' })

const VENDOR_COLUMNS: readonly Column[] = [
  EXTERNAL_ID,
  TARGET_ID,
  NAME,
  IMPORT_ID,
  ACTIVE,
  column('dba_name', 'text', 'dbaName', { means: 'name it does business as' }),
  column('vendor_type', 'text', 'vendorType', {
    means: 'VENDOR, CUSTOMER or BOTH',
    choices: ['VENDOR', 'CUSTOMER', 'BOTH'],
  }),
  column('arms_length_type', 'text', 'armsLengthType', {
    means: 'decides the excise; needs an approval',
    choices: ['ARMS_LENGTH', 'NON_ARMS_LENGTH'],
  }),
  column('license_number', 'text', 'licenseNumber', {
    means: 'of the state',
    aliases: ['license', 'licence', 'licence number', 'license no'],
  }),
  column('license_expiration', 'date', 'licenseExpirationDate', {
    means: 'yyyy-MM-dd',
    aliases: ['license expires', 'licence expiration'],
  }),
  column('contact_first_name', 'text', 'firstName'),
  column('contact_last_name', 'text', 'lastName'),
  column('email', 'text', 'email'),
  column('phone', 'text', 'phone'),
  column('website', 'text', 'website'),
  column('address1', 'text', 'address.address'),
  column('address2', 'text', 'address.addressLine2'),
  column('city', 'text', 'address.city'),
  column('state', 'text', 'address.state'),
  column('zip', 'text', 'address.zipCode', { aliases: ['zip code', 'postal code'] }),
  column('country', 'text', 'address.country'),
  column('default_payment_term', 'text', 'defaultPaymentTerm', { means: 'NET_30, COD, ...' }),
  column('back_order_enabled', 'boolean', 'backOrderEnabled', { means: 'true or false' }),
  column('brand_external_ids', 'references', 'brands', {
    means: 'its brands, ; between them',
    of: 'brands',
  }),
  column('notes_append', 'note', 'notes', { means: 'a note, added where no note says it' }),
]

const PRODUCT_COLUMNS: readonly Column[] = [
  EXTERNAL_ID,
  TARGET_ID,
  NAME,
  column('sku', 'text', 'sku', {
    means: 'stock keeping unit; once in a file',
    aliases: ['product sku', 'sku code'],
  }),
  IMPORT_ID,
  ACTIVE,
  column('category_external_id', 'reference', 'categoryId', {
    means: 'needed to create',
    of: 'categories',
  }),
  column('category_name', 'about', '', {
    means: 'with --create categories: its name, if it is new',
  }),
  column('brand_external_id', 'reference', 'brandId', { of: 'brands' }),
  column('brand_name', 'about', '', { means: 'with --create brands: its name, if it is new' }),
  column('vendor_external_id', 'reference', 'vendorId', {
    means: 'needed to create',
    of: 'vendors',
  }),
  column('secondary_vendor_external_ids', 'references', 'secondaryVendors', {
    means: '; between them',
    of: 'vendors',
  }),
  column('description', 'text', 'description'),
  column('product_sale_type', 'text', 'productSaleType', { means: 'Both, ...' }),
  column('weight_per_unit', 'text', 'weightPerUnit', { means: 'EACH, FULL_GRAM, ...' }),
  column('custom_weight', 'decimal', 'customWeight'),
  column('custom_gram_type', 'text', 'customGramType', { means: 'GRAM, ...' }),
  column('cannabis_type', 'text', 'cannabisType', { means: 'a change needs an approval' }),
  column('flower_type', 'text', 'flowerType'),
  column('genetics', 'text', 'genetics'),
  column('unit_price', 'decimal', 'unitPrice', {
    means: '12.50; more than 30 % needs an approval',
    aliases: ['price', 'retail price'],
  }),
  column('sales_price', 'decimal', 'salesPrice', { means: '0 is none' }),
  column('purchase_price', 'decimal', 'purchasePrice', {
    means: 'what it costs you',
    aliases: ['cost', 'unit cost'],
  }),
  column('price_breaks', 'json', 'priceBreaks', { means: 'a list, as JSON' }),
  column('enable_excise_tax', 'boolean', 'enableExciseTax', {
    means: 'a change needs an approval',
  }),
  column('price_includes_excise', 'boolean', 'priceIncludesExcise', {
    means: 'a change needs an approval',
  }),
  column('show_in_widget', 'boolean', 'showInWidget'),
  column('discountable', 'boolean', 'discountable'),
  column('sellable', 'boolean', 'sellable'),
  column('low_threshold', 'decimal', 'lowThreshold'),
  column('thc', 'decimal', 'thc'),
  column('cbd', 'decimal', 'cbd'),
  column('tags', 'list', 'tags', { means: 'all tags, ; between them' }),
  column('image_paths', 'images', 'assets', {
    means: 'JPEG or PNG files beside this one, ; between them',
  }),
  column('effective_at', 'about', '', { means: 'yyyy-MM-ddTHH:mm of the store: from then on' }),
]

const COLUMNS: Readonly<Record<Catalog, readonly Column[]>> = {
  vendors: VENDOR_COLUMNS,
  products: PRODUCT_COLUMNS,
}

/** The columns of a catalog's file, in the order of its template. */
export const columnsOf = (catalog: Catalog): readonly Column[] => COLUMNS[catalog]

/** Clears a field; an empty cell leaves it as it is. */
export const CLEAR_FIELD = '__CLEAR__'
