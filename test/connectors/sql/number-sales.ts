import { decimal, integer, json, text, timestamp } from '../../../connectors/stream.ts'
import { salesStream } from '../sqlite/sales-stream.ts'

/** Sales with numbers of each kind, in columns and in lines. */
export const sales = salesStream(
  {
    ...text('id', 'name'),
    ...timestamp('modified'),
    ...decimal('total', 'cart.tax'),
    ...integer('counter'),
    ...json('tags'),
  },
  { sale_items: { path: 'items', columns: { ...text('product'), ...decimal('price') } } },
)
