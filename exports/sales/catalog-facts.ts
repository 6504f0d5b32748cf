import type { Amount } from '../../money/amount.ts'
import { toAmount } from '../../money/amount.ts'
import type { Fields } from '../../text/record-fields.ts'
import { fieldsOf, textOf } from '../../text/record-fields.ts'
import { wordTable } from './word-table.ts'

/** What the books need to know about a product. */
export interface ProductFacts {
  sku: string | undefined
  name: string | undefined
  categoryId: string | undefined
  categoryName: string | undefined
  brandId: string | undefined
  vendorId: string | undefined
  cannabis: boolean | undefined
  /** Sold by weight: its quantities are grams. */
  byGram: boolean | undefined
  /** Grams in one piece, where the product says so. */
  gramsEach: Amount | undefined
  isGiftCard: boolean | undefined
}

/** What transactions refer to and do not carry themselves. */
export interface CatalogFacts {
  product: (id: string) => ProductFacts | undefined
  /** Cost per unit of a lot. */
  batchCost: (id: string) => Amount | undefined
  /** When the API said that it does not know this lot, ISO; undefined where it was not asked. */
  batchMissingSince?: (id: string) => string | undefined
}

export const NO_FACTS: CatalogFacts = { product: () => undefined, batchCost: () => undefined }

const GRAMS_EACH = wordTable({ HALF_GRAM: '0.5', FULL_GRAM: '1' })

/**
 * What the journal takes from the records that its lines name, by list: costs, accounts, and how
 * much of a lot a line is.
 */
export const BOOKED_FACTS = {
  batch: ['costPerUnit'],
  product: [
    'categoryId',
    'category.id',
    'category.name',
    'category.cannabis',
    'category.unitType',
    'category.isGiftCard',
    'cannabis',
    'cannabisType',
    'byGram',
    'weightPerUnit',
    'customGramType',
    'customWeight',
    'isGiftCard',
  ],
  category: ['name', 'cannabis', 'unitType', 'isGiftCard'],
} as const

/** Facts of a product record, whole or as nested into a line. */
export function readProduct(product: Fields): ProductFacts {
  const category = fieldsOf(product['category'])
  const weight = textOf(product['weightPerUnit'])
  return {
    sku: textOf(product['sku']),
    name: textOf(product['name']),
    categoryId: textOf(product['categoryId']) ?? textOf(category['id']),
    categoryName: textOf(category['name']),
    brandId: textOf(product['brandId']),
    vendorId: textOf(product['vendorId']),
    cannabis:
      flagOf(category['cannabis']) ??
      flagOf(product['cannabis']) ??
      cannabisOf(textOf(product['cannabisType'])),
    byGram:
      flagOf(product['byGram']) ??
      (textOf(category['unitType']) === undefined
        ? undefined
        : textOf(category['unitType']) === 'grams'),
    gramsEach:
      weight === 'CUSTOM_GRAMS' && textOf(product['customGramType']) !== 'MILLIGRAM'
        ? toAmount(product['customWeight'])
        : toAmount(GRAMS_EACH.get(weight ?? '')),
    isGiftCard: flagOf(product['isGiftCard']) ?? flagOf(category['isGiftCard']),
  }
}

/**
 * Field by field: what the transaction carries is how it was sold; the catalog fills in what it
 * leaves out.
 */
export function fillIn(nested: ProductFacts, catalog: ProductFacts | undefined): ProductFacts {
  if (catalog === undefined) return nested
  const whole = { ...nested }
  for (const [name, value] of Object.entries(catalog))
    if (whole[name as keyof ProductFacts] === undefined) Object.assign(whole, { [name]: value })
  return whole
}

const flagOf = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined

const cannabisOf = (type: string | undefined): boolean | undefined =>
  type === undefined || type === 'DEFAULT' ? undefined : type !== 'NON_CANNABIS'
