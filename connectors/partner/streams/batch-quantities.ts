import { decimal, defineList, text, timestamp } from '../../stream.ts'

/**
 * How much of each batch lies in which room. Items have no id; a batch may have several in one
 * room, and zero ones occur.
 */
export const batchQuantities = defineList({
  name: 'batch_quantities',
  singular: 'batch_quantity',
  title: 'quantities of batches in each room',
  path: '/api/v1/partner/store/batches/quantities',
  key: ['batchId', 'inventoryId', 'created'],
  parent: { stream: 'inventories', column: 'id', parameter: 'inventoryId', field: 'inventoryId' },
  columns: {
    ...text('id', 'batchId', 'inventoryId'),
    ...decimal('quantity'),
    ...timestamp('created', 'modified', 'batchPurchaseDate'),
  },
})
