import { readProduct } from '../../../exports/sales/catalog-facts.ts'
import type { CatalogFacts } from '../../../exports/sales/catalog-facts.ts'
import { exampleFacts, wireOf } from '../sales/worked-example.ts'

/** Products of any number of categories besides those of the example: `P-7` is of category P-7. */
export const facts: CatalogFacts = {
  ...exampleFacts,
  product: id =>
    /^P-\d/.test(id)
      ? readProduct({ sku: id, name: id, byGram: false, category: { name: id, cannabis: true } })
      : exampleFacts.product(id),
}

/** By these settings each category has three lines of its own in the journal. */
export const byCategory = Object.fromEntries(
  Array.from({ length: 50 }, (_, index) => [`P-${index}`, { revenue: '4999' }]),
)

/** A sale with one item of each of so many categories. */
export const manyLines = (categories: number): object =>
  wireOf(
    'T9',
    { payments: [{ paymentOption: 'Cash', paidAmount: categories }] },
    {
      items: Array.from({ length: categories }, (_, index) => ({
        orderItemId: `T9-${index}`,
        productId: `P-${index}`,
        quantity: 1,
        unitPrice: 1,
        cost: 1,
        calcDiscount: 0,
        finalPrice: 1,
        quantityLogs: [{ batchId: 'B-GUM', inventoryId: 'FLOOR', quantity: 1 }],
      })),
      subTotal: categories,
      total: categories,
    },
  )
