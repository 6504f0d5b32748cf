import type { BookTable } from './columns.ts'
import { booked, columnsFor } from './columns.ts'
import type { Sale, SaleItem, SaleLot } from './sale.ts'

interface Line {
  sale: Sale
  item: SaleItem
}

const lines = columnsFor<Line>(({ sale }) => sale.excluded !== undefined)

/** One row a line; also those of transactions that are not booked. */
export const itemTable: BookTable<Line> = {
  key: ['line_no'],
  rowsOf: sale => sale.items.map(item => ({ sale, item })),
  columns: [
    lines.text('store_id', (_, { store }) => store),
    lines.text('transaction_id', ({ sale }) => sale.id),
    lines.integer('line_no', ({ item }) => item.lineNo),
    lines.text('order_item_id', ({ item }) => item.orderItemId),
    lines.date('business_date', (_, { businessDate }) => businessDate),
    lines.text('excluded_reason', ({ sale }) => sale.excluded),
    lines.text('consumer_type', ({ sale }) => sale.consumerType),
    lines.text('product_id', ({ item }) => item.productId),
    lines.text('sku', ({ item }) => item.sku),
    lines.text('product_name', ({ item }) => item.productName),
    lines.text('category_id', ({ item }) => item.categoryId),
    lines.text('category_name', ({ item }) => item.categoryName),
    lines.text('brand_id', ({ item }) => item.brandId),
    lines.text('vendor_id', ({ item }) => item.vendorId),
    lines.flag('cannabis', ({ item }) => item.cannabis),
    lines.text('batch_id', ({ item }) => item.batchId),
    lines.text('inventory_id', ({ item }) => item.inventoryId),
    lines.text('prepackage_item_id', ({ item }) => item.prepackageItemId),
    lines.quantity('quantity', ({ item }) => item.quantity),
    lines.text('unit', ({ item }) => item.unit),
    lines.quantity('grams_equivalent', ({ item }) => item.gramsEquivalent),
    lines.price('unit_price', ({ item }) => item.unitPrice),
    lines.money('retail_value', ({ item }) => item.retail),
    lines.money('line_discount', ({ item }) => item.lineDiscount),
    lines.money('cart_discount_alloc', ({ item }) => item.cartDiscount),
    lines.money('net', ({ item }) => item.net),
    lines.money('pre_tax', ({ item }) => item.preTax),
    lines.money('post_tax', ({ item }) => item.postTax),
    lines.unitCost('unit_cost', ({ item }) => item.unitCost),
    lines.money('cogs', ({ item }) => item.cogs),
    lines.text('cost_source', ({ item }) => item.costSource),
    lines.flag('restocked', ({ item }) => item.restocked),
    lines.flag('is_gift_card', ({ item }) => item.isGiftCard),
  ],
}

interface Lot extends Line {
  lot: SaleLot
}

const lots = columnsFor<Lot>(() => false)

/** Which lot each booked line came from; a line from two lots has two rows. */
export const lotTable: BookTable<Lot> = {
  key: ['line_no', 'lot_no'],
  rowsOf: booked(sale => sale.items.flatMap(item => item.lots.map(lot => ({ sale, item, lot })))),
  columns: [
    lots.text('store_id', (_, { store }) => store),
    lots.text('transaction_id', ({ sale }) => sale.id),
    lots.integer('line_no', ({ item }) => item.lineNo),
    lots.integer('lot_no', ({ lot }) => lot.lotNo),
    lots.text('order_item_id', ({ item }) => item.orderItemId),
    lots.date('business_date', (_, { businessDate }) => businessDate),
    lots.text('product_id', ({ item }) => item.productId),
    lots.text('batch_id', ({ lot }) => lot.batchId),
    lots.text('inventory_id', ({ lot }) => lot.inventoryId),
    lots.quantity('qty', ({ lot }) => lot.quantity),
  ],
}
